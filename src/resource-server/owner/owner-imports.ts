import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import {
  IMPORT_STATES,
  type ImportNote,
  type ImportRejection,
  type ImportRow,
  listImports,
  listRejections,
  readImport as readRow,
} from '../../store/records/imports.ts'
import { readJson } from '../request/body.ts'
import type { RequestContext } from '../request/context.ts'
import { invalid } from '../request/parameters.ts'
import { json, list, type Reply } from '../request/responses.ts'

/** Begins an import or goes on with one that was broken off; the answer tells where to start reading. */
export async function beginImport(context: RequestContext): Promise<Reply> {
  const { body } = await readJson(context.request, [
    'connector_key',
    'format',
    'source',
    'fingerprint',
    'stamp',
    'account',
    'connection_id',
    'name',
    'default_name',
  ])
  const request = {
    connector_key: text(body, 'connector_key', 200),
    format: text(body, 'format', 200),
    source: text(body, 'source', 4096),
    fingerprint: text(body, 'fingerprint', 200),
    stamp: text(body, 'stamp', 200),
    account: optionalText(body, 'account', 1000),
    connection_id: optionalText(body, 'connection_id', 200),
    name: optionalText(body, 'name', 200),
    default_name: text(body, 'default_name', 200),
  }
  const args = { owner_id: context.owner_id, request, now: context.now.toISOString() }
  const { run, checkpoint, resumed } = await context.store.writer.call('beginImport', args)
  const state = checkpoint === null ? null : (JSON.parse(checkpoint) as Json)
  return json({ ...shown(run), resumed, checkpoint: state }, resumed ? 200 : 201)
}

export async function noteImport(context: RequestContext): Promise<Reply> {
  const { body } = await readJson(context.request, ['state', 'checkpoint', 'counts', 'rejections'])
  const note: ImportNote = {}
  if (body.state !== undefined) {
    const state = IMPORT_STATES.find(known => known === body.state)
    if (!state) throw invalid(`state is one of ${IMPORT_STATES.join(', ')}.`, 'state')
    note.state = state
  }
  if (body.checkpoint !== undefined) note.checkpoint = JSON.stringify(body.checkpoint)
  if (body.counts !== undefined) note.counts = countsOf(body.counts)
  if (body.rejections !== undefined) note.rejections = rejectionsOf(body.rejections)
  const { import_id = '' } = context.path
  const args = { owner_id: context.owner_id, import_id, note, now: context.now.toISOString() }
  return json(shown(await context.store.writer.call('noteImport', args)))
}

export async function readImport(context: RequestContext): Promise<Reply> {
  const { import_id = '' } = context.path
  return json(shown(await readRow(context.store.database, { owner_id: context.owner_id, import_id })))
}

/** Every import, newest first. */
export async function readImports(context: RequestContext): Promise<Reply> {
  const { parameters, env, now } = context
  const { limit, warnings } = parameters.limit(25, 100)
  const connection_id = parameters.text('connection_id') ?? null
  const binding = JSON.stringify([context.route, context.accessName, connection_id])
  const cursor = parameters.text('cursor')
  const after = cursor === undefined ? null : (env.cursors.openPage(cursor, binding, now) as string)
  const query = { owner_id: context.owner_id, connection_id, after, limit: limit + 1 }
  const rows = await listImports(context.store.database, query)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const more = rows.length > limit && last
  const next = more ? { next_cursor: env.cursors.sealPage(last.import_id, binding, now) } : {}
  return list(page.map(shown), next, {}, warnings)
}

/** What a run did not take, and why, in the order of its source. */
export async function readRejections(context: RequestContext): Promise<Reply> {
  const { parameters, env, now } = context
  const { limit, warnings } = parameters.limit(25, 100)
  const { import_id = '' } = context.path
  const binding = JSON.stringify([context.route, context.accessName, import_id])
  const cursor = parameters.text('cursor')
  const from = cursor === undefined ? 0 : Number(env.cursors.openPage(cursor, binding, now))
  const query = { owner_id: context.owner_id, import_id, from, limit: limit + 1 }
  const rows = await listRejections(context.store.database, query)
  const page = rows.slice(0, limit)
  const beyond = rows[limit]
  const next = beyond ? { next_cursor: env.cursors.sealPage(String(beyond.no), binding, now) } : {}
  return list(
    page.map(({ place, code, message }) => ({ object: 'rejection', place, code, message })),
    next,
    {},
    warnings,
  )
}

function shown(run: ImportRow) {
  return { object: 'import', ...run }
}

function text(body: JsonObject, name: string, most: number): string {
  const value = body[name]
  if (typeof value === 'string' && value !== '' && value.length <= most) return value
  throw invalid(`${name} is a text of 1 to ${most} characters.`, name)
}

function optionalText(body: JsonObject, name: string, most: number): string | null {
  return body[name] === undefined || body[name] === null ? null : text(body, name, most)
}

const COUNTS = ['seen', 'added', 'updated', 'unchanged', 'rejected'] as const

function countsOf(value: Json): NonNullable<ImportNote['counts']> {
  const counts: NonNullable<ImportNote['counts']> = {}
  if (!isObject(value)) throw invalid('counts is an object of figures.', 'counts')
  for (const [name, count] of Object.entries(value)) {
    const known = COUNTS.find(candidate => candidate === name)
    if (!known) throw invalid(`counts has ${COUNTS.join(', ')}.`, 'counts')
    if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
      throw invalid(`counts.${name} is a whole number from 0.`, 'counts')
    }
    counts[known] = count
  }
  return counts
}

function rejectionsOf(value: Json): ImportRejection[] {
  if (!Array.isArray(value)) throw invalid('rejections is a list.', 'rejections')
  return value.map(item => {
    const { no, place, code, message } = isObject(item) ? item : {}
    const fits =
      typeof no === 'number' &&
      Number.isSafeInteger(no) &&
      no >= 0 &&
      [place, code, message].every(part => typeof part === 'string')
    if (!fits) throw invalid('A rejection has no, place, code and message.', 'rejections')
    return { no, place, code, message } as ImportRejection
  })
}
