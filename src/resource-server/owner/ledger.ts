import * as api from '../../api/owner/ledger.ts'
import type { Warning } from '../../api/parameter.ts'
import type { Shown } from '../../model/access/shown.ts'
import { invalidRequest } from '../../model/errors.ts'
import { parseResultId } from '../../model/ids/handle.ts'
import { instantKey, instantText } from '../../model/time.ts'
import { listEvents } from '../../store/access/audit.ts'
import type { Store } from '../../store/store.ts'
import { serve } from '../request/context.ts'
import { json, type Reply } from '../request/responses.ts'

const HIDDEN = 'What clients asked is recorded but not shown. Set ledger-queries to on to see it.'
const QUERIES_HIDDEN: Warning = { code: 'queries_hidden', message: HIDDEN, param: 'queries' }

export const readAudit = serve(api.listAudit, async ({ page, parameters, store, owner_id }) => {
  const { grant_id = null } = parameters
  const query = { owner_id, grant_id, after: await page.open<string>(), limit: page.limit + 1 }
  return page.close(
    await listEvents(store.database, query),
    last => last.event_id,
    event => ({ object: 'audit_event', ...event }),
  )
})

export const readDisclosures = serve(api.listDisclosures, async context => {
  const { page, parameters, store, owner_id, env, warnings } = context
  const { client_id = null, since, until, record } = parameters
  const queries = parameters.queries !== undefined && env.settings.showQueries === true
  if (parameters.queries !== undefined && !queries) warnings.push(QUERIES_HIDDEN)
  const times = { since: written(since), until: written(until) }
  const query = {
    owner_id,
    client_id,
    ...times,
    queries,
    record: record === undefined ? null : named(record),
    after: await page.open<string>(),
    limit: page.limit + 1,
  }
  return page.close(
    await store.ledger.list(query),
    last => last.disclosure_id,
    disclosure => ({ object: 'disclosure', ...disclosure }),
  )
})

/** A record named by its complete handle. */
function named(handle: string) {
  const { connection_id, stream, record_id } = parseResultId(handle)
  if (connection_id === null)
    throw invalidRequest('record must be a complete id, including its connection.', 'record')
  return { connection_id, stream, record_id }
}

export const readLedger = serve(api.readLedger, async ({ store, env }) => {
  const last = await store.lastVerified()
  const last_verified = last && { at: last.at, ...last.content }
  return json({ object: 'ledger', shows_queries: env.settings.showQueries === true, last_verified })
})

export const verifyLedger = serve(api.verifyLedger, async ({ store, now }) => {
  const report = await store.verifyLedger(now)
  return json({ object: 'ledger_verification', at: now.toISOString(), ...report })
})

export const pruneLedger = serve(api.pruneLedger, async context => {
  const { before } = await context.body()
  const instant = instantKey(before)
  if (instant === null) throw invalidRequest('before must be a date, or a date-time with a zone.', 'before')
  const { removed } = await context.store.pruneLedger(instantText(instant), context.now)
  return json({ object: 'ledger_pruning', removed })
})

/** An instant in the ledger's format, with milliseconds. */
function written(instant: string | undefined): string | null {
  return instant === undefined ? null : `${instant.slice(0, 23)}Z`
}

const CHUNK_CHARS = 64 * 1024

/** Streamed, so that its size does not matter. */
export const exportEverything = serve(api.exportEverything, async ({ store, request }) => {
  return file(request, 'application/x-ndjson', 'footnote.ndjson', store.exported())
})

/** Every line of the ledger. What clients asked is not included, but its signature is. */
export const exportLedger = serve(api.exportLedger, async ({ store, request }) =>
  file(request, 'application/x-ndjson', 'ledger.ndjson', ledgerLines(store)),
)

async function* ledgerLines(store: Store): AsyncGenerator<string> {
  for await (const { query: _, owner_id: __, shown, decided, ...line } of store.ledgerLines()) {
    const facts = JSON.stringify({ object: 'ledger_line', ...line })
    yield `${facts.slice(0, -1)},"shown":${shown},"decided":${decided}}\n`
  }
}

const COLUMNS = [
  ...['at', 'client_id', 'route', 'status', 'records', 'characters', 'connections', 'streams'],
  ...['shown', 'request_id', 'disclosure_id', 'grant_ids', 'chain_id', 'link_no', 'mac'],
] as const

export const exportLedgerTable = serve(api.exportLedgerTable, async ({ store, request }) =>
  file(request, 'text/csv', 'ledger.csv', ledgerTable(store)),
)

async function* ledgerTable(store: Store): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\r\n`
  for await (const line of store.ledgerLines()) {
    const shown = JSON.parse(line.shown) as Shown[]
    const ranges = shown.flatMap(each => Object.values(each.ranges ?? {}).flat())
    const row: Record<(typeof COLUMNS)[number], string | number | null> = {
      ...line,
      records: new Set(
        shown.flatMap(each =>
          each.record_ids.map(id => JSON.stringify([each.connection_id, each.stream, id])),
        ),
      ).size,
      characters: ranges.reduce((sum, [from, to]) => sum + to - from, 0),
      connections: [...new Set(shown.map(each => each.connection_id))].join(' '),
      streams: [...new Set(shown.map(each => each.stream))].join(' '),
    }
    yield `${COLUMNS.map(column => cell(row[column])).join(',')}\r\n`
  }
}

/** A cell that no spreadsheet interprets as a formula. */
function cell(value: string | number | null): string {
  const text = String(value ?? '')
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}

function file(request: Request, type: string, name: string, texts: AsyncIterable<string>): Reply<never> {
  const headers = {
    'Content-Type': type,
    'Cache-Control': 'private, no-store',
    'Content-Disposition': `attachment; filename="${name}"`,
  }
  return {
    status: 200,
    headers,
    body: request.method === 'HEAD' ? null : ReadableStream.from(inChunks(texts)),
  }
}

async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let held: string[] = []
  let chars = 0
  for await (const text of texts) {
    held.push(text)
    chars += text.length
    if (chars < CHUNK_CHARS) continue
    yield Buffer.from(held.join(''))
    held = []
    chars = 0
  }
  if (chars > 0) yield Buffer.from(held.join(''))
}
