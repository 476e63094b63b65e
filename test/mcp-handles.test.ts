import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOOLS } from '../src/mcp/tools.ts'
import { recordUri } from '../src/model/ids/handle.ts'
import { type Engine, onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { bytes, ERAS, idsIn, McpTestClient } from './mcp-client.ts'

async function twoMailboxes(engine: Engine) {
  const server = await TestServer.start(engine)
  const work = await server.connect(MAILBOX, 'Work mail')
  const home = await server.connect(MAILBOX, 'Home mail')
  for (const connection of [work, home]) {
    await server.ingest('messages', connection, [message('o1', { body: `albatross of ${connection}` })])
  }
  return { server, work, home, token: await server.grant() }
}

onEitherEngine('ID-4 ID-13 ID-14 the id read from search text alone is enough for fetch', async engine => {
  await using world = (await twoMailboxes(engine)).server
  const [work, home] = (await world.json('/v1/owner/connections')).body.data.map(
    (each: { connection_id: string }) => each.connection_id,
  )
  const token = await world.grant()
  for (const era of ERAS) {
    await using client = await McpTestClient.connect(world, token, era)
    const { text } = await client.call('search', { query: 'albatross' })
    assert.match(text, /ids as shown, also to fetch/)
    const ids = idsIn(text)
    assert.deepEqual([...ids].sort(), [`${work}/messages:o1`, `${home}/messages:o1`].sort())
    for (const id of ids) {
      client.requests.length = 0
      const { structured } = await client.call('fetch', { id })
      assert.equal(structured.id, id)
      assert.match(structured.text, new RegExp(`albatross of ${id.split('/')[0]}`))
      const record = client.requests.find(url => url.pathname === '/v1/streams/messages/records/o1')
      assert.equal(record?.searchParams.get('connection_id'), id.split('/')[0])
    }
  }
})

onEitherEngine(
  'ID-5 ID-6 a legacy id may be scoped; a conflicting connection is refused without a request',
  async engine => {
    const { server, work, home, token } = await twoMailboxes(engine)
    await using world = server
    await using client = await McpTestClient.connect(world, token)
    const ambiguous = await client.refused('fetch', { id: 'messages:o1' })
    assert.equal(ambiguous.code, 'ambiguous_connection')
    assert.equal(ambiguous.status, 409)
    assert.match(ambiguous.request_id, /^req_/)
    assert.deepEqual(
      ambiguous.available_connections.map((each: { connection_id: string }) => each.connection_id).sort(),
      [work, home].sort(),
    )
    const scoped = await client.call('fetch', { id: 'messages:o1', connection_id: work })
    assert.equal(scoped.structured.id, `${work}/messages:o1`)
    const equal = await client.call('fetch', { id: `${work}/messages:o1`, connection_id: work })
    assert.equal(equal.structured.id, `${work}/messages:o1`)
    const window = { id: 'messages:o1', connection_id: home, field_path: 'body' }
    assert.equal((await client.call('read_record_field', window)).structured.record.id, `${home}/messages:o1`)
    client.requests.length = 0
    for (const [tool, more] of [
      ['fetch', {}],
      ['read_record_field', { field_path: 'body' }],
      ['search', { query: 'albatross' }],
    ] as const) {
      const named = tool === 'search' ? { within: `${work}/messages:o1` } : { id: `${work}/messages:o1` }
      const error = await client.refused(tool, { ...named, connection_id: home, ...more })
      assert.equal(error.code, 'conflicting_connection_id')
      assert.ok(error.message.includes(work) && error.message.includes(home))
    }
    assert.deepEqual(client.requests, [])
  },
)

test('ID-7 a malformed id is refused by every tool that takes one, without a request', async () => {
  const { server, token } = await twoMailboxes('sqlite')
  await using world = server
  await using client = await McpTestClient.connect(world, token)
  client.requests.length = 0
  for (const tool of ['fetch', 'read_record_field'])
    assert.equal((await client.refused(tool, { id: '', field_path: 'body' })).code, 'invalid_request')
  for (const id of [
    '/',
    'a/b',
    'a/:b',
    '/s:r',
    'a/s:',
    'a/b/s:r',
    'a/s:..',
    '../s:r',
    'a\\b/s:r',
    'nothing',
  ]) {
    for (const [tool, args] of [
      ['fetch', { id }],
      ['read_record_field', { id, field_path: 'body' }],
      ['search', { query: 'x', within: id }],
    ] as const) {
      const error = await client.refused(tool, args)
      assert.equal(error.code, 'invalid_result_id', `${tool} ${id}`)
      assert.ok(error.segment && error.reason)
    }
  }
  assert.deepEqual(client.requests, [])
})

onEitherEngine(
  'ID-11 ID-12 a record whose id does not fit in a line of text is found, fetched and read by its URI',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const strange = ['a/b', 'line\nbreak', 'back\\slash', '..x..', 'right\u202Eleft']
    await server.ingest('messages', connection, [
      ...strange.map(id => message(id, { body: `heron of ${JSON.stringify(id)}` })),
      message('plain', { body: 'heron plain' }),
    ])
    await using client = await McpTestClient.connect(server, await server.grant())
    const { text, structured } = await client.call('search', { query: 'heron' })
    assert.equal(structured.results.length, strange.length + 1)
    for (const id of strange) {
      const uri = recordUri(connection, 'messages', id)
      assert.ok(idsIn(text).includes(uri), uri)
      assert.ok(structured.results.some((hit: { id: string }) => hit.id === uri))
      const fetched = await client.call('fetch', { id: uri })
      assert.equal(fetched.structured.metadata.record_id, id)
      const window = await client.call('read_record_field', { id: uri, field_path: 'body' })
      assert.equal(window.structured.window.text, `heron of ${JSON.stringify(id)}`)
      const within = await client.call('search', { query: 'heron', within: uri })
      assert.equal(within.structured.results.length, 1)
      assert.equal(JSON.parse((await client.read(uri)).contents[0].text).metadata.record_id, id)
    }
    const id = `${connection}/messages:plain`
    for (const uri of [
      recordUri(connection, 'messages', 'plain'),
      `pdpp://record/${encodeURIComponent(id)}`,
    ]) {
      assert.equal((await client.call('fetch', { id: uri })).structured.id, id)
      const window = await client.call('read_record_field', { id: uri, field_path: 'body' })
      assert.equal(window.structured.record.id, id)
      assert.ok(!window.text.includes('pdpp://'))
      assert.equal(JSON.parse((await client.read(uri)).contents[0].text).id, id)
    }
  },
)

