import assert from 'node:assert/strict'
import { count, onEachEngine } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { type StillServer, StoreTemplate } from './twin-servers.ts'

/** More records than a search examines for a common word. */
const VISIBLE = 640
const HIDDEN = 12
const OPEN = ['id', 'subject', 'body', 'received_at', 'size']
/** The client can see records from this day on. */
const SINCE = '2026-01-06T00:00:00Z'

interface Prepared {
  connection: string
  token: string
}

const at = (day: number, no: number) =>
  new Date(Date.UTC(2026, 0, day) + no * 60_000).toISOString().replace('.000', '')

function visible(no: number, more: Record<string, unknown> = {}): object {
  const long = no % 160 === 0 ? ' far and wide'.repeat(2_000) : ''
  return message(`m${String(no).padStart(4, '0')}`, {
    body: `walrus walking ${no % 2 ? 'along the shore' : 'home'}${long} walrus`,
    received_at: at(7, no),
    size: no % 3,
    from: 'first',
    ...more,
  })
}

function hidden(no: number, more: Record<string, unknown> = {}): object {
  return message(`h${no}`, { body: 'walrus walking home', received_at: at(2, no), from: 'first', ...more })
}

async function prepare(server: StillServer): Promise<Prepared> {
  const connection = await server.connect(MAILBOX, 'Mail')
  await server.ingest('messages', connection, [
    ...Array.from({ length: VISIBLE }, (_, no) => visible(no)),
    ...Array.from({ length: HIDDEN }, (_, no) => hidden(no)),
  ])
  const grant = { client_name: 'Client', connections: [connection], streams: ['messages'] }
  const granted = await server.own('POST', '/v1/owner/grants', { ...grant, fields: OPEN, since: SINCE })
  return { connection, token: granted.access_token }
}

/**
 * Adds hidden fields to visible records, lets them grow over several index rows, shrinks and removes them; adds and
 * removes hidden records.
 */
async function changeHidden(server: StillServer, { connection }: Prepared): Promise<void> {
  const some = Array.from({ length: 40 }, (_, n) => n * 4)
  const change = (lines: readonly object[]) => server.ingest('messages', connection, lines)
  await change(some.map(no => visible(no, { from: 'walrus '.repeat(no === 8 ? 9_000 : 2) })))
  await change(some.slice(0, 20).map(no => visible(no, { from: 'first', secret: 'another' })))
  await change([visible(160, { from: 'x '.repeat(40_000) }), visible(3, { secret: 'walrus' })])
  await change(Array.from({ length: HIDDEN }, (_, no) => hidden(no, { body: 'walrus '.repeat(no + 1) })))
  await change(['h1', 'h2'].map(key => ({ op: 'delete', key })))
  await change([hidden(1), hidden(HIDDEN + 1, { body: 'walrus walking home' })])
}

const SEARCHES = [
  'q=walrus',
  'q=walrus&limit=100',
  'q=walrus+shore',
  'q=walrus+walking+home',
  'q=walk*',
  'q="walrus walking"',
  'q=walrus+-shore',
  'q=far+wide',
  'q="far and wide"',
  `q=walrus&since=${at(7, 100)}&until=${at(7, 300)}`,
  'q=walrus&streams=messages&where[size]=1',
].map(search => `/v1/search?${search.replaceAll('"', '%22').replaceAll(':', '%3A')}`)

const MOST_PAGES = count(2, 8)

/** All pages of a path, as texts. */
async function pages(server: StillServer, token: string, path: string, cursor = ''): Promise<string[]> {
  const texts: string[] = []
  for (let next = cursor; texts.length < MOST_PAGES; ) {
    const { text, status } = await server.ask(path + (next && `&cursor=${next}`), token)
    assert.equal(status, 200, text)
    const { next_cursor, ...page } = JSON.parse(text)
    texts.push(JSON.stringify(page))
    if (!next_cursor) break
    next = next_cursor
  }
  return texts
}

onEachEngine(
  'RS-5 search does not depend on changes to hidden data, even with old cursors and above the cap',
  async engine => {
    const { template, prepared } = await StoreTemplate.prepare(engine, prepare)
    await using _ = template
    await using plain = await template.open()
    await using secret = await template.open()
    const { token } = prepared
    const kept: [path: string, cursor: string][] = []
    for (const path of SEARCHES) {
      const { text } = await plain.ask(path, token)
      const { next_cursor, data } = JSON.parse(text)
      assert.ok(data.length > 0, path)
      if (next_cursor) kept.push([path, next_cursor])
    }
    assert.ok(kept.length >= 8, 'most of the searches have a second page')
    await changeHidden(secret, prepared)
    for (const [path, cursor] of kept) {
      assert.deepEqual(
        await pages(secret, token, path, cursor),
        await pages(plain, token, path, cursor),
        path,
      )
    }
    for (const path of SEARCHES)
      assert.deepEqual(await pages(secret, token, path), await pages(plain, token, path), path)
  },
)

onEachEngine('RS-5 the best piece of a long text is found whatever long texts are hidden', async engine => {
  const { template, prepared } = await StoreTemplate.prepare(engine, async server => {
    const { connection } = await prepare(server)
    const grant = { client_name: 'Client', connections: [connection], streams: ['messages'] }
    const granted = await server.own('POST', '/v1/owner/grants', { ...grant, records: ['messages:long'] })
    return { connection, token: granted.access_token }
  })
  await using _ = template
  const { connection, token } = prepared
  const filler = 'far and wide '.repeat(600)
  const body = `${filler}${filler}${'otter '.repeat(20)}${`${filler}otter `.repeat(24)}`
  for (const pieces of [0, 10, 25, 31]) {
    await using server = await template.open()
    const others = message('hidden', { body: `otter ${filler}`.repeat(pieces) })
    await server.ingest('messages', connection, [message('long', { body }), others])
    const { text } = await server.ask('/v1/search?q=otter', token)
    const [hit] = JSON.parse(text).data
    assert.equal(hit.match_windows[0].start_chars, 2 * filler.length, `${pieces} hidden pieces`)
  }
})
