import assert from 'node:assert/strict'
import { indexVersion } from '../src/model/search/index-version.ts'
import { readCatalog } from '../src/store/records/catalog.ts'
import { footnote, placeFlags } from './command-line.ts'
import { onEachEngine, TestServer, writable } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'

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
    await writable(server.store).run(`UPDATE search_state SET version = 'older'`)
    await server.store.refreshIndexes()
    assert.equal(await rows(), before)
    const [hit] = (await server.json(`/v1/search?q=walrus&record=${connection}/messages:long`)).body.data
    assert.equal(hit.match_windows[0].start_chars, 24_000)
    const unsearched = { ...messages, query: { ...query, search: { lexical_fields: [] } } }
    const last = { ...next, declaration_version: '1.2.0', streams: [unsearched, notes] }
    assert.equal((await server.post('/v1/owner/declarations', last)).status, 201)
    await server.store.refreshIndexes()
    assert.equal(await rows(), 0, 'a stream without searched fields has no rows, old or new')
    assert.equal((await server.json(`/v1/owner/connections/${connection}`, { method: 'DELETE' })).status, 204)
    assert.equal(await rows(), 0)
    assert.equal(await found('walrus'), 0)
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine(
  'EV-8 RS-5 while an index is rebuilt, search finds what is done and says that it is incomplete',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const lines = Array.from({ length: 450 }, (_, i) => message(`m${i}`, { body: `walrus ${i}` }))
    await server.ingest('messages', connection, lines)
    const database = writable(server.store)
    const { owner_id, writer } = server.store
    // The state that an older analyzer leaves: words that are no longer found.
    await database.run('DELETE FROM token_index')
    await database.run(`UPDATE search_state SET version = 'older'`)
    const stream = (await readCatalog(database, owner_id)).connections[0]?.declaration.streams[0]
    assert.ok(stream)
    assert.equal(
      await writer.call('rebuildIndexPart', { owner_id, connection_id: connection, stream }),
      false,
    )

    const path = '/v1/search?q=walrus&limit=1'
    const told = async (token?: string, asked = path) => {
      const { body } = await server.json(asked, token === undefined ? {} : { token })
      const warnings = (body.meta?.warnings ?? []) as { code: string; detail?: unknown }[]
      return warnings.map(({ code, detail }) => ({ code, detail }))
    }
    const rebuilding = [{ code: 'index_rebuilding', detail: { streams: ['messages'] } }]
    const first = (await server.json(path)).body
    assert.deepEqual([first.meta.count, first.data[0].match_windows[0].text.slice(0, 6)], [200, 'walrus'])
    assert.deepEqual(await told(), rebuilding)
    assert.deepEqual(
      await told(undefined, '/v1/streams/messages/aggregate?metric=count&q=walrus'),
      rebuilding,
    )
    const unknown = [{ code: 'words_unknown', detail: { words: ['walrus'] } }]
    assert.deepEqual(await told(undefined, '/v1/search?q=walrus&streams=notes'), unknown)
    assert.deepEqual(await told(undefined, '/v1/search?q=narwhal'), rebuilding)

    const rebuilt = async (token?: string) => {
      const { body } = await server.json('/v1/schema?stream=messages', token === undefined ? {} : { token })
      return body.streams[0].connections[0].index_rebuild
    }
    assert.deepEqual(await rebuilt(), { done: 200, all: 450 })
    const all = await server.grant({ connections: [connection] })
    assert.deepEqual([await told(all), await rebuilt(all)], [rebuilding, undefined])
    // A reader who sees none of the records does not learn that there are any.
    const none = await server.grant({ connections: [connection], since: '2026-02-01T00:00:00Z' })
    assert.deepEqual(await told(none), unknown)
    await using client = await McpTestClient.connect(server, all)
    assert.match((await client.call('search', { query: 'walrus' })).text, /The search index is being rebuilt/)
    const { stdout } = await footnote(['doctor', '--port', '0', ...placeFlags(server.location)])
    assert.match(stdout, new RegExp(`${connection}/messages \\(200 of 450 records are rebuilt\\)`))

    // An index that only lacks some fields is complete for a reader who may not see them.
    const lacking = (await database.get<{ version: string }>('SELECT version FROM search_state'))?.version
    const built = indexVersion(stream).replace('"body",', '')
    await database.run('UPDATE search_state SET version = ?', [built])
    const narrow = await server.grant({ connections: [connection], fields: ['id', 'subject', 'received_at'] })
    assert.deepEqual([await told(narrow), await told(all)], [unknown, rebuilding])
    await database.run('UPDATE search_state SET version = ?', [lacking ?? ''])

    await server.store.refreshIndexes()
    const last = (await server.json(path)).body
    assert.deepEqual([last.meta.count, await told(), await rebuilt()], [450, [], undefined])
    assert.deepEqual(server.failures, [])
  },
)
