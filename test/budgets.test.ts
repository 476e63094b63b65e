import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Source } from '../src/model/access/enforce.ts'
import { CodedError } from '../src/model/errors.ts'
import type { AggregateQuery } from '../src/model/reading/aggregate.ts'
import { parseSearchQuery } from '../src/model/search/search-query.ts'
import { UNBOUNDED } from '../src/model/time-bounds.ts'
import {
  type Allowance,
  Budget,
  BudgetedView,
  SCAN_ALLOWANCE,
  withLease,
} from '../src/store/budget/budget.ts'
import { FreeTurn, Turns } from '../src/store/budget/turns.ts'
import type { Params, View } from '../src/store/engine/database.ts'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { findBlob } from '../src/store/records/blobs.ts'
import { readChanges } from '../src/store/records/changed-records.ts'
import { aggregateRecords, readPage } from '../src/store/records/scan.ts'
import type { TimeOrder } from '../src/store/search/by-time.ts'
import { searchRecords } from '../src/store/search/search.ts'
import { count, freshLocation, onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const NO_LIMIT: Allowance = { ...SCAN_ALLOWANCE, processorMs: Number.POSITIVE_INFINITY }
const EVERYTHING = { fields: null, since: null, until: null, record_ids: null }

function sourceOf(connection_id: string, clause: object = {}): Source {
  const [stream] = MAILBOX.streams
  const clauses = [{ ...EVERYTHING, ...clause }]
  return { connection_id, connector_key: 'mailbox', stream, clauses } as unknown as Source
}

const budgetOf = (allowance: Partial<Allowance> = {}, signal?: AbortSignal) =>
  new Budget({ ...NO_LIMIT, ...allowance }, new FreeTurn(), signal)

const isCoded = (code: string) => (error: unknown) => error instanceof CodedError && error.code === code

/** Wraps the database and records the statements and how many rows they return. */
function watched(database: View): { database: View; statements: [string, Params, number][] } {
  const statements: [string, Params, number][] = []
  const all = async (sql: string, params: Params = []) => {
    const rows = await database.all(sql, params)
    statements.push([sql, params, rows.length])
    return rows
  }
  const own = (_: View, name: string) => {
    const value = name === 'all' ? all : database[name as keyof View]
    return typeof value === 'function' ? (value as () => unknown).bind(database) : value
  }
  return { database: new Proxy(database, { get: own as never }), statements }
}

/** As it is before the names of people are written. */
function withoutNames(database: View): View {
  const all = (sql: string, params?: Params) =>
    sql.includes('FROM search_state') ? Promise.resolve([]) : database.all(sql, params)
  const own = (_: View, name: string) => {
    const value = name === 'all' ? all : database[name as keyof View]
    return typeof value === 'function' ? (value as () => unknown).bind(database) : value
  }
  return new Proxy(database, { get: own as never })
}

onEachEngine('a search that runs out of texts, rows or time says what it left out', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const lines = Array.from({ length: 400 }, (_, n) =>
    message(`m${n}`, { body: `walrus walking number${n % 50} wander`, from: n % 2 ? 'ann' : 'bob' }),
  )
  await server.ingest('messages', connection, lines)
  const { database, owner_id } = server.store
  const pageOf = async (
    q: string,
    allowance: Partial<Allowance>,
    filter: object[] = [],
    database: View = server.store.database,
    by_time: TimeOrder | null = null,
  ) => {
    const budget = budgetOf(allowance)
    const args = {
      owner_id,
      selected: [{ source: sourceOf(connection), conditions: filter as never }],
      conversations: [],
      readable: [],
      times: [],
      meaning: null,
      query: parseSearchQuery(q),
      ...{
        bounds: UNBOUNDED,
        snapshot: null,
        by_time,
        skip: 0,
        limit: 100,
        windows: 1,
        varied: false,
        window_chars: 100,
      },
    }
    const { hits, truncated } = await searchRecords(new BudgetedView(database, budget), args, budget)
    for (const { windows } of hits) assert.equal(windows.length, 1, 'each hit is proven')
    return { hits, truncated }
  }
  const search = async (...asked: Parameters<typeof pageOf>) => {
    const { hits, truncated } = await pageOf(...asked)
    return { hits: hits.length, truncated }
  }
  assert.deepEqual(await search('number7*', {}), { hits: 8, truncated: false })
  assert.deepEqual(await search('walk*', { texts: 50 }), { hits: 50, truncated: true })
  const short = await search('walk*', { chars: 3_600 })
  assert.ok(short.truncated && short.hits > 20 && short.hits < 100, JSON.stringify(short))
  const from = [{ field: 'from', operator: 'eq', key: 'sann', format: undefined }]
  assert.deepEqual(await search('number7', {}, from), { hits: 8, truncated: false })
  const few = await search('walrus', { rows: 0 }, from)
  assert.deepEqual(few, { hits: 0, truncated: true })
  const { database: noted, statements } = watched(database)
  const once = await search('walrus walking wander', { rows: 400 }, from, noted)
  assert.deepEqual(once, { hits: 100, truncated: false }, 'several words need no more records than there are')
  const rowsOf = (table: string) => statements.filter(([sql]) => sql.includes(`FROM ${table} `))
  const read = rowsOf('records').reduce((sum, [, , rows]) => sum + rows, 0)
  assert.equal(read, 200 + 100, 'those of the sender once, and those of the page')
  const places = rowsOf('search_rows').reduce((sum, [, , rows]) => sum + rows, 0)
  assert.ok(places <= 400 + 200, `${places} rows of the index were read`)
  await server.ingest('messages', connection, [message('first', { body: 'walrus quokka', from: 'ann' })])
  const newer = Array.from({ length: 300 }, (_, n) => message(`n${n}`, { body: 'walrus', from: 'bob' }))
  await server.ingest('messages', connection, newer)
  assert.deepEqual(
    await search('walrus quokka', { rows: 100 }, from),
    { hits: 1, truncated: true },
    'a rare word',
  )
  const ofAnn = [{ fields: ['from'], test: 'words', anyOf: [[['ann']]] }]
  const whole = { hits: 100, truncated: false }
  const known = watched(database)
  assert.deepEqual(await search('walrus', { rows: 201 }, ofAnn, known.database), whole, 'only hers count')
  const reads = known.statements.filter(([sql]) => sql.includes('FROM records '))
  assert.ok(Math.max(...reads.map(([, , rows]) => rows)) <= 201, 'those of others are not read')
  const unknown = withoutNames(database)
  assert.deepEqual(
    await search('walrus', { rows: 201 }, ofAnn, unknown),
    whole,
    'the same where they are read',
  )
  const late = message('late', { body: 'quokka', from: 'ann', received_at: '2027-01-01T00:00:00Z' })
  const quokkas = newer.map(line => ({ data: { ...line.data, body: 'quokka' } }))
  await server.ingest('messages', connection, [late, ...quokkas])
  const byTime = { order: 'desc', after: null } as const
  const { hits } = await pageOf('quokka', { rows: 100 }, from, database, byTime)
  assert.equal(hits[0]?.head.record_id, 'late', 'in the order of time, not in that of import')
})