test('ID-10 ids are complete in both channels; very long ones leave room for few, and the call in the text gets the rest', async () => {
  await using server = await TestServer.start('sqlite')
  const connection = await server.connect(MAILBOX)
  const ids = Array.from({ length: 8 }, (_, i) => `${i}-${'x"ü'.repeat(100)}`)
  await server.ingest(
    'messages',
    connection,
    ids.map(id => message(id, { body: 'the cormorant dives' })),
  )
  await using client = await McpTestClient.connect(server, await server.grant())
  const { text, structured } = await client.call('search', { query: 'cormorant' })
  assert.ok(Buffer.byteLength(text) <= 1_800, String(Buffer.byteLength(text)))
  const complete = new Set(ids.map(id => `${connection}/messages:${id}`))
  const shown = idsIn(text)
  assert.ok(shown.length > 0 && shown.every(id => complete.has(id)))
  const listed = structured.results.map((hit: { id: string }) => hit.id)
  assert.ok(listed.length > shown.length && listed.every((id: string) => complete.has(id)))
  // The page is as long as hosts can handle (BU-3); its cursor continues it.
  assert.ok(bytes(structured) <= 30_000)
  const rest = await client.call('search', { query: 'cormorant', cursor: structured.data.next_cursor })
  for (const { id } of rest.structured.results) listed.push(id)
  assert.deepEqual(new Set(listed), complete)
  const seen = new Set(shown)
  for (let next = moreOf(text); next !== null; ) {
    const page = await client.call('search', next)
    for (const id of idsIn(page.text)) seen.add(id)
    next = moreOf(page.text)
  }
  assert.deepEqual(seen, complete)
})

/** The call that a search text gives for hits that it does not show. */
function moreOf(text: string): Record<string, unknown> | null {
  const [, call] = /More: search (\{.*\})$/m.exec(text) ?? []
  return call === undefined ? null : JSON.parse(call)
}

test('HO-5 every tool only reads, and none is for connectors or the owner', () => {
  assert.deepEqual(
    TOOLS.map(({ name }) => name),
    ['schema', 'query_records', 'aggregate', 'search', 'fetch', 'read_record_field', 'read_conversation'],
  )
})
