import assert from 'node:assert/strict'
import { resolveToken } from '../src/store/access/tokens.ts'
import type { Database, Params } from '../src/store/engine/database.ts'
import { count, type Engine, onEachEngine, TestServer, writable } from './engines.ts'
import { MAILBOX } from './mailbox.ts'

const TOKENS = count(5_000, 100_000)

onEachEngine('a token is looked up by key, however many tokens there are', async engine => {
  await using server = await TestServer.start(engine)
  await server.connect(MAILBOX)
  const token = await server.grant()
  const database = writable(server.store)
  const { owner_id } = server.store
  const [grant] = await database.all<{ grant_id: string }>('SELECT grant_id FROM grants')
  const numbers = `WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${TOKENS})`
  const insert = (table: string, columns: string, values: string) =>
    `${numbers} INSERT INTO ${table} (owner_id, token_hash, ${columns}) SELECT '${owner_id}', 'hash' || n, ${values} FROM s`
  await database.run(insert('tokens', 'kind, created_at, expires_at', `'client', '2026-01-01', '2030-01-01'`))
  await database.run(insert('token_grants', 'grant_id', `'${grant?.grant_id}'`))
  if (engine === 'postgres') await database.run('ANALYZE')

  const asked: [string, Params][] = []
  const noting = new Proxy(database, {
    get: (_, name) => {
      assert.equal(name, 'all', 'a lookup is a query')
      return (sql: string, params: Params = []) => {
        asked.push([sql, params])
        return database.all(sql, params)
      }
    },
  })
  assert.equal((await resolveToken(noting, token, new Date()))?.kind, 'client')
  assert.equal(asked.length, 1)
  for (const [sql, params] of asked) await assertByKey(engine, database, sql, params)

  const scan = `SELECT token_hash FROM tokens WHERE created_at = ?`
  await assert.rejects(assertByKey(engine, database, scan, ['2026-01-01']), assert.AssertionError)
})

/** SQLite reports how it accesses each table; PostgreSQL reports how many rows each step reads. */
async function assertByKey(engine: Engine, database: Database, sql: string, params: Params): Promise<void> {
  if (engine === 'sqlite') {
    const steps = await database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)
    assert.ok(steps.length > 0)
    for (const { detail } of steps) assert.match(detail, /^SEARCH \w+ USING .*\(.+=\?/)
    return
  }
  const rows = await database.all<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE) ${sql}`, params)
  const plan = rows.map(row => row['QUERY PLAN']).join('\n')
  const looked = [...plan.matchAll(/(?:actual .*rows=|Rows Removed by \w+(?: \w+)?: )([\d.]+)/g)].map(
    ([, n]) => Number(n),
  )
  assert.ok(looked.length > 0, plan)
  assert.ok(Math.max(...looked) <= 2, plan)
}
