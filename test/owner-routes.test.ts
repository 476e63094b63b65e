import assert from 'node:assert/strict'
import { ROUTES } from '../src/resource-server/routes.ts'
import { AuthorizationWorld, Visitor } from './authorization-world.ts'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message, SELECTABLE, source, sourceId } from './mailbox.ts'

const OBJECT = { type: 'object', properties: { id: {} } }
const TABLES = ['records', 'tallies', 'pieces', 'blobs', 'blob_pieces', 'blob_references', 'connections']

async function contents(server: TestServer): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {}
  for (const table of TABLES) {
    const all = await server.store.database.all(`SELECT * FROM ${table}`)
    rows[table] = all
      .map(row => JSON.stringify(row, (key, value) => (key === 'bytes' ? 'bytes' : value)))
      .sort()
  }
  return rows
}

onEachEngine('RS-2 ER-1 every owner route refuses a client token', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const token = await server.grant()
  const owners = ROUTES.filter(route => route.access === 'owner')
  assert.ok(owners.length >= 16)
  const before = await contents(server)
  for (const { method, path } of owners) {
    const address = path
      .replace(':stream', 'messages')
      .replace(':connection_id', connection)
      .replace(/:\w+/g, 'x')
    const { status, body } = await server.json(address, { method, token })
    assert.deepEqual(
      [status, body.error.code, body.error.type],
      [403, 'owner_token_required', 'permission_error'],
      `${method} ${path}`,
    )
    const anonymous = await server.json(address, { method, token: null })
    assert.deepEqual([anonymous.status, anonymous.body.error.code], [401, 'authentication_error'])
  }
  assert.deepEqual(await contents(server), before)
  assert.deepEqual(server.failures, [])
})