test('too many prefixes in a query are refused, and too many phrases are words', () => {
  const phrases = Array.from({ length: 17 }, (_, n) => `"a${n} b${n}"`).join(' ')
  assert.deepEqual(new Set(parseSearchQuery(phrases).clues.map(({ kind }) => kind)), new Set(['word']))
  const prefixes = (many: number) => Array.from({ length: many }, (_, n) => `p${n}*`).join(' ')
  assert.equal(parseSearchQuery(prefixes(16)).clues.length, 16)
  assert.throws(() => parseSearchQuery(prefixes(17)), isCoded('invalid_request'))
})

test('statements that waited together run in separate turns', async () => {
  const turns = new Turns()
  const order: string[] = []
  let another: Promise<void> | undefined
  const one = () =>
    turns.run('one', async turn => {
      await new Budget(NO_LIMIT, turn).run(async () => void order.push('one'))
    })
  await turns.run('many', async turn => {
    const budget = new Budget(NO_LIMIT, turn)
    const statement = () =>
      budget.run(async () => {
        const until = performance.now() + 11
        while (performance.now() < until);
        order.push('many')
        if (order.length === 2) another = one()
      })
    await statement()
    await Promise.all(Array.from({ length: 8 }, statement))
  })
  await another
  assert.ok(order.includes('one') && order.indexOf('one') < 5, order.join())
})

