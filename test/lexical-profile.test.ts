import assert from 'node:assert/strict'
import { onEachEngine, PUBLIC_URL, TestServer } from './engines.ts'
import { MAILBOX, message, sourceId } from './mailbox.ts'

const AT = '2026-03-01T10:00:00Z'

onEachEngine('PC-92 PC-98 search and additions are announced in an object, without a token', async engine => {
  await using server = await TestServer.start(engine)
  for (const path of ['', '/mcp', '/mcp/research']) {
    const address = `/.well-known/oauth-protected-resource${path}`
    const { status, body } = await server.json(address, { token: null })
    assert.equal(status, 200)
    assert.equal(body.pdpp_core_query_base, `${PUBLIC_URL}/v1`)
    assert.deepEqual(body.pdpp_token_kinds_supported, ['owner', 'client'])
    assert.equal(body.pdpp_self_export_supported, true)
    assert.deepEqual(body.capabilities.lexical_retrieval, {
      supported: true,
      endpoint: '/v1/search',
      cross_stream: true,
      snippets: true,
      default_limit: 25,
      max_limit: 100,
    })
    for (const name of ['where', 'search_windows', 'search_record', 'field_window'])
      assert.ok(body.capabilities.footnote.includes(name), name)
  }
})

onEachEngine(
  'PC-99 streams[] narrows a search, and for the owner an unknown stream finds nothing',
  async engine => {
    await using server = await TestServer.start(engine)
    const mail = await server.connect(MAILBOX)
    await server.ingest('messages', mail, [message('m', { body: 'an albatross' })])
    await server.ingest('notes', mail, [{ data: { id: 'n', text: 'an albatross' } }])
    const token = await server.grant({ streams: ['messages'] })
    const search = (query: string, by = server.ownerToken) =>
      server.json(`/v1/search?q=albatross&${query}`, { token: by })
    const found = async (query: string): Promise<string> =>
      (await search(query)).body.data.map((hit: { record_key: string }) => hit.record_key).join('')
    assert.equal(await found('streams[]=messages'), 'm')
    assert.equal(await found('streams=messages'), 'm')
    assert.equal(await found('streams[]=messages&streams[]=never'), 'm')
    assert.equal(await found('streams[]=never'), '')
    const refused = await search('streams[]=notes', token)
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'grant_stream_not_allowed'])
    assert.equal((await search('streams[]=messages', token)).body.data.length, 1)
    for (const name of ['rank', 'boost', 'embedding', 'vector', 'semantic', 'connector_id', 'limit[]']) {
      const { status, body } = await search(`${name}=1`)
      assert.deepEqual([status, body.error.code, body.error.param], [400, 'invalid_request', name])
    }
  },
)

onEachEngine(
  'PC-100 a hit contains its record, the granted fields that match, and literal text',
  async engine => {
    await using server = await TestServer.start(engine)
    const mail = await server.connect(MAILBOX, 'Work mail')
    const data = {
      subject: 'Albatross',
      body: 'One albatross, then the albatross again.',
      from: 'albatross@sea',
    }
    await server.ingest('messages', mail, [{ ...message('a/b', data), emitted_at: AT }])
    const token = await server.grant({ fields: ['id', 'body', 'from', 'received_at'] })
    const search = async (query: string, by: string) =>
      (await server.json(`/v1/search?${query}`, { token: by })).body
    for (const [by, fields] of [
      [server.ownerToken, ['body', 'from', 'subject']],
      [token, ['body', 'from']],
    ] as const) {
      const [hit, ...more] = (await search('q=albatross&windows=1', by)).data
      assert.equal(more.length, 0)
      assert.deepEqual([...hit.matched_fields].sort(), fields)
      assert.ok(fields.includes(hit.snippet.field))
      assert.ok(String((data as Record<string, string>)[hit.snippet.field]).includes(hit.snippet.text))
      const { object, stream, record_key, connector_id, emitted_at, connection_id, display_name } = hit
      assert.deepEqual(
        { object, stream, record_key, connector_id, emitted_at, connection_id, display_name },
        {
          object: 'search_result',
          stream: 'messages',
          record_key: 'a/b',
          connector_id: sourceId('mailbox'),
          emitted_at: AT,
          connection_id: mail,
          display_name: 'Work mail',
        },
      )
      assert.ok(!('data' in hit) && !('record_id' in hit) && !('score' in hit))
      const record = await server.json(hit.record_url.replace(PUBLIC_URL, ''), { token: by })
      assert.equal(record.body.id, 'a/b')
      const [bare] = (await search('q=albatross&windows=0', by)).data
      assert.deepEqual(
        [[...bare.matched_fields].sort(), bare.snippet, bare.match_windows],
        [fields, undefined, []],
      )
    }
    // For a hit without windows, the ledger records the fields that matched.
    const ledger = await server.json('/v1/owner/disclosures')
    const noted = ledger.body.data[0].shown[0]
    assert.deepEqual([...noted.fields].sort(), ['body', 'from', 'received_at'])
    assert.deepEqual(noted.ranges, {})
    const within = await search(`q=again&record=${encodeURIComponent(`${mail}/messages:none`)}`, token)
    assert.equal(within.error.code, 'not_found')
  },
)

