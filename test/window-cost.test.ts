import assert from 'node:assert/strict'
import type { Database, Params } from '../src/store/engine/database.ts'
import { onEachEngine, TestServer, writable } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const CHARS = { short: 30_000, long: 1_000_000 }

/** Counts the queries of the calling thread and the rows and bytes that they return, while work is done. */
async function costOf(database: Database, work: () => Promise<unknown>) {
  const cost = { queries: 0, rows: 0, bytes: 0 }
  const note = (rows: readonly object[]) => {
    cost.queries++
    cost.rows += rows.length
    for (const value of rows.flatMap(row => Object.values(row))) {
      cost.bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8
    }
  }
  const { all, get } = database
  const watched = {
    async all<Row extends object>(sql: string, params?: Params) {
      const rows = await all.call(database, sql, params)
      note(rows)
      return rows as Row[]
    },
    async get<Row extends object>(sql: string, params?: Params) {
      const row = await get.call(database, sql, params)
      note(row ? [row] : [])
      return row as Row | undefined
    },
  }
  Object.assign(database, watched)
  await work()
  Object.assign(database, { all, get })
  return cost
}

onEachEngine('RS-1 RF-9 a window costs the same anywhere, however long the text is', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  for (const [id, chars] of Object.entries(CHARS)) {
    const outcome = await server.ingest('messages', connection, [message(id, { secret: 'ä'.repeat(chars) })])
    assert.equal(outcome.body.added, 1, JSON.stringify(outcome.body))
  }
  const window = async (id: string, offset: number) => {
    const path = `/v1/streams/messages/records/${id}/field-window?field=secret&limit_chars=4096`
    const { body } = await server.json(`${path}&offset_chars=${offset}`)
    assert.equal(body.window.text, 'ä'.repeat(4_096), JSON.stringify(body))
  }
  // The first request of a token loads data that later requests reuse.
  await window('short', 0)
  const database = writable(server.store)
  const short = await costOf(database, () => window('short', 9_000))
  assert.ok(short.queries > 0 && short.rows > 0 && short.bytes > 4_096, JSON.stringify(short))
  for (const offset of [9_000, CHARS.long - 6_000]) {
    const long = await costOf(database, () => window('long', offset))
    assert.deepEqual([long.queries, long.rows], [short.queries, short.rows])
    assert.ok(
      Math.abs(long.bytes - short.bytes) < 20_000,
      `${long.bytes} bytes, ${short.bytes} of a short text`,
    )
  }
})