onEachEngine(
  'a read stops at the next statement if its client has left or if its time is used up',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, [message('m')])
    const { database, owner_id } = server.store
    const selection = { owner_id, parts: [{ source: sourceOf(connection), conditions: [] }] }
    const read = (budget: Budget) =>
      readPage(new BudgetedView(database, budget), { selection, order: 'asc', after: null, limit: 5 })
    assert.equal((await read(budgetOf())).length, 1)
    await assert.rejects(read(budgetOf({}, AbortSignal.abort())), isCoded('budget_exceeded'))
    await assert.rejects(read(budgetOf({ processorMs: 0 })), isCoded('budget_exceeded'))
  },
)

onEachEngine('changes are found by number, whatever else the stream contains', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const lines = Array.from({ length: 300 }, (_, n) => message(`m${n}`))
  await server.ingest('messages', connection, lines)
  const since = 290
  const { database, statements } = watched(server.store.database)
  const args = { owner_id: server.store.owner_id, sources: [sourceOf(connection)], since, horizon: 1_000 }
  const seen = await readChanges(database, { ...args, after: null, limit: 4 })
  assert.equal(seen.length, 5)
  const after = { record_key: seen[3]?.record.record_id ?? '', connection_id: connection }
  const rest = await readChanges(database, { ...args, after, limit: 100 })
  assert.equal(rest.length + 4, 10)
  assert.deepEqual(rest[0]?.record.record_id, seen[4]?.record.record_id)
  assert.ok(statements.every(([, , rows]) => rows <= 10))
  if (engine === 'sqlite') {
    const [sql = '', params] = statements[0] ?? []
    const plan = await server.store.database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)
    assert.match(plan.map(({ detail }) => detail).join(), /records_by_change \(.*seq>\?\)/)
  }
})

onEachEngine('authors are counted without reading records', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const lines = Array.from({ length: 20 }, (_, n) => message(`m${n}`, { from: n % 2 ? 'ann' : 'bob' }))
  await server.ingest('messages', connection, lines)
  const { database, statements } = watched(server.store.database)
  const parts = [{ source: sourceOf(connection), conditions: [] }]
  const query: AggregateQuery = {
    metric: 'count',
    field: null,
    group_by: 'from',
    group_by_time: null,
    granularity: null,
    time_zone: 'UTC',
    limit: 10,
    order: 'asc',
    split_by: null,
    split_limit: 10,
  }
  const result = await aggregateRecords(database, {
    selection: { owner_id: server.store.owner_id, parts },
    query,
  })
  const { groups } = JSON.parse(result)
  assert.deepEqual(groups, [
    { key: 'ann', count: 10 },
    { key: 'bob', count: 10 },
  ])
  assert.ok(!statements.some(([sql]) => sql.includes('FROM records ')))
})

onEachEngine('a page of several connections follows the order of each without sorting', async engine => {
  await using server = await TestServer.start(engine)
  const connections = [await server.connect(MAILBOX), await server.connect(MAILBOX)].sort()
  const at = (n: number) => ({ received_at: `2026-01-01T00:00:${String(n % 30).padStart(2, '0')}Z` })
  const all = Array.from({ length: 60 }, (_, n) => ({ n, connection: connections[n % 2] ?? '' }))
  for (const connection of connections)
    await server.ingest(
      'messages',
      connection,
      all.filter(each => each.connection === connection).map(({ n }) => message(`m${n + 10}`, at(n))),
    )
  const { database, statements } = watched(server.store.database)
  const { owner_id } = server.store
  const read = async (order: 'asc' | 'desc', clause: object) => {
    const parts = connections.map(each => ({ source: sourceOf(each, clause), conditions: [] }))
    const rows = await readPage(database, { selection: { owner_id, parts }, order, after: null, limit: 9 })
    return rows.map(({ record }) => record.record_id)
  }
  const ids = all.toSorted((a, b) => (a.n % 30) - (b.n % 30) || a.n - b.n).map(({ n }) => `m${n + 10}`)
  assert.deepEqual(await read('asc', {}), ids.slice(0, 10))
  assert.deepEqual(await read('desc', {}), ids.toReversed().slice(0, 10))
  if (engine === 'sqlite')
    for (const [sql, params] of statements) {
      const plan = await server.store.database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)
      assert.doesNotMatch(plan.map(({ detail }) => detail).join(), /B-TREE/)
    }
  const listed = new Set(['m39', 'm10', 'm69'])
  assert.deepEqual(await read('asc', { record_ids: listed }), ['m10', 'm39', 'm69'])
})

