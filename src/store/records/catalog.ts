import type { Catalog } from '../../model/access/enforce.ts'
import type { Connection } from '../../model/access/grant.ts'
import { connectorKeyOf, type Declaration, streamOf } from '../../model/declaration/declaration.ts'
import { parseDeclaration, storedDeclaration } from '../../model/declaration/parse-declaration.ts'
import { CodedError } from '../../model/errors.ts'
import { type Json, parseJson, sameJson } from '../../model/json.ts'
import type { Database, Queryable, Transaction } from '../engine/database.ts'
import { randomId } from '../engine/identifiers.ts'
import { lockedTransaction, touchCatalog } from '../engine/owner-row.ts'
import { changeRows, findRow, listRows } from '../engine/rows.ts'
import { columnsOf, type Row } from '../engine/table.ts'
import { CONNECTIONS, DECLARATIONS } from './tables.ts'

export type ConnectionRow = Omit<Row<typeof CONNECTIONS>, 'owner_id'> & { connector_key: string }

/** Registers a declaration; `created` is false if the same one already exists. */
export async function registerDeclaration(
  database: Database,
  args: { owner_id: string; content: string; now: string },
): Promise<{ created: boolean; declaration: Declaration }> {
  const { owner_id, content, now } = args
  const declaration = parseDeclaration(parseJson(content))
  const { source, declaration_version: version } = declaration
  return lockedTransaction(database, owner_id, async transaction => {
    const named = { owner_id, source_id: source.id, version }
    const known = await findRow(transaction, DECLARATIONS, ['content'], named)
    if (known) {
      if (sameJson(storedDeclaration(known.content) as unknown as Json, declaration as unknown as Json))
        return { created: false, declaration }
      throw new CodedError(
        'declaration_version_exists',
        `Version ${version} of ${source.id} is already declared with other content. Give the declaration another version.`,
      )
    }
    await assertCompatible(transaction, owner_id, declaration)
    const seq = await touchCatalog(transaction, owner_id)
    const row = { ...named, seq, created_at: now, content: JSON.stringify(declaration) }
    await transaction.insert(DECLARATIONS, [row])
    return { created: true, declaration }
  })
}

/**
 * Keys, order and consent time of stored records depend on these, so they cannot change for a stream that has records,
 * also if a version between did not have the stream.
 */
const FIXED = ['primary_key', 'cursor_field', 'consent_time_field'] as const

async function assertCompatible(
  transaction: Transaction,
  owner_id: string,
  next: Declaration,
): Promise<void> {
  const versions = await versionsOf(transaction, owner_id, next.source.id)
  const reasons: string[] = []
  for (const stream of next.streams) {
    const before = versions.map(each => streamOf(each, stream.name)).find(each => each !== undefined)
    const changed = before
      ? FIXED.filter(
          key =>
            !sameJson((before[key] ?? null) as Json, (stream[key] ?? null) as Json) ||
            [before[key] ?? []]
              .flat()
              .some(
                field => before.schema.properties[field]?.format !== stream.schema.properties[field]?.format,
              ),
        )
      : []
    if (changed.length > 0) reasons.push(`streams.${stream.name}: ${changed.join(', ')} changed`)
  }
  if (reasons.length === 0) return
  const used = { owner_id, source_id: next.source.id }
  if (!(await findRow(transaction, CONNECTIONS, ['connection_id'], used))) return
  throw new CodedError(
    'declaration_incompatible',
    `Connections of ${next.source.id} exist, so keys and times of its streams cannot change: ${reasons.join('; ')}. Use another source id.`,
    { reasons },
  )
}

/** Every version of a declaration, newest first. */
async function versionsOf(database: Queryable, owner_id: string, source_id: string): Promise<Declaration[]> {
  const rows = await listRows(database, DECLARATIONS, ['content'], { owner_id, source_id }, ['seq'])
  return rows.map(({ content }) => storedDeclaration(content)).reverse()
}

/** Every version of every declaration, oldest first. */
export async function listDeclarations(database: Queryable, owner_id: string): Promise<Declaration[]> {
  const rows = await listRows(database, DECLARATIONS, ['content'], { owner_id }, ['source_id', 'seq'])
  return rows.map(({ content }) => storedDeclaration(content))
}

export async function createConnection(
  database: Database,
  args: { owner_id: string; source_id: string; display_name: string; now: string },
): Promise<ConnectionRow> {
  return lockedTransaction(database, args.owner_id, transaction => insertConnection(transaction, args))
}

export async function insertConnection(
  transaction: Transaction,
  args: { owner_id: string; source_id: string; display_name: string; now: string },
): Promise<ConnectionRow> {
  const { owner_id, source_id, display_name, now } = args
  if (!(await findRow(transaction, DECLARATIONS, ['seq'], { owner_id, source_id }))) {
    const message = `No declaration of ${source_id} is registered. Register it first.`
    throw new CodedError('source_not_declared', message, { param: 'source_id' })
  }
  for (;;) {
    const row = { connection_id: randomId('cin_', 6), source_id, display_name, created_at: now }
    if ((await transaction.insertNew(CONNECTIONS, [{ owner_id, ...row }])) === 0) continue
    await touchCatalog(transaction, owner_id)
    return { ...row, connector_key: connectorKeyOf(source_id) }
  }
}

export async function renameConnection(
  database: Database,
  args: { owner_id: string; connection_id: string; display_name: string },
): Promise<void> {
  const { owner_id, connection_id, display_name } = args
  await lockedTransaction(database, owner_id, async transaction => {
    await changeRows(transaction, CONNECTIONS, { display_name }, { owner_id, connection_id })
    await touchCatalog(transaction, owner_id)
  })
}

export async function listConnections(database: Queryable, owner_id: string): Promise<ConnectionRow[]> {
  const columns = columnsOf(CONNECTIONS, ['owner_id'])
  const rows = await listRows(database, CONNECTIONS, columns, { owner_id }, ['created_at', 'connection_id'])
  return rows.map(row => ({ ...row, connector_key: connectorKeyOf(row.source_id) }))
}

/** Everything about an owner's connections and declarations, at one state of the catalog. */
export async function readCatalog(database: Queryable, owner_id: string): Promise<Catalog> {
  const [rows, registered] = await Promise.all([
    listConnections(database, owner_id),
    listDeclarations(database, owner_id),
  ])
  const keyOf = (source_id: string, version: string) => JSON.stringify([source_id, version])
  const versions = new Map(registered.map(each => [keyOf(each.source.id, each.declaration_version), each]))
  const latest = new Map(registered.map(declaration => [declaration.source.id, declaration]))
  const connections = rows.flatMap((row): Connection[] => {
    const declaration = latest.get(row.source_id)
    return declaration ? [{ ...row, declaration }] : []
  })
  return {
    connections,
    declaration: (source_id, version) => versions.get(keyOf(source_id, version)),
    latestDeclaration: source_id => latest.get(source_id),
  }
}
