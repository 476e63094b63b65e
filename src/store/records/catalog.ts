import type { Catalog } from '../../model/access/enforce.ts'
import type { Connection } from '../../model/access/grant.ts'
import { type Declaration, parseDeclaration, streamOf } from '../../model/declaration/declaration.ts'
import { CodedError } from '../../model/errors.ts'
import { type Json, parseJson, sameJson } from '../../model/json.ts'
import type { Database, Queryable, Transaction } from '../engine/database.ts'
import { randomId } from '../engine/identifiers.ts'
import { lockedTransaction } from '../engine/owner-lock.ts'
import { touchCatalog } from './owners.ts'
import { CONNECTIONS, DECLARATIONS } from './tables.ts'

export interface ConnectionRow {
  connection_id: string
  connector_key: string
  display_name: string
  created_at: string
}

interface DeclarationRow {
  connector_key: string
  version: string
  content: string
}

/** Registers a declaration; `created` is false when the same one is already there. */
export async function registerDeclaration(
  database: Database,
  args: { owner_id: string; content: string; now: string },
): Promise<{ created: boolean; connector_key: string; version: string }> {
  const { owner_id, content, now } = args
  const declaration = parseDeclaration(parseJson(content))
  const { connector_key, version } = declaration
  return lockedTransaction(database, owner_id, async transaction => {
    const known = await transaction.get<DeclarationRow>(
      'SELECT content FROM declarations WHERE owner_id = ? AND connector_key = ? AND version = ?',
      [owner_id, connector_key, version],
    )
    if (known) {
      if (sameJson(parseJson(known.content), declaration as unknown as Json))
        return { created: false, connector_key, version }
      throw new CodedError(
        'declaration_version_exists',
        `Version ${version} of ${connector_key} is already declared with other content. Raise the version.`,
      )
    }
    await assertCompatible(transaction, owner_id, declaration)
    const seq = await touchCatalog(transaction, owner_id)
    const row = { owner_id, connector_key, version, seq, created_at: now }
    await transaction.insert(DECLARATIONS, [{ ...row, content: JSON.stringify(declaration) }])
    return { created: true, connector_key, version }
  })
}

/** Keys, order and consent time of stored records come from these, so a stream that holds records cannot change them. */
const FIXED = ['primary_key', 'cursor_field', 'consent_time_field'] as const

async function assertCompatible(
  transaction: Transaction,
  owner_id: string,
  next: Declaration,
): Promise<void> {
  const current = await currentDeclaration(transaction, owner_id, next.connector_key)
  if (!current) return
  const reasons: string[] = []
  for (const stream of next.streams) {
    const before = streamOf(current, stream.name)
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
  const used = await transaction.get<object>(
    'SELECT connection_id FROM connections WHERE owner_id = ? AND connector_key = ? LIMIT 1',
    [owner_id, next.connector_key],
  )
  if (!used) return
  throw new CodedError(
    'declaration_incompatible',
    `Connections of ${next.connector_key} exist, so keys and times of its streams cannot change: ${reasons.join('; ')}. Use another connector_key.`,
    { reasons },
  )
}

async function currentDeclaration(
  database: Queryable,
  owner_id: string,
  connector_key: string,
): Promise<Declaration | undefined> {
  const row = await database.get<DeclarationRow>(
    'SELECT content FROM declarations WHERE owner_id = ? AND connector_key = ? ORDER BY seq DESC LIMIT 1',
    [owner_id, connector_key],
  )
  return row && (parseJson(row.content) as unknown as Declaration)
}

export async function listDeclarations(database: Queryable, owner_id: string): Promise<Declaration[]> {
  const rows = await database.all<DeclarationRow>(
    'SELECT connector_key, version, content FROM declarations WHERE owner_id = ? ORDER BY connector_key, seq',
    [owner_id],
  )
  return rows.map(row => parseJson(row.content) as unknown as Declaration)
}

export interface NewConnection {
  owner_id: string
  connector_key: string
  display_name: string
  now: string
}

export function createConnection(database: Database, connection: NewConnection): Promise<ConnectionRow> {
  return lockedTransaction(database, connection.owner_id, transaction =>
    insertConnection(transaction, connection),
  )
}

export async function insertConnection(
  transaction: Transaction,
  { owner_id, connector_key, display_name, now }: NewConnection,
): Promise<ConnectionRow> {
  if (!(await currentDeclaration(transaction, owner_id, connector_key))) {
    const message = `No declaration of ${connector_key} is registered. Register it first.`
    throw new CodedError('connector_not_found', message, { param: 'connector_key' })
  }
  for (;;) {
    const row = { connection_id: randomId('cin_', 6), connector_key, display_name, created_at: now }
    if ((await transaction.insertNew(CONNECTIONS, [{ owner_id, ...row }])) === 0) continue
    await touchCatalog(transaction, owner_id)
    return row
  }
}

export async function renameConnection(
  database: Database,
  args: { owner_id: string; connection_id: string; display_name: string },
): Promise<void> {
  await lockedTransaction(database, args.owner_id, async transaction => {
    await transaction.run(
      'UPDATE connections SET display_name = ? WHERE owner_id = ? AND connection_id = ?',
      [args.display_name, args.owner_id, args.connection_id],
    )
    await touchCatalog(transaction, args.owner_id)
  })
}

export async function listConnections(database: Queryable, owner_id: string): Promise<ConnectionRow[]> {
  return database.all<ConnectionRow>(
    `SELECT connection_id, connector_key, display_name, created_at FROM connections
     WHERE owner_id = ? ORDER BY created_at, connection_id`,
    [owner_id],
  )
}

/** Everything about an owner's connections and declarations, as of one state of the catalog. */
export async function readCatalog(database: Queryable, owner_id: string): Promise<Catalog> {
  const [rows, declarations] = await Promise.all([
    listConnections(database, owner_id),
    listDeclarations(database, owner_id),
  ])
  const versions = new Map(declarations.map(d => [`${d.connector_key} ${d.version}`, d]))
  const latest = new Map(declarations.map(d => [d.connector_key, d]))
  const connections = rows.flatMap((row): Connection[] => {
    const declaration = latest.get(row.connector_key)
    return declaration ? [{ ...row, declaration }] : []
  })
  return {
    connections,
    declaration: (connector_key, version) => versions.get(`${connector_key} ${version}`),
  }
}
