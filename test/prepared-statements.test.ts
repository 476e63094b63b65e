import assert from 'node:assert/strict'
import { constants, DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { SqliteStatements } from '../src/store/engine/sqlite-statements.ts'
import { Store } from '../src/store/store.ts'
import { onEachEngine, storeLocation } from './engines.ts'

const MOST_PREPARED = 200
const LANES = 2

/** A statement as long as that of a page over three connections, different for each number. */
function statement(n: number): string {
  const part = (alias: number) =>
    `SELECT * FROM (SELECT * FROM records WHERE owner_id = ? AND connection_id = ? AND stream = ?
     AND sort_key > 'n${n}' AND deleted = 0 ORDER BY sort_key LIMIT 5) AS a${alias}`
  return [part(0), part(1), part(2)].join(' UNION ALL ')
}

/** Queries that are asked at once are sent on different connections. */
function inEachLane<T>(query: (lane: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: LANES }, (_, lane) => query(lane)))
}

onEachEngine('a thousand different statements leave a bounded number prepared', async engine => {
  const { location, remove } = await storeLocation(engine)
  {
    await using store = await Store.open(location)
    await using database = await openDatabase(location, 'point-reader')
    const params = Array(3).fill([store.owner_id, 'c', 's']).flat()
    const run = async (from: number, to: number) => {
      for (let n = from; n < to; n += LANES) {
        const rows = await inEachLane(lane => database.all(statement(n + lane), params))
        assert.deepEqual(rows.flat(), [])
      }
    }
    await run(0, 2 * MOST_PREPARED)
    const before = process.memoryUsage().rss
    await run(1_000, engine === 'sqlite' ? 4_000 : 1_400)
    if (engine === 'sqlite') {
      const grown = (process.memoryUsage().rss - before) / 1e6
      assert.ok(grown < 30, `${grown.toFixed(1)} MB more`)
    } else {
      const counted = await inEachLane(() =>
        database.get<{ n: number }>('SELECT count(*) AS n FROM pg_prepared_statements'),
      )
      for (const held of counted) {
        assert.ok(held && held.n > MOST_PREPARED / 2 && held.n <= MOST_PREPARED + 1, `${held?.n} statements`)
      }
      await database.transaction(async transaction => {
        for (let n = 0; n < 2 * MOST_PREPARED; n++) await transaction.all(statement(n), params)
      })
      const held = await database.transaction(transaction =>
        transaction.get<{ n: number }>('SELECT count(*) AS n FROM pg_prepared_statements'),
      )
      assert.ok(held && held.n <= MOST_PREPARED + 1, `${held?.n} statements after transactions`)
    }
    await run(0, 10)
  }
  await remove()
})

onEachEngine('a statement that fails does not affect later ones on its connection', async engine => {
  const { location, remove } = await storeLocation(engine)
  {
    await using database = await openDatabase(location, 'writer')
    await database.define('CREATE TABLE things (id TEXT NOT NULL PRIMARY KEY)')
    for (let n = 0; n < 2 * MOST_PREPARED + 20; n++) {
      await assert.rejects(
        database.transaction(transaction =>
          transaction.run(`INSERT INTO no_table_${n} (id) VALUES (?)`, ['a']),
        ),
      )
    }
    for (const id of ['a', 'b', 'c'])
      await database.transaction(transaction => transaction.run('INSERT INTO things (id) VALUES (?)', [id]))
    assert.deepEqual(await database.all('SELECT id FROM things ORDER BY id'), [
      { id: 'a' },
      { id: 'b' },
      { id: 'c' },
    ])
  }
  await remove()
})

test('SQLite makes the plan of a statement once, whatever is bound to its limit', async () => {
  using connection = new DatabaseSync(':memory:')
  connection.exec('CREATE TABLE things (id INTEGER PRIMARY KEY)')
  const statements = new SqliteStatements(connection)
  let planned = 0
  // SQLite asks what a statement may do each time that it makes its plan.
  connection.setAuthorizer(() => {
    planned++
    return constants.SQLITE_OK
  })
  const sql = 'SELECT id FROM (SELECT id FROM things LIMIT ?) AS part ORDER BY id LIMIT ?'
  await statements.all(sql, [1, 2])
  const once = planned
  assert.ok(once > 0)
  await statements.all(sql, [1, 2])
  await statements.all(sql, [3, 4])
  assert.equal(planned, once)
})