onEachEngine('declarations are versioned, stored complete, and refused with every reason', async engine => {
  await using server = await TestServer.start(engine)
  const declare = (declaration: unknown) => server.post('/v1/owner/declarations', declaration)
  const extra = {
    ...MAILBOX,
    extensions: { 'https://sources.example/extension': { deep: [1, { two: 2 }] } },
    streams: MAILBOX.streams.map(stream => ({ ...stream, schema: { ...stream.schema, x_note: 'kept' } })),
  }
  const made = await declare(extra)
  assert.deepEqual(
    [made.status, made.body],
    [
      201,
      {
        object: 'declaration',
        source_id: sourceId('mailbox'),
        connector_key: 'mailbox',
        declaration_version: '1.0.0',
        created: true,
      },
    ],
  )
  const seq = await server.store.database.get('SELECT catalog_seq FROM owners')
  const reversed = Object.fromEntries(Object.entries(extra).reverse())
  const again = await declare(reversed)
  assert.deepEqual([again.status, again.body.created], [200, false])
  assert.deepEqual(await server.store.database.get('SELECT catalog_seq FROM owners'), seq)
  const other = await declare({ ...extra, display: { name: 'Other' } })
  assert.deepEqual(
    [other.status, other.body.error.code, other.body.error.type],
    [409, 'declaration_version_exists', 'conflict_error'],
  )
  const kept = await server.json('/v1/owner/declarations')
  assert.deepEqual(kept.body.data, [extra])

  const broken = {
    connector_key: 'mailbox',
    source: { kind: 'file', id: 'mailbox' },
    declaration_version: '',
    streams: [
      {
        name: 'a/b',
        semantics: 'sometimes',
        selection: { fields: 'yes' },
        schema: { type: 'object', properties: { id: {}, list: { type: 'array' }, n: { type: 'integer' } } },
        primary_key: [],
        cursor_field: 'list',
        consent_time_field: 'n',
        views: [{ fields: [] }, { id: 'v', fields: ['nothing'] }],
        x_note: 1,
        query: {
          search: { lexical_fields: ['gone'] },
          range_filters: { gone: ['gte'], id: ['like'] },
          aggregations: { sum: ['gone'], count: true, min: 'id' },
        },
      },
      { name: 'twice', ...SELECTABLE, schema: OBJECT, primary_key: ['id'] },
      { name: 'twice', ...SELECTABLE, schema: OBJECT, primary_key: ['missing'] },
      {
        name: 'bad-schema',
        schema: { type: 'object', properties: { id: { type: 'strin' } } },
        primary_key: ['id'],
      },
      { name: 'no-schema', primary_key: ['id'] },
      7,
    ],
  }
  const refused = await declare(broken)
  assert.deepEqual([refused.status, refused.body.error.code], [400, 'invalid_declaration'])
  const reasons: string[] = refused.body.error.reasons
  for (const part of [
    'connector_key: not a known member',
    'protocol_version: missing',
    'publisher: missing',
    'display: missing',
    'source: kind',
    'source: id',
    'declaration_version: a text',
    'streams.a/b: name',
    'streams.a/b: x_note: not a known member',
    'streams.a/b: semantics',
    'streams.a/b.selection: resources: missing',
    'streams.a/b.selection: fields: true or false',
    'streams.a/b: primary_key',
    'streams.a/b: cursor_field: list',
    'streams.a/b: consent_time_field: n',
    'streams.a/b: views[0]: an object with id',
    'streams.a/b.views.v: label: missing',
    'streams.a/b.views.v: fields: "nothing"',
    'query.search: lexical_fields: "gone"',
    'query.range_filters: gone: "gone"',
    'query.range_filters: id: a list of gte',
    'query.aggregations: sum: "gone"',
    'query.aggregations: min: not a list',
    'streams.twice: declared twice',
    'streams.twice: primary_key: "missing"',
    'streams.bad-schema: schema',
    'streams.bad-schema: semantics: missing',
    'streams.no-schema: schema',
    'streams[5]: an object',
  ]) {
    assert.ok(
      reasons.some(reason => reason.includes(part)),
      `${part} in ${JSON.stringify(reasons)}`,
    )
  }
  for (const wrong of [
    [],
    'text',
    {},
    { streams: {} },
    { ...MAILBOX, connector_key: 'mailbox' },
    { ...MAILBOX, source: { kind: 'connector', id: '../x' } },
    { ...MAILBOX, ...source('n'), declaration_version: 'v\0' },
    { ...MAILBOX, ...source('n', 'name\0') },
  ]) {
    assert.equal((await declare(wrong)).status, 400, JSON.stringify(wrong))
  }
  for (const name of ['', '*', '.', '..', 'a:b', 'a b', 'a\\b', 'a\u0000', 'a\u202e', 'x'.repeat(129)]) {
    const streams = [{ ...MAILBOX.streams[1], name }]
    assert.equal((await declare({ ...MAILBOX, ...source('n'), streams })).status, 400, name)
  }
  const shifted = {
    ...MAILBOX,
    declaration_version: '2.0.0',
    streams: [{ ...MAILBOX.streams[0], cursor_field: 'subject', primary_key: ['subject'] }],
  }
  await server.post('/v1/owner/connections', { source_id: sourceId('mailbox') })
  const incompatible = await declare(shifted)
  assert.deepEqual([incompatible.status, incompatible.body.error.code], [409, 'declaration_incompatible'])
  assert.match(incompatible.body.error.reasons[0], /primary_key, cursor_field/)
  // A version without the stream does not change that.
  const without = { ...MAILBOX, declaration_version: '1.5.0', streams: MAILBOX.streams.slice(1) }
  assert.equal((await declare(without)).status, 201)
  assert.equal((await declare(shifted)).body.error?.code, 'declaration_incompatible')
  assert.deepEqual(server.failures, [])
})