onEachEngine('PC-101 a search counts the visible records that contain all its words', async engine => {
  await using server = await TestServer.start(engine)
  const mail = await server.connect(MAILBOX)
  const filler = 'lorem '.repeat(3_000)
  await server.ingest('messages', mail, [
    message('a', { subject: 'river', body: 'a boat' }),
    message('b', { subject: 'river', body: 'a bridge' }),
    message('c', { subject: 'other', body: 'a boat', secret: 'river' }),
    message('long', { subject: 'other', body: `river ${filler} boat` }),
  ])
  const token = await server.grant({ fields: ['id', 'body', 'received_at'] })
  const meta = async (q: string, by = server.ownerToken, more = '') =>
    (await server.json(`/v1/search?q=${encodeURIComponent(q)}${more}`, { token: by })).body.meta
  const all = { complete: true, ranking_scope: 'all_matches', truncated: false }
  const warnings = [
    {
      code: 'words_unknown',
      message: 'No readable record contains “nowhere”.',
      param: 'q',
      detail: { words: ['nowhere'] },
    },
  ]
  for (const [q, owner, client, warned] of [
    ['river', 3, 1],
    ['boat', 3, 3],
    ['river boat', 2, 1],
    ['the river and the boat', 2, 1],
    ['river nowhere', 0, 0, warnings],
  ] as const) {
    for (const [by, count] of [
      [server.ownerToken, owner],
      [token, client],
    ] as const) {
      const told = { warnings: warned ?? [], count, count_accuracy: 'exact', recall: all }
      assert.deepEqual(await meta(q, by), told, q)
    }
  }
  assert.equal((await meta('boat', token, '&where[id]=a&streams[]=messages')).count, 1)
  assert.deepEqual((await meta('boat', token, '&limit=1')).count, 3)
  for (const q of ['"a boat"', 'riv*', 'river -boat']) {
    const { count, count_accuracy } = await meta(q)
    assert.deepEqual([count, count_accuracy], [null, 'not_counted'], q)
  }
  const first = (await server.json('/v1/search?q=boat&limit=1')).body
  const second = (await server.json(`/v1/search?q=boat&limit=1&cursor=${first.next_cursor}`)).body
  assert.deepEqual(second.meta, first.meta)

  const many = Array.from({ length: 1_001 }, (_, n) => message(`n${n}`, { body: 'pebble shore' }))
  await server.ingest('messages', mail, many.slice(0, 700))
  const counted = async (q: string) => {
    const { count, count_accuracy } = await meta(q)
    return [count, count_accuracy]
  }
  const queries = ['pebble', 'pebble shore']
  for (const q of queries) assert.deepEqual(await counted(q), [700, 'exact'], q)
  await server.ingest('messages', mail, many.slice(700, 1_000))
  for (const q of queries) assert.deepEqual(await counted(q), [1_000, 'exact'], q)
  await server.ingest('messages', mail, many.slice(1_000))
  for (const q of queries) assert.deepEqual(await counted(q), [1_000, 'lower_bound'], q)
  // Fewer records contain both common words, and one record also contains a rare word.
  await server.ingest(
    'messages',
    mail,
    Array.from({ length: 601 }, (_, n) => message(`s${n}`, { body: n < 5 ? 'sand pebble' : 'sand' })),
  )
  assert.deepEqual(await counted('sand pebble'), [5, 'exact'])
  assert.deepEqual(await counted('sand'), [601, 'exact'])
  await server.ingest('messages', mail, [message('r', { body: 'sand pebble shore lighthouse' })])
  assert.deepEqual(await counted('pebble lighthouse sand'), [1, 'exact'])
  assert.deepEqual(await counted('sand pebble shore'), [1, 'exact'])
  assert.deepEqual((await meta('pebble')).recall, {
    complete: false,
    ranking_scope: 'candidate_window',
    truncated: true,
  })
})
