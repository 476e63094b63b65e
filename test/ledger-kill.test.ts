import assert from 'node:assert/strict'
import { count, onEachEngine, storeLocation } from './engines.ts'
import { record } from './figures.ts'
import { message } from './mailbox.ts'
import { ownerTokenFor, SpawnedServer } from './spawned-server.ts'

const REQUESTS = count(80, 10_000)
const KILLS = count(1, 40)
const READERS = 4

const LIST = '/v1/streams/messages/records'
/** Reads of every kind, including ones that show nothing. */
const MIXED: readonly [path: string, init?: RequestInit][] = [
  [`${LIST}?limit=2`],
  [`${LIST}/m1`],
  [`${LIST}/m1`, { method: 'HEAD' }],
  [`${LIST}/never`],
  [`${LIST}/m1/field-window?field=body&q=heron`],
  [`${LIST}/m1/field-window?field=body&q=ostrich`, { method: 'HEAD' }],
  [`${LIST}?where[size]=9&fields=id`],
  ['/v1/search?q=heron&windows=0'],
  ['/v1/search?q=ostrich'],
  ['/v1/streams/messages/aggregate'],
  ['/v1/streams'],
  ['/v1/streams/notes/records'],
]

onEachEngine(
  'every response has its line and the chains stay intact, despite kills and with two servers',
  async engine => {
    const { location, remove } = await storeLocation(engine)
    const owner = await ownerTokenFor(location)
    let servers = [await SpawnedServer.start(location), await SpawnedServer.start(location)]
    const [setUp] = servers as [SpawnedServer]
    try {
      const connection = await setUp.connect(owner)
      const lines = ['m1', 'm2', 'm3'].map(id => JSON.stringify(message(id, { body: 'a heron', size: 1 })))
      await setUp.ingest('messages', connection, owner, lines.join('\n'))
      const request = { client_name: 'Reader', streams: ['messages'] }
      const token = (await setUp.post('/v1/owner/grants', owner, request)).body.access_token as string
      const answered = new Map<string, number>()
      let sent = 0
      const work = async (server: SpawnedServer, until: number) => {
        while (sent < until) {
          const [path, init] = MIXED[sent++ % MIXED.length] as (typeof MIXED)[number]
          try {
            const response = await server.request(path, token, init)
            answered.set(response.headers.get('Request-Id') ?? '', response.status)
            await response.arrayBuffer()
          } catch {
            return
          }
        }
      }
      for (let round = 1; round <= KILLS; round++) {
        const until = (REQUESTS * round) / KILLS
        const enough = until - REQUESTS / KILLS / 4
        const working = Array.from({ length: READERS }, (_, n) =>
          work(servers[n % 2] as SpawnedServer, until),
        )
        while (sent < enough) await new Promise(setImmediate)
        await servers[0]?.kill()
        await Promise.all(working)
        servers = [servers[1] as SpawnedServer, await SpawnedServer.start(location)]
      }
      assert.ok(answered.size > REQUESTS / 2, `${answered.size} answers`)
      const [server] = servers as [SpawnedServer]
      const noted = new Map<string, number>()
      for (let cursor = ''; ; ) {
        const { body } = await server.json(`/v1/owner/disclosures?limit=100${cursor}`, owner)
        for (const { request_id, status } of body.data) noted.set(request_id, status)
        if (!body.has_more) break
        cursor = `&cursor=${body.next_cursor}`
      }
      const missing = [...answered].filter(([id, status]) => noted.get(id) !== status)
      assert.deepEqual(missing, [], `${missing.length} of ${answered.size} answers have no line`)
      const { body: report } = await server.json('/v1/owner/ledger/verify', owner, { method: 'POST' })
      assert.deepEqual([report.state, report.entries], ['intact', noted.size], JSON.stringify(report))
      assert.equal(report.chains, report.unfinished)
      assert.ok(report.chains >= KILLS)
      const counts = { kills: KILLS, answers: answered.size, 'without a line': missing.length }
      record('one of two servers killed under load', engine, counts)
    } finally {
      for (const server of servers) await server[Symbol.asyncDispose]()
      await remove()
    }
  },
)