onEachEngine('looking up a blob stops at the first record that may be read', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.request('/v1/blobs', { method: 'POST', body: 'x', headers: { 'Content-Type': 'text/plain' } })
  const blob_id = `sha256-${createHash('sha256').update('x').digest('hex')}`
  const lines = Array.from({ length: 700 }, (_, n) => message(`m${n}`, { parts: [{ blob_id }] }))
  await server.ingest('messages', connection, lines)
  const look = async (clause: object) => {
    const { database, statements } = watched(server.store.database)
    const { owner_id } = server.store
    const found = await findBlob(
      database,
      owner_id,
      blob_id,
      [sourceOf(connection, clause)],
      false,
      budgetOf(),
    )
    return { seen_in: found?.seen_in?.record_id, rows: statements.reduce((sum, [, , rows]) => sum + rows, 0) }
  }
  assert.deepEqual(await look({}), { seen_in: 'm0', rows: 16 })
  assert.deepEqual(await look({ record_ids: new Set(['m99']) }), { seen_in: 'm99', rows: 700 })
  assert.deepEqual(await look({ record_ids: new Set() }), { seen_in: undefined, rows: 700 })
})

test('callers take turns, however much each has to do', async () => {
  const turns = new Turns()
  const order: string[] = []
  const busy = async (caller: string, slices: number) =>
    turns.run(caller, async turn => {
      const budget = new Budget(NO_LIMIT, turn)
      for (let slice = 0; slice < slices; slice++) {
        const until = performance.now() + 11
        while (performance.now() < until);
        order.push(caller)
        await budget.pause()
      }
    })
  await Promise.all([busy('a', 4), busy('a', 4), busy('b', 2), busy('c', 1)])
  assert.ok(order.indexOf('c') < 5 && order.lastIndexOf('b') < 9, order.join())
  assert.equal(order.length, 11)
})

test('a statement that takes too long is stopped in the database', async () => {
  const { location } = await freshLocation('postgres')
  await using database = await openDatabase(location, 'reader')
  const call = new BudgetedView(database.lease().view, budgetOf())
  const began = performance.now()
  await assert.rejects(call.get('SELECT 1 AS one FROM pg_sleep(20)'), isCoded('budget_exceeded'))
  assert.ok(performance.now() - began < count(15_000, 5_000))
})

test('a statement whose client leaves is stopped in the database, and nobody else notices', async () => {
  const { location } = await freshLocation('postgres')
  await using database = await openDatabase(location, 'reader')
  await using other = await openDatabase(location, 'writer')
  const running = async () =>
    (
      await other.all(
        "SELECT 1 AS one FROM pg_stat_activity WHERE query LIKE '%pg_sleep(21)' AND state = 'active'",
      )
    ).length
  const left = new AbortController()
  const began = withLease(database, left.signal, view =>
    new BudgetedView(view, budgetOf({}, left.signal)).get('SELECT 1 AS one FROM pg_sleep(21)'),
  )
  const refused = assert.rejects(began, /client left/)
  while ((await running()) === 0);
  left.abort()
  const at = performance.now()
  await refused
  assert.ok(performance.now() - at < 15_000)
  assert.equal(await running(), 0)
  const next = database.lease().view
  assert.deepEqual(await next.get('SELECT 1 AS one'), { one: 1 })
})
