import assert from 'node:assert/strict'
import { type Answer, type Engine, onEachEngine, onEitherEngine, TestServer } from './engines.ts'
import { byTime, source, stream } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'

const TEXT = { type: ['string', 'null'] }

function papers(name: string, own: Record<string, unknown> | null) {
  return stream(
    name,
    {
      text: { ...TEXT, x_pdpp_role: 'primary-text' },
      role: TEXT,
      is_from_me: { type: ['boolean', 'null'] },
      writer: { ...TEXT, x_pdpp_role: 'actor' },
      readers: { type: ['array', 'null'], items: { type: 'string' }, x_pdpp_role: 'recipient' },
      at: { ...TEXT, format: 'date-time', x_pdpp_role: 'event-time' },
    },
    {
      ...byTime('at'),
      query: { search: { lexical_fields: ['text'] }, aggregations: { count: true, group_by: ['writer'] } },
      schema: { ...(own ? { x_pdpp_own: own } : {}) },
    },
  )
}

/** By a text and a flag, by one of two values, every record, and a stream that does not say what is the owner's. */
const PAPERS = {
  ...source('papers'),
  streams: [
    papers('talks', { role: 'user', is_from_me: true }),
    papers('posts', { role: ['post', 'reply'] }),
    papers('diary', {}),
    papers('letters', null),
  ],
}

const line = (id: string, role: string | null, is_from_me: boolean | null, writer: string, day: number) => ({
  data: { id, text: `heron ${id}`, role, is_from_me, writer, at: `2015-08-0${day}T12:00:00Z` },
})

async function world(engine: Engine) {
  const server = await TestServer.start(engine)
  const connection = await server.connect(PAPERS)
  await server.ingest('talks', connection, [
    line('t1', 'user', true, 'user', 1),
    line('t2', 'user', false, 'user', 2),
    line('t3', 'assistant', true, 'assistant', 3),
    line('t4', 'user', null, 'user', 3),
  ])
  await server.ingest('posts', connection, [
    line('p1', 'reply', null, 'me', 4),
    line('p2', 'like', null, 'me', 5),
  ])
  await server.ingest('diary', connection, [line('d1', null, null, 'Hedda', 6)])
  await server.ingest('letters', connection, [line('l1', null, null, 'Me', 7)])
  return { server, connection }
}

// biome-ignore lint/suspicious/noExplicitAny: records and hits name their ids differently
const idsOf = ({ body }: Answer) => body.data.map((each: any) => each.record_key ?? each.id).sort()

onEitherEngine(
  'AN-3 AN-4: me is the owner in every stream that declares which records are theirs',
  async engine => {
    const { server } = await world(engine)
    await using _ = server
    for (const path of [
      '/v1/records?from=me',
      '/v1/records?person=Me',
      '/v1/records?with=myself',
      '/v1/search?q=from:me',
      '/v1/search?q=heron&from=the%20owner',
      '/v1/search?q=heron%20from:me&sort=newest',
    ]) {
      const answer = await server.json(path)
      assert.deepEqual(idsOf(answer), ['d1', 'p1', 't1'], path)
      assert.match(
        answer.body.meta.warnings.map((each: { message: string }) => each.message).join(),
        /1 readable stream has no mark of what the owner wrote, so nothing in it can match\./,
        path,
      )
    }
    const figure = await server.json('/v1/streams/talks/aggregate?from=me')
    assert.equal(figure.body.value, 1)
    assert.deepEqual(idsOf(await server.json('/v1/records?from=hedda')), ['d1'], 'names are still names')
    const none = await server.json('/v1/search?q=heron%20from:me&streams=letters')
    assert.deepEqual(idsOf(none), [])
    assert.match(none.body.meta.warnings[0].message, /^No readable stream has a mark of what the owner wrote/)
    const { body } = await server.json('/v1/schema?view=full&stream=talks')
    assert.deepEqual(body.streams[0].schema.x_pdpp_own, { role: 'user', is_from_me: true })
  },
)

