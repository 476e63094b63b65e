import assert from 'node:assert/strict'
import type { Grant } from '../src/model/access/grant.ts'
import { type Answer, type Engine, onEachEngine, TestServer } from './engines.ts'
import { byTime, MAILBOX, message, source, stream } from './mailbox.ts'
import { TRAIL_LOG } from './trail-log.ts'

const LIST = '/v1/streams/messages/records'
const MINUTE = 60_000

async function start(engine: Engine) {
  const server = await TestServer.start(engine)
  const [work, home] = [await server.connect(MAILBOX, 'Work'), await server.connect(MAILBOX, 'Home')]
  for (const connection of [work, home]) {
    await server.ingest('messages', connection, [
      message('a', { body: 'A', secret: 'S', received_at: '2025-06-01T00:00:00Z' }),
      message('b', { body: 'B', secret: 'S', received_at: '2026-06-01T00:00:00Z' }),
      message('c', { body: 'C', secret: 'S', received_at: '2027-06-01T00:00:00Z' }),
    ])
    await server.ingest('notes', connection, [{ data: { id: 'n', text: 'N' } }])
  }
  const made = (request: object) => server.grants({ client_name: 'Test', ...request })
  const status = async (token: string, path = LIST) => (await server.json(path, { token })).status
  return { server, work, home, made, status }
}

function refusal({ status, body }: Answer): unknown[] {
  return [status, body.error?.code, body.error?.type]
}

onEachEngine('RS-2 HO-3 the grants of a token combine per record and never allow more', async engine => {
  const { server, work, home, made } = await start(engine)
  await using _ = server
  const envelope = await made({ connections: [work], streams: ['messages'], fields: ['id', 'subject'] })
  const recent = await made({
    connections: [work],
    streams: ['messages'],
    fields: ['id', 'body'],
    since: '2026-01-01',
    until: '2027-01-01',
  })
  const one = await made({ connections: [home], records: ['messages:c'], fields: ['id', 'secret'] })
  const token = await server.tokenFor(envelope, recent, one)
  const list = await server.json(`${LIST}?order=asc`, { token })
  const seen = new Map(
    list.body.data.map((record: { connection_id: string; id: string; data: object }) => [
      `${record.connection_id}/${record.id}`,
      Object.keys(record.data).sort(),
    ]),
  )
  assert.deepEqual(
    seen,
    new Map(
      [
        [`${work}/a`, ['id', 'subject']],
        [`${work}/b`, ['body', 'id', 'subject']],
        [`${work}/c`, ['id', 'subject']],
        [`${home}/c`, ['id', 'secret']],
      ].map(([key, fields]) => [key as string, fields as string[]]),
    ),
  )
  const ask = async (path: string) => {
    const { status, body } = await server.json(`/v1/streams/${path}`, { token })
    return status === 200 ? (body.window?.text ?? body.data?.length) : [status, body.error.code]
  }
  const count = async () => (await server.json('/v1/streams', { token })).body.data[0].record_count
  assert.equal(await ask(`messages/records/b/field-window?field=body`), 'B')
  assert.deepEqual(await ask(`messages/records/a/field-window?field=body`), [403, 'field_not_granted'])
  assert.deepEqual(await ask(`messages/records/c/field-window?field=body&connection_id=${work}`), [
    403,
    'field_not_granted',
  ])
  assert.equal(await ask(`messages/records/c/field-window?field=secret&connection_id=${home}`), 'S')
  assert.deepEqual(await ask(`messages/records/c/field-window?field=secret&connection_id=${work}`), [
    403,
    'field_not_granted',
  ])
  assert.deepEqual(await ask(`messages/records/a/field-window?field=id&connection_id=${home}`), [
    404,
    'not_found',
  ])
  assert.deepEqual(await ask('messages/records/c/field-window?field=id'), [409, 'ambiguous_connection'])
  assert.deepEqual(await ask('messages/records/c/field-window?field=from'), [403, 'field_not_granted'])
  assert.deepEqual(await ask('notes/records/n/field-window?field=text'), [403, 'grant_stream_not_allowed'])
  // A filter only matches visible values.
  assert.equal(await ask('messages/records?where[body]=B'), 1)
  assert.equal(await ask('messages/records?where[body]=A'), 0)
  assert.equal(await ask('messages/records?where[secret]=S'), 1)
  assert.equal(await count(), 4)
  const schema = await server.json('/v1/schema?view=compact', { token })
  const fields = schema.body.streams
    .map((stream: { fields: object }) => Object.keys(stream.fields).sort())
    .sort()
  assert.deepEqual(fields, [
    ['body', 'id', 'subject'],
    ['id', 'secret'],
  ])

  // When one of the grants ends, data that only it covered is no longer readable.
  await server.revoke(recent)
  assert.deepEqual(await ask('messages/records/b/field-window?field=body'), [403, 'field_not_granted'])
  assert.equal(await count(), 4)
  assert.deepEqual(server.failures, [])
})

