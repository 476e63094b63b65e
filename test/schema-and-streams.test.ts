import assert from 'node:assert/strict'
import { sourceIdOf } from '../src/model/declaration/declaration.ts'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message, SELECTABLE, source } from './mailbox.ts'
import { TRAIL_LOG } from './trail-log.ts'
import { Transcript } from './transcript.ts'

const AT = '2026-02-02T00:00:00Z'
type Stream = Record<string, unknown> & { stream: string; fields: Record<string, string> }

onEachEngine('RS-5 the schema shows only what is granted', async engine => {
  await using server = await TestServer.start(engine)
  const transcript = new Transcript('schema', engine)
  const [work, home] = [await server.connect(MAILBOX, 'Work'), await server.connect(MAILBOX, 'Home')]
  transcript.name(work, 'WORK')
  transcript.name(home, 'HOME')
  const get = async (path: string, token = server.ownerToken) =>
    transcript.note(path, await server.json(path, { token }))
  const named = { work: { connection_id: work, connector_key: 'mailbox', display_name: 'Work' } }

  const whole = await get(`/v1/schema?connection_id=${work}`)
  assert.deepEqual([whole.body.object, whole.body.view], ['schema', 'full'])
  const [messages, notes] = whole.body.streams
  assert.equal(notes.stream, 'notes')
  assert.deepEqual(messages.schema.properties, MAILBOX.streams[0]?.schema.properties)
  assert.deepEqual(messages.connections, [named.work])
  assert.deepEqual(messages.bounds, [])
  assert.deepEqual(messages.query, MAILBOX.streams[0]?.query)
  const both = await server.json('/v1/schema?stream=messages')
  assert.deepEqual(
    new Set(both.body.streams[0].connections.map((item: { connection_id: string }) => item.connection_id)),
    new Set([work, home]),
  )

  const compact = await get(`/v1/schema?view=compact&stream=messages&connection_id=${work}`)
  const [lean] = compact.body.streams as [Stream]
  assert.deepEqual(lean.fields, {
    id: 't=string eq',
    subject: 't=string|null primary-title eq lex',
    body: 't=string|null m=text/plain eq lex',
    from: 't=string actor eq lex a=group_by,count_distinct',
    size: 't=integer|null eq r=gte,gt,lte,lt a=sum,min,max',
    parts: 't=array',
    secret: 't=string|null eq',
    received_at: 't=string f=date-time event-time eq r=gte,gt,lte,lt a=group_by_time,min,max',
  })
  assert.ok(!('schema' in lean) && !('query' in lean))

  const token = await server.grant({
    connections: [work],
    fields: ['subject', 'size'],
    since: '2026-01-01',
    until: '2026-03-01T12:00:00+02:00',
  })
  for (const view of ['full', 'compact']) {
    const answer = await get(`/v1/schema?view=${view}`, token)
    assert.equal(answer.body.streams.length, 1)
    const [only] = answer.body.streams
    assert.deepEqual(only.bounds, [
      { since: '2026-01-01T00:00:00Z', until: '2026-03-01T10:00:00Z', records: null },
    ])
    assert.deepEqual([only.primary_key, only.cursor_field, only.consent_time_field], [['id'], null, null])
    const text = JSON.stringify({ ...only, bounds: [], detail: '' })
    for (const hidden of ['secret', 'body', 'received_at', 'from', 'parts', 'envelope', home, 'notes']) {
      assert.ok(!text.includes(hidden), `${hidden} in ${text}`)
    }
  }
  assert.deepEqual(Object.keys((await get('/v1/schema?view=compact', token)).body.streams[0].fields), [
    'id',
    'subject',
    'size',
  ])
  const few = await server.grant({ records: ['messages:a', 'messages:b'], connections: [work] })
  assert.deepEqual((await get('/v1/schema', few)).body.streams[0].bounds, [
    { since: null, until: null, records: 2 },
  ])

  for (const [path, with_, expected] of [
    ['/v1/schema?stream=notes', token, [403, 'grant_stream_not_allowed']],
    ['/v1/schema?stream=never', token, [403, 'grant_stream_not_allowed']],
    ['/v1/schema?stream=never', server.ownerToken, [404, 'not_found']],
    [`/v1/schema?connection_id=${home}`, token, [404, 'connection_not_found']],
    ['/v1/schema?connection_id=cin_never', server.ownerToken, [404, 'connection_not_found']],
    ['/v1/schema?view=tiny', token, [400, 'invalid_request']],
    ['/v1/schema?fields=id', token, [400, 'invalid_request']],
    ['/v1/streams?limit=1', token, [400, 'invalid_request']],
    ['/v1/streams/notes', token, [403, 'grant_stream_not_allowed']],
    ['/v1/streams/never', server.ownerToken, [404, 'not_found']],
    [`/v1/streams/messages?connection_id=${home}`, token, [404, 'connection_not_found']],
  ] as [string, string, [number, string]][]) {
    const { status, body } = await get(path, with_)
    assert.deepEqual([status, body.error?.code], expected, path)
  }

  transcript.compare()
  assert.deepEqual(server.failures, [])
})