onEachEngine('AN-4: me is whoever has one of the names that the owner entered', async engine => {
  const ownNames = ['Hedda Gable', 'gable@example.org']
  await using server = await TestServer.start(engine, { ownNames })
  const connection = await server.connect(PAPERS)
  await server.ingest('talks', connection, [line('t1', 'user', true, 'user', 1)])
  const letter = (id: string, writer: string, readers: string[]) => ({
    data: { ...line(id, null, null, writer, 7).data, readers },
  })
  await server.ingest('letters', connection, [
    letter('l1', 'Hedda Gable <h@example.com>', ['Ole', 'Mr Gable']),
    letter('l2', 'GABLE@example.org', ['Ole']),
    letter('l3', 'Hedda Other', ['Ole', 'Hedda Gáble']),
  ])
  for (const [path, expected] of [
    ['/v1/records?from=me', ['l1', 'l2', 't1']],
    ['/v1/search?q=heron%20from:me', ['l1', 'l2', 't1']],
    ['/v1/search?q=from:me&sort=oldest', ['l1', 'l2', 't1']],
    ['/v1/search?q=heron&with=me', ['l1', 'l2', 'l3', 't1']],
    ['/v1/records?to=me', ['l3']],
    ['/v1/search?q=heron%20to:me', ['l3']],
    ['/v1/records?to=Ole&from=me', ['l1', 'l2']],
  ] as const)
    assert.deepEqual(idsOf(await server.json(path)), expected, path)
  const hidden = await server.grant({
    connections: [connection],
    streams: ['letters'],
    fields: ['id', 'text'],
  })
  const { status, body } = await server.json('/v1/records?from=me', { token: hidden })
  assert.deepEqual([status, body.error?.code], [403, 'field_not_granted'])
})

onEitherEngine(
  'AN-6: a stream takes part in from:me only if every field that decides is granted',
  async engine => {
    const { server, connection } = await world(engine)
    await using _ = server
    const grant = (streams: string[], fields: string[]) =>
      server.grant({ connections: [connection], streams, fields })
    const open = await grant(['talks'], ['id', 'text', 'role', 'is_from_me', 'at'])
    assert.deepEqual(idsOf(await server.json('/v1/search?q=heron%20from:me', { token: open })), ['t1'])
    const half = await grant(['talks'], ['id', 'text', 'role', 'writer', 'at'])
    for (const path of ['/v1/search?q=heron%20from:me', '/v1/records?person=me'])
      assert.equal((await server.json(path, { token: half })).body.error.code, 'field_not_granted', path)
    const { body } = await server.json('/v1/schema?view=full', { token: half })
    assert.equal(body.streams[0].schema.x_pdpp_own, undefined)
    const both = await grant(['talks', 'posts'], ['id', 'text', 'role', 'at'])
    const part = await server.json('/v1/search?q=heron%20from:me', { token: both })
    assert.deepEqual([idsOf(part), part.body.meta.warnings[0].param], [['p1'], 'from'])
    const ledger = await server.json('/v1/owner/disclosures')
    assert.ok(JSON.stringify(ledger.body.data).includes('"role"'), 'the ledger names the field that decided')
  },
)

onEitherEngine('AN-6: a grant of an older version of a declaration has its own answer', async engine => {
  await using server = await TestServer.start(engine)
  const old = { ...PAPERS, streams: [papers('talks', null)] }
  const connection = await server.connect(old)
  await server.ingest('talks', connection, [line('t1', 'user', true, 'user', 1)])
  const token = await server.grant({ connections: [connection], streams: ['talks'] })
  const newer = { ...PAPERS, declaration_version: '2', streams: [papers('talks', { role: 'user' })] }
  assert.equal((await server.post('/v1/owner/declarations', newer)).status, 201)
  assert.deepEqual(idsOf(await server.json('/v1/records?from=me')), ['t1'])
  const before = await server.json('/v1/records?from=me', { token })
  assert.deepEqual([before.status, idsOf(before)], [200, []])
})

onEitherEngine('AN-3 AN-60: a model asks for what the owner wrote', async engine => {
  const { server, connection } = await world(engine)
  await using _ = server
  await using client = await McpTestClient.connect(server, await server.grant({ connections: [connection] }))
  for (const args of [{ query: 'heron from:me' }, { query: 'heron', person: 'me' }]) {
    const { text, structured } = await client.call('search', args)
    assert.deepEqual(structured.data.data.map((hit: { record_key: string }) => hit.record_key).sort(), [
      'd1',
      'p1',
      't1',
    ])
    assert.match(text, /no mark of what the owner wrote/)
  }
  const { text } = await client.call('aggregate', { person: 'me' })
  assert.match(text, /3/)
})
