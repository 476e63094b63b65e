import { OWN_PUBLISHER, sourceIdOf } from '../../../model/declaration/declaration.ts'
import { isObject, type Json, type JsonObject, parseJson } from '../../../model/json.ts'
import type { Transaction } from '../database.ts'

/**
 * The value of `single_use` in a grant that was made before grants had the form of PDPP Core. Such a grant has ended.
 */
export const OLD_FORM = 2

interface OldDeclaration {
  owner_id: string
  source_id: string
  version: string
  content: string
}

/** Gives sources that were named by short keys their URIs, and declarations the form of PDPP Core. */
export async function nameSourcesByUri(transaction: Transaction): Promise<void> {
  const rows = await transaction.all<OldDeclaration>(
    'SELECT owner_id, source_id, version, content FROM declarations',
  )
  for (const { owner_id, source_id, version, content } of rows) {
    const declaration = JSON.stringify(inCoreForm(source_id, version, parseJson(content)))
    await transaction.run(
      'UPDATE declarations SET source_id = ?, content = ? WHERE owner_id = ? AND source_id = ? AND version = ?',
      [sourceIdOf(source_id), declaration, owner_id, source_id, version],
    )
  }
  await transaction.run('UPDATE grants SET single_use = ?, revoked_at = coalesce(revoked_at, created_at)', [
    OLD_FORM,
  ])
  const prefix = sourceIdOf('')
  for (const table of ['connections', 'imports'])
    await transaction.run(`UPDATE ${table} SET source_id = ? || source_id`, [prefix])
}

function inCoreForm(connector_key: string, declaration_version: string, old: Json): Json {
  const { display_name, streams } = isObject(old) ? old : {}
  return {
    protocol_version: '0.1.0',
    source: { kind: 'connector', id: sourceIdOf(connector_key) },
    declaration_version,
    publisher: { id: OWN_PUBLISHER },
    display: { name: typeof display_name === 'string' ? display_name : connector_key },
    streams: Array.isArray(streams) ? streams.filter(isObject).map(streamInCoreForm) : [],
  }
}

const KEPT = ['name', 'display', 'schema', 'primary_key', 'cursor_field', 'consent_time_field', 'query']

function streamInCoreForm(stream: JsonObject): JsonObject {
  const kept = Object.entries(stream).filter(([member]) => KEPT.includes(member))
  const selection = isObject(stream.selection) ? stream.selection : {}
  const views = Array.isArray(stream.views) ? stream.views.filter(isObject) : []
  return {
    ...Object.fromEntries(kept),
    semantics: 'mutable_state',
    selection: { fields: selection.fields !== false, resources: selection.resources !== false },
    ...(views.length > 0
      ? { views: views.map(({ id, label, fields }) => ({ id, label: label ?? id, fields })) as Json }
      : {}),
  }
}

/** Streams of the importers whose names did not say what they contain, and their new names. */
const RENAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  mail: { messages: 'emails' },
  slack: { messages: 'slack_messages', channels: 'slack_channels', users: 'slack_users' },
  chatgpt: { messages: 'chatgpt_messages', conversations: 'chatgpt_conversations' },
}

const TABLES = ['records', 'tallies', 'search_rows', 'search_state', 'blob_references']

/**
 * Renames the streams of stored records. The search index contains the old names and is rebuilt. A grant never changes,
 * so grants that name such a stream end.
 */
export async function nameStreamsByContent(transaction: Transaction): Promise<void> {
  for (const [key, names] of Object.entries(RENAMED)) {
    const source_id = sourceIdOf(key)
    await renameInDeclarations(transaction, source_id, names)
    const own = 'connection_id IN (SELECT connection_id FROM connections WHERE source_id = ?)'
    await transaction.run(`UPDATE search_state SET version = '', rebuilt_to = NULL WHERE ${own}`, [source_id])
    for (const [before, after] of Object.entries(names)) {
      for (const table of TABLES)
        await transaction.run(`UPDATE ${table} SET stream = ? WHERE stream = ? AND ${own}`, [
          after,
          before,
          source_id,
        ])
    }
  }
  await endGrants(transaction)
}

async function renameInDeclarations(
  transaction: Transaction,
  source_id: string,
  names: Readonly<Record<string, string>>,
): Promise<void> {
  const rows = await transaction.all<{ owner_id: string; version: string; content: string }>(
    'SELECT owner_id, version, content FROM declarations WHERE source_id = ?',
    [source_id],
  )
  for (const { owner_id, version, content } of rows) {
    const declaration = parseJson(content)
    for (const stream of streamsOf(declaration)) stream.name = names[String(stream.name)] ?? stream.name ?? ''
    await transaction.run(
      'UPDATE declarations SET content = ? WHERE owner_id = ? AND source_id = ? AND version = ?',
      [JSON.stringify(declaration), owner_id, source_id, version],
    )
  }
}

async function endGrants(transaction: Transaction): Promise<void> {
  const now = new Date().toISOString()
  const rows = await transaction.all<{ owner_id: string; grant_id: string; content: string }>(
    'SELECT owner_id, grant_id, content FROM grants WHERE revoked_at IS NULL',
  )
  for (const { owner_id, grant_id, content } of rows) {
    const grant = parseJson(content)
    const source = isObject(grant) && isObject(grant.source) ? grant.source.id : null
    const names = Object.entries(RENAMED).find(([key]) => sourceIdOf(key) === source)?.[1] ?? {}
    if (!streamsOf(grant).some(({ name }) => Object.hasOwn(names, String(name)))) continue
    await transaction.run('UPDATE grants SET revoked_at = ? WHERE owner_id = ? AND grant_id = ?', [
      now,
      owner_id,
      grant_id,
    ])
  }
}

function streamsOf(content: Json) {
  return isObject(content) && Array.isArray(content.streams) ? content.streams.filter(isObject) : []
}
