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