onEachEngine('RS-3 a token stops working when its grant expires, is used up or is revoked', async engine => {
  const { server, work, made, status } = await start(engine)
  await using _ = server
  const inAnHour = new Date(Date.now() + 60 * MINUTE).toISOString()
  const expiring = await made({ expires_at: inAnHour })
  const single = await made({ single_use: true, connections: [work] })
  const revoked = await made({ connections: [work] })
  const both = await server.tokenFor(expiring, revoked)
  assert.equal(await status(expiring.access_token), 200)
  server.clockOffsetMs = 59 * MINUTE
  assert.equal(await status(expiring.access_token), 200)
  assert.equal(await status(single.access_token), 200)
  server.clockOffsetMs = 61 * MINUTE
  assert.deepEqual(refusal(await server.json(LIST, { token: expiring.access_token })), [
    403,
    'grant_expired',
    'permission_error',
  ])
  assert.equal(await status(both), 200)

  // A single-use grant is used up by its only token, which is valid for an hour.
  assert.deepEqual(refusal(await server.json(LIST, { token: single.access_token })), [
    401,
    'authentication_error',
    'authentication_error',
  ])
  server.clockOffsetMs = 0
  assert.equal(await status(single.access_token), 200)
  assert.equal(await status(single.access_token), 200, 'reading does not end it')
  const state = await server.json(`/v1/owner/grants/${single.grant_ids[0]}`)
  assert.equal(state.body.access_mode, 'single_use')
  assert.equal(state.body.consumed_at, state.body.created_at)
  await assert.rejects(server.tokenFor(single), { code: 'grant_consumed' })
  await assert.rejects(server.tokenFor(revoked, single), { code: 'grant_consumed' })

  assert.equal(await status(revoked.access_token), 200)
  const path = `/v1/owner/grants/${revoked.grant_ids[0]}`
  const gone = await server.json(path, { method: 'DELETE' })
  assert.equal(gone.body.active, false)
  assert.equal(await status(both), 200)
  const at = gone.body.revoked_at
  server.clockOffsetMs = MINUTE
  const again = await server.json(path, { method: 'DELETE' })
  assert.equal(again.body.revoked_at, at)
  assert.deepEqual(refusal(await server.json(LIST, { token: revoked.access_token })), [
    403,
    'grant_revoked',
    'permission_error',
  ])
  const active = (await server.json('/v1/owner/grants')).body.data.map(
    (grant: { active: boolean }) => grant.active,
  )
  assert.deepEqual(active.sort(), [false, true, true, true])

  for (const [member, value] of [
    ['expires_at', 'soon'],
    ['expires_at', '2026-06-30T23:59:60Z'],
    ['expires_at', 7],
    ['single_use', 'yes'],
    ['since', 'yesterday'],
    ['until', '2026-02-30'],
    ['connections', []],
    ['connections', 'all'],
    ['streams', [7]],
    ['fields', ['']],
    ['records', ['messages']],
    ['records', ['messages:']],
    ['records', [':m']],
    ['client_name', ''],
    ['client_name', 'x'.repeat(201)],
    ['client_name', 'nul\0'],
    ['records', ['messages:\0']],
    ['anything', 1],
    ['fields', ['nothing']],
    ['purpose_code', 'analytics'],
    ['since', '2026-01-01'],
  ] as [string, unknown][]) {
    // A time range on a stream without a consent time is refused only if the stream is requested by name.
    const more = member === 'since' && value === '2026-01-01' ? { streams: ['notes'] } : {}
    const { status, body } = await server.post('/v1/owner/grants', {
      client_name: 'Test',
      ...more,
      [member]: value,
    })
    assert.deepEqual(
      [status, body.error?.code],
      [400, 'invalid_request'],
      `${member} ${JSON.stringify(value)}`,
    )
  }
  for (const [request, code] of [
    [{ connections: [work, 'cin_never'] }, 'connection_not_found'],
    [{ streams: ['never'] }, 'not_found'],
    [{ records: ['never:1'] }, 'not_found'],
  ] as [object, string][]) {
    const { status, body } = await server.post('/v1/owner/grants', { client_name: 'Test', ...request })
    assert.deepEqual([status, body.error?.code], [404, code])
  }
  assert.equal((await server.json('/v1/owner/grants/grt_never')).body.error.code, 'grant_not_found')
  const clients = await server.json('/v1/owner/clients')
  assert.deepEqual(
    clients.body.data.map((client: { name: string }) => client.name),
    ['Test'],
  )
  assert.deepEqual(server.failures, [])
})

