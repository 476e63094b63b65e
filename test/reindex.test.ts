import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

onEachEngine(
  'EV-8 an index made by another analyzer or for other fields is rebuilt, resuming where it stopped',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const lines = Array.from({ length: 450 }, (_, i) =>
      message(`m${i}`, { body: `walrus ${i}`, secret: `ocelot ${i}` }),
    )
    lines.push(
      message('long', { body: `${'pad '.repeat(6_000)}walrus ${'pad '.repeat(6_000)}`, secret: 'ocelot' }),
    )
    await server.ingest('messages', connection, lines)
    const found = async (q: string) => (await server.json(`/v1/search?limit=100&q=${q}`)).body.data.length
    assert.deepEqual([await found('walrus'), await found('ocelot')], [100, 0])

    const [messages, notes] = MAILBOX.streams
    const query = { ...messages?.query, search: { lexical_fields: ['subject', 'body', 'from', 'secret'] } }
    const next = { ...MAILBOX, declaration_version: '1.1.0', streams: [{ ...messages, query }, notes] }
    assert.equal((await server.post('/v1/owner/declarations', next)).status, 201)
    await server.store.refreshIndexes()
    assert.equal(await found('ocelot'), 100)
    const state = await server.store.database.all<{ rebuilt_to: string | null }>(
      'SELECT rebuilt_to FROM search_state',
    )
    assert.deepEqual(
      state.map(row => row.rebuilt_to),
      [null],
    )

    const rows = async () =>
      (await server.store.database.get<{ n: number }>('SELECT count(*) AS n FROM search_rows'))?.n
    const before = await rows()
    await server.store.database.run(`UPDATE search_state SET version = 'older'`)
    await server.store.refreshIndexes()
    assert.equal(await rows(), before)
    const [hit] = (await server.json(`/v1/search?q=walrus&record=${connection}/messages:long`)).body.data
    assert.equal(hit.match_windows[0].start_chars, 24_000)
    assert.equal((await server.json(`/v1/owner/connections/${connection}`, { method: 'DELETE' })).status, 204)
    assert.equal(await rows(), 0)
    assert.equal(await found('walrus'), 0)
    assert.deepEqual(server.failures, [])
  },
)