onEachEngine(
  'connections are created, renamed, and deleted with all their data and nothing else',
  async engine => {
    await using server = await TestServer.start(engine)
    const first = await server.connect(MAILBOX, 'First')
    const fill = async (connection: string) => {
      const blob_id = await server.upload(`blob of ${connection}`)
      await server.ingest('messages', connection, [
        message('m1', {
          body: 'x'.repeat(40_000),
          parts: ['y'.repeat(20_000), { blob_id }],
        }),
        message('m2'),
        message('m3'),
      ])
      await server.ingest('messages', connection, [{ op: 'delete', key: 'm3' }])
      await server.ingest('notes', connection, [{ data: { id: 'n', text: 'z'.repeat(17_000) } }])
    }
    await fill(first)
    const before = await contents(server)
    const second = await server.connect(MAILBOX, 'Second')
    await fill(second)
    const token = await server.grant()
    assert.notDeepEqual(await contents(server), before)

    const path = `/v1/owner/connections/${second}`
    const shown = await server.json(path)
    assert.deepEqual(
      { ...shown.body, created_at: '' },
      {
        object: 'connection',
        connection_id: second,
        source_id: sourceId('mailbox'),
        connector_key: 'mailbox',
        display_name: 'Second',
        created_at: '',
      },
    )
    assert.match(second, /^cin_[a-z2-9]+$/)
    const rename = (body: unknown) => server.send('PATCH', path, body)
    assert.equal((await rename({ display_name: 'Zweite 👋' })).body.display_name, 'Zweite 👋')
    const named = await server.json(`/v1/streams/messages/records/m2?connection_id=${second}`, { token })
    assert.equal(named.body.display_name, 'Zweite 👋')
    for (const body of [
      {},
      { display_name: '' },
      { display_name: 7 },
      { display_name: 'x'.repeat(201) },
      { display_name: 'a\0' },
      { source_id: sourceId('x') },
    ]) {
      assert.equal((await rename(body)).status, 400, JSON.stringify(body))
    }
    const listed = await server.json('/v1/owner/connections')
    assert.deepEqual(listed.body.data.map((item: { display_name: string }) => item.display_name).sort(), [
      'First',
      'Zweite 👋',
    ])

    const deleted = await server.request(path, { method: 'DELETE' })
    assert.deepEqual([deleted.status, await deleted.text()], [204, ''])
    assert.deepEqual(await contents(server), before)
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const init =
        method === 'PATCH'
          ? { method, body: '{"display_name":"x"}', headers: { 'Content-Type': 'application/json' } }
          : { method }
      const { status, body } = await server.json(path, init)
      assert.deepEqual([status, body.error.code], [404, 'connection_not_found'], method)
    }
    assert.equal((await server.ingest('messages', second, [message('late')])).status, 404)
    const list = await server.json('/v1/streams/messages/records?count=exact', { token })
    assert.deepEqual([list.body.data.length, list.body.meta.count], [2, 2])
    assert.ok(list.body.data.every((record: { connection_id: string }) => record.connection_id === first))

    for (const [body, status, code] of [
      [{ source_id: sourceId('never') }, 404, 'source_not_declared'],
      [{}, 400, 'invalid_request'],
      [{ connector_key: 'mailbox' }, 400, 'invalid_request'],
      [{ source_id: sourceId('mailbox'), display_name: '' }, 400, 'invalid_request'],
      [{ source_id: sourceId('mailbox'), more: 1 }, 400, 'invalid_request'],
      [[], 400, 'invalid_request'],
    ] as [unknown, number, string][]) {
      const answer = await server.post('/v1/owner/connections', body)
      assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(body))
    }
    for (const [display_name, problem] of [
      ['', 'at least 1 character'],
      ['x'.repeat(201), 'at most 200 characters'],
    ]) {
      const { body } = await server.post('/v1/owner/connections', {
        source_id: sourceId('mailbox'),
        display_name,
      })
      assert.equal(body.error.message, `display_name must have ${problem}.`)
    }

    const gone = await server.request('/v1/streams/messages/records/m2', { method: 'DELETE' })
    assert.equal(gone.status, 204)
    assert.equal((await server.json('/v1/streams/messages/records/m2', { method: 'DELETE' })).status, 404)
    assert.equal((await server.json('/v1/streams/messages/records/m2')).status, 404)
    const counts = (await server.json('/v1/streams')).body.data.map(
      ({ name, record_count }: { name: string; record_count: number }) => [name, record_count],
    )
    assert.deepEqual(counts, [
      ['messages', 1],
      ['notes', 1],
    ])
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine('RS-3 the ledger records what each client was shown', async engine => {
  await using server = await TestServer.start(engine)
  const mail = await server.connect(MAILBOX)
  await server.ingest('messages', mail, [
    message('m1', { body: 'x'.repeat(20_000), secret: 's' }),
    message('m2', { size: 3 }),
  ])
  const token = await server.grant({
    client_name: 'Reader',
    streams: ['messages'],
    fields: ['id', 'body', 'size'],
  })
  const other = await server.grant({ client_name: 'Other' })
  const LIST = '/v1/streams/messages/records'
  const ledger = async (query = '') => (await server.json(`/v1/owner/disclosures${query}`)).body
  assert.deepEqual((await ledger()).data, [])
  const newest = async () => {
    const [entry] = (await ledger('?limit=1')).data
    return entry
  }
  const place = { connection_id: mail, stream: 'messages' }
  const read = async (path: string, init: RequestInit = {}) => {
    const response = await server.request(path, { token, ...init })
    await response.text()
    return response
  }
  const list = await read(`${LIST}?order=asc`)
  const entry = await newest()
  assert.equal(entry.request_id, list.headers.get('Request-Id'))
  assert.equal(entry.route, 'GET /v1/streams/:stream/records')
  assert.deepEqual(entry.shown, [
    { ...place, record_ids: ['m1'], fields: ['id', 'body'] },
    { ...place, record_ids: ['m2'], fields: ['id', 'size'] },
  ])
  await read(`${LIST}/m1/field-window?field=body&offset_chars=100&limit_chars=50`)
  assert.deepEqual((await newest()).shown, [
    { ...place, record_ids: ['m1'], fields: ['body'], ranges: { body: [[100, 150]] } },
  ])
  await read(`${LIST}/m1?fields=body`)
  assert.deepEqual((await newest()).shown, [{ ...place, record_ids: ['m1'], fields: ['id', 'body'] }])
  const cut = await read(`${LIST}/m1?max_field_chars=10`)
  assert.deepEqual((await newest()).shown, [
    { ...place, record_ids: ['m1'], fields: ['id', 'body'], ranges: { body: [[0, 10]] } },
  ])
  await read('/v1/streams/messages/aggregate')
  assert.deepEqual((await newest()).shown, [{ ...place, record_ids: [], fields: [] }])
  await read(`${LIST}?changes_since=beginning&fields=id`)
  assert.deepEqual((await newest()).shown, [{ ...place, record_ids: ['m1', 'm2'], fields: ['id'] }])

  const total = (await ledger()).data.length
  assert.equal(total, 6)
  const ETag = cut.headers.get('ETag') ?? ''
  const unchanged = await read(`${LIST}/m1?max_field_chars=10`, { headers: { 'If-None-Match': ETag } })
  assert.deepEqual([unchanged.status, (await newest()).status], [304, 304])
  await server.json(LIST)
  assert.equal((await ledger()).data.length, total + 1)

  await server.json(`${LIST}/m2`, { token: other })
  const clients = (await server.json('/v1/owner/clients')).body.data as { name: string; client_id: string }[]
  const reader = clients.find(client => client.name === 'Reader')?.client_id
  const of = await ledger(`?client_id=${reader}`)
  assert.equal(of.data.length, total + 1)
  assert.ok(of.data.every((item: { client_id: string }) => item.client_id === reader))
  assert.deepEqual((await ledger('?client_id=cli_never')).data, [])
  assert.deepEqual((await ledger('?until=2020-01-01')).data, [])
  assert.equal((await ledger('?since=2020-01-01')).data.length, total + 2)
  const times = (await ledger()).data.map((item: { at: string }) => item.at)
  assert.deepEqual(times, times.toSorted().reverse())
  const walked: string[] = []
  for (let cursor = ''; ; ) {
    const page = await ledger(`?limit=2${cursor}`)
    walked.push(...page.data.map((item: { disclosure_id: string }) => item.disclosure_id))
    if (!page.has_more) break
    cursor = `&cursor=${page.next_cursor}`
  }
  assert.equal(new Set(walked).size, total + 2)
  assert.equal(walked.length, total + 2)
  for (const query of ['?since=never', '?limit=0', '?cursor=x', '?client=x']) {
    assert.equal((await server.json(`/v1/owner/disclosures${query}`)).status, 400, query)
  }
  assert.deepEqual(server.failures, [])
})