onEachEngine('RS-2 a grant is frozen: it does not cover what is added later', async engine => {
  const { server, work, made, status } = await start(engine)
  await using _ = server
  const grant = await made({})
  const token = grant.access_token
  const before = await server.json('/v1/schema?view=compact', { token })
  const [messages] = MAILBOX.streams
  const next = {
    ...MAILBOX,
    declaration_version: '1.1.0',
    streams: [
      {
        ...messages,
        schema: {
          ...messages?.schema,
          properties: { ...messages?.schema.properties, added: { type: 'string' } },
        },
      },
      MAILBOX.streams[1],
      stream('drafts', {}),
    ],
  }
  const later = await server.connect(next, 'Later')
  await server.ingest('messages', later, [message('l', { added: 'new' })])
  await server.ingest('messages', work, [
    message('a', { added: 'new', received_at: '2025-06-01T00:00:00Z' }),
    message('z', { added: 'new' }),
  ])
  await server.ingest('drafts', work, [{ data: { id: 'd' } }])
  assert.deepEqual((await server.json('/v1/schema?view=compact', { token })).body, before.body)
  assert.equal(await status(token, '/v1/streams/drafts/records'), 403)
  assert.equal(await status(token, `${LIST}?connection_id=${later}`), 404)
  assert.equal(await status(token, `${LIST}/l`), 404)
  // The declaration on which the grant is based has no such field.
  assert.equal(await status(token, `${LIST}?fields=added`), 400)
  assert.equal(await status(token, `${LIST}?where[added]=new`), 400)
  assert.equal(await status(token, `${LIST}/z/field-window?field=added`), 403)
  const record = await server.json(`${LIST}/z`, { token })
  assert.equal(record.status, 200)
  assert.ok(!('added' in record.body.data))
  const fresh = await server.grant()
  assert.equal((await server.json(`${LIST}/z`, { token: fresh })).body.data.added, 'new')
  assert.equal(await status(fresh, '/v1/streams/drafts/records'), 200)

  // A field that a newer declaration omits remains granted.
  const shown = await server.json(`/v1/owner/grants/${grant.grant_ids[0]}`)
  assert.deepEqual(shown.body.grant.source_declaration, { version: '1.0.0' })
  assert.ok(shown.body.grant.streams[0].fields.includes('secret'))
  await server.request(`/v1/owner/connections/${work}`, { method: 'DELETE' })
  assert.equal(await status(token, `${LIST}?connection_id=${work}`), 404)
  assert.equal(await status(token), 200)
  assert.deepEqual(server.failures, [])
})

onEachEngine('RS-2 the bounds of a grant hold whether or not the consent time has a format', async engine => {
  await using server = await TestServer.start(engine)
  const declaration = (key: string, format: object) => ({
    ...source(key, 'Timed'),
    streams: [
      stream(
        'events',
        { at: { type: 'string', ...format } },
        {
          ...byTime('at'),
          query:
            'format' in format
              ? { range_filters: { at: ['gte'] }, aggregations: { count: true, group_by_time: ['at'] } }
              : { aggregations: { count: true } },
        },
      ),
    ],
  })
  const times = [
    '2026-01-01T00:00:00Z',
    '2026-01-01 00:30:00+00',
    '2026-01-01T02:00:00+0200',
    '2025-12-31t19:00:00-05:00',
    '2025-12-31T23:59:60Z',
    '2026-01-01T00:59:59.999999999Z',
    '2026-01-01T01:00:00Z',
  ]
  for (const [key, format] of [
    ['formatted', { format: 'date-time' }],
    ['plain', {}],
  ] as [string, object][]) {
    const connection = await server.connect(declaration(key, format))
    const lines = times.map((at, n) => ({ data: { id: `e${n}`, at } }))
    const outcome = await server.ingest('events', connection, lines)
    assert.equal(outcome.body.added, times.length, JSON.stringify(outcome.body))
    const connections = [connection]
    const token = await server.grant({ connections, since: '2026-01-01', until: '2026-01-01T01:00:00Z' })
    const get = async (path: string) => (await server.json(`/v1/streams/events${path}`, { token })).body
    const seen = await get('/records?order=asc&count=exact')
    const ids = seen.data.map((record: { id: string }) => record.id)
    assert.deepEqual(ids.sort(), ['e0', 'e1', 'e2', 'e3', 'e5'], key)
    assert.equal(seen.meta.count, 5)
    const [stream] = (await server.json('/v1/streams', { token })).body.data
    assert.equal(stream.record_count, 5)
    assert.equal((await get('/aggregate')).value, 5)
    if ('format' in format) {
      const days = await get('/aggregate?group_by_time=at&granularity=day')
      assert.deepEqual(days.groups, [{ key: '2026-01-01', count: 5 }])
    }
    assert.equal((await get('/records/e3')).id, 'e3')
    assert.equal((await get('/records/e4')).error.code, 'not_found')
    assert.equal((await get('/records/e6')).error.code, 'not_found')
  }
  assert.deepEqual(server.failures, [])
})

