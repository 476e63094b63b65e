import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Authorizer } from '../src/resource-server/request/authorizer.ts'
import type { Environment } from '../src/resource-server/request/context.ts'
import { empty } from '../src/resource-server/request/responses.ts'
import { resolveToken } from '../src/store/access/tokens.ts'
import type { Database } from '../src/store/engine/database.ts'
import { type Engine, onEachEngine, PUBLIC_URL, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { mcpPost } from './mcp-post.ts'

const LIST = '/v1/streams/messages/records'

async function start(engine: Engine) {
  const server = await TestServer.start(engine)
  await server.ingest('messages', await server.connect(MAILBOX), [message('a', { body: 'A pelican' })])
  const made = (await server.post('/v1/owner/grants', { client_name: 'Test' })).body
  const { access_token } = made
  const [{ grant_id }] = made.grants
  const read = async () => (await server.json(`${LIST}/a`, { token: access_token })).status
  const call = (name: string, args: object) =>
    server.request('/mcp', {
      token: access_token,
      ...mcpPost(
        'tools/call',
        { name, arguments: args },
        { Host: new URL(PUBLIC_URL).host, 'MCP-Protocol-Version': '2025-11-25' },
      ),
    })
  const ask = async () => {
    const response = await call('query_records', { stream: 'messages' })
    await response.text()
    return response.status
  }
  const revoke = () => server.json(`/v1/owner/grants/${grant_id}`, { method: 'DELETE' })
  return { server, read, call, ask, revoke }
}

/** The queries that `work` runs in the calling thread, each by its first table. */
async function queriesOf({ store }: TestServer, work: () => Promise<unknown>): Promise<string[]> {
  const tables: string[] = []
  const { database } = store
  const watched =
    (query: Database['get'] | Database['all']) =>
    (sql: string, ...rest: unknown[]) => {
      tables.push(/\bFROM (\w+)/.exec(sql)?.[1] ?? sql)
      return (query as (...args: unknown[]) => unknown).call(database, sql, ...rest)
    }
  Object.assign(database, { get: watched(database.get), all: watched(database.all) })
  try {
    await work()
  } finally {
    delete (database as Partial<Database>).get
    delete (database as Partial<Database>).all
  }
  return tables
}

onEachEngine('RS-3 a revoked token starts no work after the request that was refused', async engine => {
  const { server, read, ask, revoke } = await start(engine)
  await using _ = server
  assert.deepEqual([await read(), await read(), await ask(), await ask()], [200, 200, 200, 200])
  await revoke()
  assert.equal(await read(), 403)
  assert.deepEqual(
    await queriesOf(server, async () => {
      assert.equal(await read(), 403)
      assert.equal(await ask(), 401)
    }),
    ['tokens', 'tokens'],
  )
  assert.deepEqual(server.failures, [])
})

onEachEngine('RS-3 a token whose state cannot be read starts no work at the next request', async engine => {
  const { server, read } = await start(engine)
  await using _ = server
  assert.deepEqual([await read(), await read()], [200, 200])
  const database: Partial<Database> = server.store.database
  const { all } = server.store.database
  database.all = async (sql: string, ...rest) => {
    if (/\bFROM tokens\b/.test(sql)) throw new Error('the database is away')
    return all.call(database as Database, sql, ...rest) as never
  }
  Object.defineProperty(database, 'changes', { value: null, configurable: true })
  try {
    assert.equal(await read(), 500)
    const meanwhile = await queriesOf(server, async () => assert.equal(await read(), 500))
    assert.deepEqual(meanwhile, ['tokens'])
  } finally {
    delete database.all
    delete (database as { changes?: number | null }).changes
  }
})

onEachEngine('HO-2 a call of /mcp reads its token once', async engine => {
  const { server, call, ask } = await start(engine)
  await using _ = server
  await ask()
  const [id] = (await server.json(LIST)).body.data.map(
    (each: { connection_id: string }) => each.connection_id,
  )
  // After a change, the state is not cached on either engine.
  await server.ingest('messages', id, [message('b', { body: 'A heron' })])
  const tables = await queriesOf(server, async () => {
    const response = await call('fetch', { id: `${id}/messages:a` })
    assert.match(await response.text(), /A pelican/)
  })
  assert.equal(tables.filter(table => table === 'tokens').length, 1, tables.join(' '))
})

onEachEngine('the ledger names the request of /mcp by the id of its response', async engine => {
  const { server, call } = await start(engine)
  await using _ = server
  const response = await call('search', { query: 'pelican' })
  assert.match(await response.text(), /pelican/)
  const [entry] = (await server.json('/v1/owner/disclosures')).body.data
  assert.equal(entry.request_id, response.headers.get('Request-Id'))
  assert.equal(entry.route, 'GET /v1/search')
})

test('when the token cache is full, the least recently used token is evicted', async () => {
  const tokenOf = (n: number) => `fnc_oowner_${String(n).padStart(43, '0')}`
  const database = {
    all: async () => [{ kind: 'owner', token_expires_at: null, catalog_seq: 1 }],
  } as unknown as Database
  const catalog = async () => ({ connections: [], declaration: () => undefined })
  const authorizer = new Authorizer({
    store: {
      database,
      catalog,
      tokens: { resolve: (token: string, now: Date) => resolveToken(database, token, now) },
    },
    rateLimit: null,
    clock: () => new Date(),
  } as unknown as Environment)
  const asked = (n: number) => new Request(PUBLIC_URL, { headers: { Authorization: `Bearer ${tokenOf(n)}` } })
  const use = (n: number) =>
    authorizer.run(
      { request: asked(n), now: new Date() },
      { access: 'client or owner' },
      async () => empty(204),
      async reply => reply,
    )
  for (let n = 0; n < 1_000; n++) await use(n)
  await use(0)
  await use(1_000)
  const known = [0, 1, 2, 1_000].map(n => authorizer.begin(asked(n))?.known !== undefined)
  assert.deepEqual(known, [true, false, true, true])
})
