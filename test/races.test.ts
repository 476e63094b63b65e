import assert from 'node:assert/strict'
import type { Location } from '../src/store/engine/database.ts'
import { count, type Engine, freshLocation, onEachEngine, PROVING, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const ROUNDS = count(2, 100)
const WRITERS = 12

/** Several servers on the same data. Like separate processes, they share only the database. */
async function withServers(
  engine: Engine,
  servers: number,
  work: (all: [TestServer, ...TestServer[]], location: Location) => Promise<void>,
): Promise<void> {
  const { location, remove } = await freshLocation(engine)
  const all: TestServer[] = []
  try {
    for (let n = 0; n < servers; n++) all.push(await TestServer.on(location))
    await work(all as [TestServer, ...TestServer[]], location)
    for (const server of all) assert.deepEqual(server.failures, [])
  } finally {
    for (const server of all) await server[Symbol.asyncDispose]()
    await remove()
  }
}

/** Tables that hold rows of a connection, or of its records. */
const OF_RECORDS = [
  'records',
  'tallies',
  'pieces',
  'search_rows',
  'search_counts',
  'token_index',
  'later_token_index',
  'search_state',
  'blob_references',
  'imports',
  'import_rejections',
]

for (const servers of PROVING ? [1, 2] : [2]) {
  const where = servers === 1 ? 'one server' : 'two servers'
  onEachEngine(
    `writers, a deletion and a declaration at once leave no error and no orphaned row, at ${where}`,
    async engine => {
      await withServers(engine, servers, async all => {
        const [first] = all
        const at = (n: number) => all[n % all.length] as TestServer
        for (let round = 0; round < ROUNDS; round++) {
          const connection = await first.connect(MAILBOX, `Round ${round}`)
          await first.ingest('messages', connection, [message('first')])
          const writing = Array.from({ length: WRITERS }, async (_, writer) => {
            for (let batch = 0; ; batch++) {
              const lines = Array.from({ length: 25 }, (_, n) =>
                message(`w${writer % 3}-${batch}-${n}`, {
                  body: n === 0 ? 'long '.repeat(5_000) : `walrus ${writer}`,
                }),
              )
              const { status, body } = await at(writer).ingest('messages', connection, lines)
              if (status === 200) continue
              assert.deepEqual([status, body.error?.code], [404, 'connection_not_found'])
              return
            }
          })
          const beginning = at(1).post('/v1/owner/imports', importOf(`/mail-${round}`, connection))
          const version = `1.0.${round + 1}`
          const declaring = at(1).post('/v1/owner/declarations', { ...MAILBOX, declaration_version: version })
          await new Promise(resolve => setTimeout(resolve, 20 + 40 * (round % 5)))
          const deleting = at(round).request(`/v1/owner/connections/${connection}`, { method: 'DELETE' })
          assert.equal((await declaring).status, 201)
          assert.ok([201, 404].includes((await beginning).status))
          assert.equal((await deleting).status, 204)
          await Promise.all(writing)
          for (const table of OF_RECORDS) {
            const row = await first.store.database.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)
            assert.equal(row?.n, 0, `rows of ${table} after round ${round}`)
          }
        }
      })
    },
  )
}

onEachEngine('the same request at several servers at once has one effect', async engine => {
  await withServers(engine, 3, async all => {
    await all[0].connect(MAILBOX)
    const everywhere = (path: string, body: object) =>
      Promise.all([...all, ...all, ...all, ...all].map(server => server.post(path, body)))
    const different = <T>(values: T[]) => [...new Set(values)]
    for (let round = 0; round < ROUNDS; round++) {
      const declared = await everywhere('/v1/owner/declarations', {
        ...MAILBOX,
        declaration_version: `2.0.${round}`,
      })
      assert.deepEqual(declared.map(answer => answer.status).sort(), [...Array(11).fill(200), 201])

      const granted = await everywhere('/v1/owner/grants', { client_name: `Client ${round}` })
      assert.deepEqual(different(granted.map(answer => answer.status)), [201])
      assert.equal(different(granted.map(answer => answer.body.client_id)).length, 1)

      const begun = await everywhere('/v1/owner/imports', importOf(`/mail-${round}`, null))
      assert.deepEqual(different(begun.map(answer => answer.status)), [201])
      assert.equal(different(begun.map(answer => answer.body.connection_id)).length, 1)

      const path = `/v1/owner/connections/${begun[0]?.body.connection_id}`
      const removed = await Promise.all(
        [...all, ...all, ...all].map(server => server.request(path, { method: 'DELETE' })),
      )
      assert.deepEqual(removed.map(({ status }) => status).sort(), [204, ...Array(8).fill(404)])
    }
  })
})

function importOf(source: string, connection_id: string | null): object {
  return {
    source_id: MAILBOX.source.id,
    format: 'mbox',
    source,
    fingerprint: `of ${source}`,
    stamp: '1',
    default_name: 'Mail',
    ...(connection_id === null ? {} : { connection_id }),
  }
}