onEachEngine('a request creates one grant per connection, in the form of PDPP Core', async engine => {
  const { server, work, home } = await start(engine)
  await using _ = server
  const log = await server.connect(TRAIL_LOG, 'Hikes')
  const made = await server.post('/v1/owner/grants', {
    client_name: 'Blister Forecast',
    streams: ['messages', 'hikes'],
    fields: ['subject', 'distance_km'],
    since: '2026-01-01',
    expires_at: '2999-01-01',
    purpose_code: 'https://pdpp.dev/purpose/analytics',
  })
  assert.deepEqual(Object.keys(made.body).sort(), ['access_token', 'client_id', 'grants', 'object'])
  assert.equal(made.body.object, 'access')
  const grants: Grant[] = made.body.grants
  assert.deepEqual(
    grants.map(({ streams }) => streams.flatMap(stream => stream.instance_ids)).sort(),
    [[work], [home], [log]].sort(),
  )
  const hikes = grants.find(({ source }) => source.id === TRAIL_LOG.source.id) ?? assert.fail()
  assert.deepEqual(hikes, {
    version: '0.1.0',
    grant_id: hikes.grant_id,
    issued_at: hikes.issued_at,
    subject: { id: server.store.owner_id },
    client: { client_id: made.body.client_id, client_display: { name: 'Blister Forecast' } },
    source: { kind: 'connector', id: TRAIL_LOG.source.id },
    source_declaration: { version: '2026-11-a' },
    purpose_code: 'https://pdpp.dev/purpose/analytics',
    access_mode: 'continuous',
    streams: [
      {
        name: 'hikes',
        instance_ids: [log],
        // Fields that the schema requires are always included.
        fields: ['id', 'started_at', 'distance_km'],
        time_constraint: { field: 'started_at', since: '2026-01-01T00:00:00Z' },
      },
    ],
    expires_at: '2999-01-01T00:00:00Z',
  })
  const { body } = await server.json(`/v1/owner/grants/${hikes.grant_id}`)
  const { grant, ...state } = body
  assert.deepEqual(grant, hikes)
  assert.deepEqual(state, {
    object: 'grant',
    grant_id: hikes.grant_id,
    client_id: made.body.client_id,
    client_name: 'Blister Forecast',
    created_at: hikes.issued_at,
    expires_at: hikes.expires_at,
    access_mode: 'continuous',
    consumed_at: null,
    revoked_at: null,
    active: true,
  })

  // Only selections that the publisher offers are allowed.
  for (const request of [
    { streams: ['legs'], fields: ['pace'] },
    { connections: [log], records: ['photos:p1'] },
  ]) {
    const refused = await server.post('/v1/owner/grants', { client_name: 'Test', ...request })
    assert.deepEqual([refused.status, refused.body.error?.code], [400, 'invalid_request'])
  }
  assert.deepEqual(server.failures, [])
})

onEachEngine('a grant whose connections are all gone is refused as invalid', async engine => {
  await using server = await TestServer.start(engine)
  const connection_id = await server.connect(MAILBOX)
  const token = await server.grant()
  await server.json(`/v1/owner/connections/${connection_id}`, { method: 'DELETE' })
  const { status, body } = await server.json('/v1/streams', { token })
  assert.deepEqual([status, body.error.code], [403, 'grant_invalid'])
})