onEachEngine('owner tokens are created, listed by id and revoked', async engine => {
  await using server = await TestServer.start(engine)
  const made = await server.post('/v1/owner/tokens', {})
  assert.equal(made.status, 201)
  const { token, token_id, created_at } = made.body
  assert.match(token, /^fno_/)
  const status = async () => (await server.json('/v1/owner/tokens', { token })).status
  assert.equal(await status(), 200)
  const { data } = (await server.json('/v1/owner/tokens')).body
  assert.equal(data.length, 2)
  // Both may have been made in the same millisecond, so their order is not known.
  assert.deepEqual(
    data.filter((each: { token_id: string }) => each.token_id === token_id),
    [{ object: 'owner_token', token_id, created_at }],
  )
  assert.ok(!JSON.stringify(data).includes(token))

  const end = (id: string) => server.json(`/v1/owner/tokens/${id}`, { method: 'DELETE' })
  const unknown = await end('tok_nothing')
  assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'token_not_found'])
  assert.equal((await end(token_id)).status, 204)
  assert.equal((await end(token_id)).status, 404)
  assert.equal(await status(), 401)
  assert.equal((await server.json('/v1/owner/tokens')).body.data.length, 1)
})

onEachEngine('the owner can look up what a token gives access to', async engine => {
  await using server = await TestServer.start(engine)
  await server.connect(MAILBOX)
  const { grants, access_token } = (await server.post('/v1/owner/grants', { client_name: 'App' })).body
  const [{ grant_id }] = grants
  const introspect = async (token: unknown) =>
    (await server.post('/v1/owner/tokens/introspect', { token })).body
  const client = await introspect(access_token)
  assert.deepEqual([client.active, client.kind], [true, 'client'])
  const [listed] = (await server.json('/v1/owner/grants')).body.data
  assert.deepEqual(listed, (await server.json(`/v1/owner/grants/${grant_id}`)).body)
  const { grant, ...state } = listed
  assert.deepEqual([client.grants, grant], [[state], grants[0]])
  assert.deepEqual(await introspect(server.ownerToken), {
    object: 'token',
    active: true,
    kind: 'owner',
    grants: [],
  })
  const nothing = { object: 'token', active: false, grants: [] }
  await server.json(`/v1/owner/grants/${grant_id}`, { method: 'DELETE' })
  assert.deepEqual(await introspect(access_token), nothing)
  assert.deepEqual(await introspect('nonsense'), nothing)
  assert.equal((await introspect(7)).error.param, 'token')
})