onEachEngine(
  'RS-5 fields named like built-in properties of JavaScript objects work like any other',
  async engine => {
    await using server = await TestServer.start(engine)
    const transcript = new Transcript('odd fields', engine)
    const get = async (path: string, token = server.ownerToken) =>
      transcript.note(path, await server.json(path, { token }))
    const odd = ['constructor', 'toString', '__proto__', 'valueOf', 'hasOwnProperty', 'a/b', '', 'a,b', '漢']
    const declaration = {
      ...source('odd', 'Odd'),
      streams: [
        { name: 'odd', ...SELECTABLE, schema: { type: 'object', properties: {} }, primary_key: ['id'] },
      ],
    }
    const properties = ['id', ...odd].map(name => `${JSON.stringify(name)}:{"type":"string"}`).join()
    const text = JSON.stringify(declaration).replace('"properties":{}', `"properties":{${properties}}`)
    const registered = await server.post('/v1/owner/declarations', text)
    assert.equal(registered.status, 201, JSON.stringify(registered.body))
    const made = await server.post('/v1/owner/connections', {
      source_id: declaration.source.id,
      display_name: 'Odd',
    })
    const odds = made.body.connection_id
    transcript.name(odds, 'ODD')
    const values = odd.map(name => `${JSON.stringify(name)}:"v"`).join()
    const outcome = await server.ingest(
      'odd',
      odds,
      [`{"data":{"id":"1",${values}}}`, '{"data":{"id":"2"}}'].join('\n'),
    )
    assert.equal(outcome.body.added, 2, JSON.stringify(outcome.body))
    const view = await get('/v1/schema?view=compact&stream=odd')
    assert.deepEqual(Object.keys(view.body.streams[0].fields), ['id', ...odd])
    const client = await server.grant({ connections: [odds], fields: ['id', '__proto__', 'toString'] })
    const shown = await get('/v1/streams/odd/records/1', client)
    assert.deepEqual(Object.keys(shown.body.data).sort(), ['__proto__', 'id', 'toString'])
    assert.deepEqual((await get('/v1/streams/odd/records?where[__proto__]=v', client)).body.data.length, 1)
    assert.equal((await get('/v1/streams/odd/records?where[constructor]=v', client)).status, 403)
    assert.equal(
      (await get('/v1/streams/odd/records/1/field-window?field=__proto__', client)).body.window?.text,
      'v',
    )
    assert.equal((await get('/v1/streams/odd/records/1/field-window?field=constructor', client)).status, 403)
    const before = shown.headers.get('ETag')
    await server.ingest(
      'odd',
      odds,
      `{"data":{"id":"1",${values.replace('"__proto__":"v"', '"__proto__":"w"')}},"emitted_at":"${AT}"}`,
    )
    const after = await get('/v1/streams/odd/records/1', client)
    assert.notEqual(after.headers.get('ETag'), before)
    assert.equal(after.body.emitted_at, AT)
    transcript.compare()
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine('RS-5 counts and dates of streams cover only what can be read', async engine => {
  await using server = await TestServer.start(engine)
  const [work, home] = [await server.connect(MAILBOX, 'Work'), await server.connect(MAILBOX, 'Home')]
  const at = (n: number) => `2026-06-0${n}T00:00:00Z`
  await server.ingest('messages', work, [
    { ...message('a', { received_at: '2026-01-01T00:00:00Z' }), emitted_at: at(1) },
    { ...message('b', { received_at: '2026-01-01T12:00:00Z' }), emitted_at: at(2) },
    { ...message('c', { received_at: '2026-01-02T00:00:00Z' }), emitted_at: at(3) },
  ])
  await server.ingest('messages', home, [{ ...message('h'), emitted_at: '2026-06-03T00:00:00.500Z' }])
  await server.ingest('messages', work, [
    { ...message('a', { received_at: '2026-01-01T00:00:00Z', secret: 'x' }), emitted_at: at(5) },
    { op: 'delete', key: 'never', emitted_at: at(6) },
  ])
  const listed = async (token = server.ownerToken) => {
    const list = await server.json('/v1/streams', { token })
    return list.body.data.find((stream: { name: string }) => stream.name === 'messages')
  }
  const look = async (token = server.ownerToken) => {
    const { record_count, last_updated } = await listed(token)
    return [record_count, last_updated]
  }
  assert.deepEqual(await look(), [4, at(5)])
  assert.deepEqual(await look(await server.grant({ connections: [home] })), [1, '2026-06-03T00:00:00.5Z'])
  assert.deepEqual(await look(await server.grant()), [4, at(5)])
  // The newest of several dates, also when one of them has a fraction of a second.
  assert.deepEqual(await look(await server.grant({ fields: ['id', 'subject', 'received_at'] })), [
    4,
    '2026-06-03T00:00:00.5Z',
  ])
  assert.deepEqual(await look(await server.grant({ connections: [work], fields: ['id'] })), [3, at(3)])
  const timed = (since: string | null, until: string | null) =>
    server.grant({ connections: [work], fields: ['id'], ...(since && { since }), ...(until && { until }) })
  assert.deepEqual(await look(await timed('2026-01-01', '2026-01-02')), [2, at(2)])
  assert.deepEqual(await look(await timed('2026-01-01T00:00:00.001Z', '2026-01-02T00:00:00.001Z')), [
    2,
    at(3),
  ])
  assert.deepEqual(await look(await timed(null, '2026-01-01T12:00:00Z')), [1, at(1)])
  assert.deepEqual(await look(await timed('2026-01-01T12:00:00Z', null)), [2, at(3)])
  assert.deepEqual(await look(await timed('2026-01-01T06:00:00Z', '2026-01-01T18:00:00Z')), [1, at(2)])
  assert.deepEqual(await look(await timed('2027-01-01', null)), [0, null])
  assert.deepEqual(await look(await timed('2026-01-02', '2026-01-01')), [0, null])
  assert.deepEqual(await look(await server.grant({ records: ['messages:b', 'messages:h', 'messages:zz'] })), [
    2,
    '2026-06-03T00:00:00.5Z',
  ])
  await server.ingest('messages', work, [{ op: 'delete', key: 'c', emitted_at: at(7) }])
  assert.deepEqual(await look(await server.grant({ connections: [work], fields: ['id'] })), [2, at(2)])
  const messages = await listed()
  assert.deepEqual(
    messages.connections
      .map((item: { display_name: string; record_count: number }) => [item.display_name, item.record_count])
      .sort(),
    [
      ['Home', 1],
      ['Work', 2],
    ],
  )
  assert.deepEqual([messages.label, messages.detail], ['Your e-mail', 'Sender, subject, date and text.'])
  const names = (await server.json('/v1/streams')).body.data.map((stream: { name: string }) => stream.name)
  assert.deepEqual(names.sort(), ['messages', 'notes'])
  const onlyNotes = await server.grant({ streams: ['notes'] })
  assert.equal((await server.json('/v1/streams', { token: onlyNotes })).body.data.length, 1)
  assert.deepEqual(server.failures, [])
})

onEachEngine('a stream is described as it was declared, whatever the grant covers', async engine => {
  await using server = await TestServer.start(engine)
  await server.connect(TRAIL_LOG)
  const [hikes] = TRAIL_LOG.streams
  const { name, display, semantics, schema, primary_key, cursor_field, consent_time_field } = hikes ?? {}
  const { selection, query, views, relationships } = hikes ?? {}
  const narrow = await server.grant({ streams: ['hikes'], fields: ['distance_km'] })
  for (const token of [server.ownerToken, narrow]) {
    const { body } = await server.json('/v1/streams/hikes', { token })
    assert.deepEqual(body, {
      object: 'stream_metadata',
      name,
      source: TRAIL_LOG.source,
      declaration_version: TRAIL_LOG.declaration_version,
      display,
      semantics,
      schema,
      primary_key,
      cursor_field,
      consent_time_field,
      selection,
      query,
      views,
      relationships,
      freshness: { captured_at: null, last_attempted_at: null, status: 'unknown' },
    })
  }
  const later = { ...TRAIL_LOG, declaration_version: 'later', display: { name: 'Later' } }
  await server.post('/v1/owner/declarations', later)
  const version = async (token: string) =>
    (await server.json('/v1/streams/hikes', { token })).body.declaration_version
  assert.equal(await version(server.ownerToken), 'later')
  assert.equal(await version(narrow), TRAIL_LOG.declaration_version)

  // The columns of the owner's own table are personal data: a grant shows only those that it covers.
  const table = { ...TRAIL_LOG, source: { kind: 'connector', id: sourceIdOf('table-abc') } }
  const rows = await server.connect(table)
  const some = await server.grant({ connections: [rows], streams: ['hikes'], fields: ['distance_km'] })
  const whole = await server.json(`/v1/streams/hikes?connection_id=${rows}`)
  assert.deepEqual(whole.body.schema, schema)
  const shown = await server.json('/v1/streams/hikes', { token: some })
  assert.deepEqual(Object.keys(shown.body.schema.properties), ['id', 'started_at', 'distance_km'])
  assert.doesNotMatch(JSON.stringify(shown.body), /edited_at|"notes"/)
  const asked = async (token: string, field: string) =>
    (await server.json(`/v1/streams/hikes/records?fields=${field}`, { token })).body.error.code
  assert.equal(await asked(some, 'notes'), 'field_not_granted')
  assert.equal(await asked(some, 'never'), 'field_not_granted')
  assert.equal(await asked(narrow, 'notes'), 'field_not_granted')
  assert.equal(await asked(narrow, 'never'), 'unknown_field')
  assert.deepEqual(server.failures, [])
})

onEachEngine('a stream that is declared with numbers beyond a double can be read', async engine => {
  await using server = await TestServer.start(engine)
  const large = JSON.stringify(MAILBOX)
    .replace('"size":{', '"size":{"maximum":18446744073709551615,"default":9007199254740993,')
    .replace('"declaration_version":"', '"declaration_version":"large ')
  assert.match(large, /18446744073709551615/)
  const register = () => server.post('/v1/owner/declarations', large)
  assert.deepEqual([(await register()).status, (await register()).status], [201, 200])
  const { body } = await server.post('/v1/owner/connections', { source_id: MAILBOX.source.id })
  await server.ingest('messages', body.connection_id, [message('m1', { size: 7 })])
  const { body: streams } = await server.json('/v1/streams')
  assert.equal(streams.data[0].record_count, 1)
})