onEachEngine('a sign-in link is created at any time, or only if there is no other way in', async engine => {
  await using world = await AuthorizationWorld.start(engine)
  const make = (body: object) => world.own('POST', '/v1/owner/sign-in-links', body)
  const { url } = await make({ first_only: true })
  const { origin, pathname, searchParams } = new URL(url)
  assert.deepEqual([origin, pathname], [world.url, '/sign-in'])
  const visitor = new Visitor(world.url)
  const page = await visitor.post('/sign-in', { link: searchParams.get('link') ?? '' })
  assert.equal(new URL(page.url).pathname, '/')
  assert.deepEqual(await make({ first_only: true }), { object: 'sign_in_link', url: null })
  assert.notEqual((await make({})).url, url)
})

onEachEngine('a time in a body must be a time', async engine => {
  await using server = await TestServer.start(engine)
  const settings = { first_read: true, new_app: false, records_per_hour: null, known: [] }
  const set = (seen_until: string) => server.post('/v1/owner/alerts', { ...settings, seen_until })
  const { status, body } = await set('yesterday')
  assert.deepEqual([status, body.error?.param], [400, 'seen_until'])
  assert.equal((await set('2026-01-02T03:04:05Z')).status, 200)
  assert.equal((await server.json('/v1/owner/alerts')).body.seen_until, '2026-01-02T03:04:05Z')
})
