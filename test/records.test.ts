import assert from 'node:assert/strict'
import { type Answer, type Engine, onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source, stream } from './mailbox.ts'
import { Transcript } from './transcript.ts'

const LIST = '/v1/streams/messages/records'
const EVENTS = '/v1/streams/events/records'
const AT = '2026-01-01T00:00:00Z'

/** Streams ordered by values of every kind and by text. */
const EVENTS_DECLARATION: ReturnType<typeof source> & Record<string, unknown> = {
  ...source('events', 'Events'),
  streams: [
    stream(
      'events',
      {
        at: { type: ['integer', 'number', 'string', 'boolean', 'null'] },
        n: { type: 'number' },
        flag: { type: 'boolean' },
        day: { type: 'string', format: 'date' },
        constructor: { type: 'string' },
      },
      { cursor_field: 'at', query: { range_filters: { n: ['gte', 'gt', 'lte', 'lt'], day: ['gte', 'lt'] } } },
    ),
    stream('names', { name: { type: 'string' } }, { cursor_field: 'name' }),
  ],
}

function ids({ body }: Answer): string[] {
  return body.data.map((record: { id: string }) => record.id)
}

function refusal({ status, body }: Answer): unknown[] {
  return [status, body?.error?.code, body?.error?.param]
}

async function walk(server: TestServer, path: string, token = server.ownerToken): Promise<string[]> {
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const page = await server.json(path + cursor, { token })
    assert.equal(page.status, 200, JSON.stringify(page.body))
    seen.push(
      ...page.body.data.map(
        (record: { connection_id: string; id: string }) => `${record.connection_id}/${record.id}`,
      ),
    )
    if (!page.body.has_more) {
      assert.ok(!('next_cursor' in page.body))
      return seen
    }
    cursor = `&cursor=${page.body.next_cursor}`
  }
}

function byCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

async function mailboxOf(engine: Engine, title: string) {
  const server = await TestServer.start(engine)
  const transcript = new Transcript(title, engine)
  const mail = await server.connect(MAILBOX, 'Work')
  transcript.name(mail, 'MAIL')
  const get = async (path: string, token = server.ownerToken) =>
    transcript.note(path, await server.json(path, { token }))
  return { server, transcript, mail, get }
}

onEachEngine('ER-1 a list of records respects bounds and order; bad requests are refused', async engine => {
  const { server, transcript, mail, get } = await mailboxOf(engine, 'list')
  await using _ = server
  const lines = Array.from({ length: 130 }, (_, n) => ({
    ...message(`m${String(n).padStart(3, '0')}`, {
      received_at: new Date(Date.UTC(2026, 0, 1, n % 40)).toISOString().replace('.000', ''),
      size: n % 3 === 0 ? null : n,
    }),
    emitted_at: AT,
  }))
  await server.ingest('messages', mail, lines)

  assert.equal((await get(LIST)).body.data.length, 25)
  assert.equal((await get(`${LIST}?limit=1`)).body.data.length, 1)
  assert.equal((await get(`${LIST}?limit=100`)).body.data.length, 100)
  const clamped = await get(`${LIST}?limit=101`)
  assert.equal(clamped.body.data.length, 100)
  assert.deepEqual(
    clamped.body.meta.warnings.map((warning: { code: string; param: string }) => [
      warning.code,
      warning.param,
    ]),
    [['limit_clamped', 'limit']],
  )
  for (const limit of ['0', '-1', 'abc', '', '1.5', '1e1', '0x10', ' 1', '9'.repeat(30)]) {
    const answer = await get(`${LIST}?limit=${encodeURIComponent(limit)}`)
    assert.deepEqual(refusal(answer), [400, 'invalid_request', 'limit'], limit)
  }
  const expected = lines
    .map(({ data }) => `${data.received_at} ${data.id}`)
    .sort(byCodePoints)
    .map(line => `${mail}/${line.split(' ')[1]}`)
  assert.deepEqual(await walk(server, `${LIST}?order=asc&limit=7`), expected)
  assert.deepEqual(await walk(server, `${LIST}?limit=11`), expected.toReversed())
  assert.equal((await get(`${LIST}?count=exact&limit=1`)).body.meta.count, 130)
  assert.equal((await get(`${LIST}?count=exact&limit=1&filter[size]=7`)).body.meta.count, 1)
  assert.equal((await get(`${LIST}?limit=1`)).body.meta.count, undefined)

  for (const [query, param] of [
    ['order=up', 'order'],
    ['count=about', 'count'],
    ['fields=', 'fields'],
    ['fields=id,,body', 'fields'],
    ['max_field_chars=0', 'max_field_chars'],
    ['max_field_chars=x', 'max_field_chars'],
    ['offset=3', 'offset'],
    ['Limit=3', 'Limit'],
    ['filter=3', 'filter'],
    ['filter[]=3', 'filter[]'],
    ['filter[from', 'filter[from'],
    ['filter[size][between]=3', 'filter[size][between]'],
    ['filter[size][]=3', 'filter[size][]'],
    ['filter[size]=many', 'filter[size]'],
    ['filter[size]=', 'filter[size]'],
    ['filter[received_at]=yesterday', 'filter[received_at]'],
    ['filter[from][gte]=a', 'filter[from][gte]'],
    ['filter[secret][lt]=a', 'filter[secret][lt]'],
    ['limit=1&limit=2', 'limit'],
    ['order=asc&order=asc', 'order'],
    ['order=asc&order=desc', 'order'],
    ['filter[from]=%00', 'filter[from]'],
  ]) {
    const answer = await get(`${LIST}?${query}`)
    assert.deepEqual(refusal(answer), [400, 'invalid_request', param], query)
    assert.equal(answer.body.error.type, 'invalid_request_error')
    assert.equal(answer.body.error.request_id, answer.headers.get('Request-Id'))
  }
  for (const [query, param] of [
    ['fields=nothing', 'fields'],
    ['filter[nothing]=3', 'filter[nothing]'],
    ['filter[__proto__]=3', 'filter[__proto__]'],
  ]) {
    assert.deepEqual(refusal(await get(`${LIST}?${query}`)), [400, 'unknown_field', param], query)
  }
  assert.deepEqual(refusal(await get(`${LIST}?connection_id=cin_none`)), [
    404,
    'connection_not_found',
    'connection_id',
  ])
  assert.deepEqual(refusal(await get('/v1/streams/nothing/records')).slice(0, 2), [404, 'not_found'])
  const chosen = await get(`${LIST}?fields=id,size&limit=1`)
  assert.deepEqual(Object.keys(chosen.body.data[0].data), ['id', 'size'])
  assert.equal(chosen.body.data[0].title, null)

  const version = { 'PDPP-Version': '2026-04-06' }
  for (const path of [LIST, `${LIST}/nothing`, '/nowhere']) {
    const answer = await server.json(path, { headers: version })
    assert.equal(answer.headers.get('PDPP-Version'), '2026-04-06')
    assert.match(answer.headers.get('Request-Id') ?? '', /^req_/)
  }
  assert.equal((await server.json(LIST)).headers.get('PDPP-Version'), '2026-04-06')
  const other = await server.json(LIST, { headers: { 'PDPP-Version': '2020-01-01' } })
  assert.deepEqual(refusal(other), [400, 'unsupported_version', 'PDPP-Version'])
  transcript.compare()
  assert.deepEqual(server.failures, [])
})

onEachEngine('numbers, texts, nulls and mixed values have the same order on both engines', async engine => {
  await using server = await TestServer.start(engine)
  const transcript = new Transcript('orders', engine)
  const events = await server.connect(EVENTS_DECLARATION)
  transcript.name(events, 'EVENTS')
  const texts = ['', 'a', 'B', 'é', 'z', 'ﬀ', '\uFFFD', '𝒜', '👋', 'a\u0001', 'a b', "a'b", 'a%', '漢字']
  const order = [
    ...['-12345678901234567890', '-1e3', '-999', '-1.5', '-1e-7', '0', '1e-7', '0.5', '1', '2', '10', '11'],
    ...['9007199254740991', '9007199254740993', '9007199254740994', '1e300', '1e400'],
    ...['false', 'true'],
    ...texts.map(text => JSON.stringify(text)).sort((a, b) => byCodePoints(JSON.parse(a), JSON.parse(b))),
  ]
  const shuffled = order.map((at, n) => {
    const number = /^[-\d]/.test(at) ? `,"n":${at}` : ''
    return `{"data":{"id":"e${String((n * 17) % 100).padStart(2, '0')}","at":${at}${number}}}`
  })
  const without = [
    `{"data":{"id":"v2"}}`,
    `{"data":{"id":"v1","at":null}}`,
    `{"data":{"id":"v10","at":null}}`,
  ]
  const outcome = await server.ingest('events', events, [...without, ...shuffled].reverse().join('\n'))
  assert.deepEqual([outcome.body.added, outcome.body.rejected], [order.length + 3, 0])
  const expected = order.map((_, n) => `${events}/e${String((n * 17) % 100).padStart(2, '0')}`)
  const last = ['v1', 'v10', 'v2'].map(id => `${events}/${id}`)
  assert.deepEqual(await walk(server, `${EVENTS}?order=asc&limit=3`), [...expected, ...last])
  assert.deepEqual(await walk(server, `${EVENTS}?limit=4`), [...expected.toReversed(), ...last.toReversed()])

  const found = async (query: string) => {
    const answer = transcript.note(query, await server.json(`${EVENTS}?order=asc&limit=100&${query}`))
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.data.length
  }
  assert.equal(await found('filter[at]=1'), 1)
  assert.equal(await found('filter[at]=1.0'), 1)
  assert.equal(await found('filter[at]=9007199254740993'), 1)
  assert.equal(await found('filter[at]=9007199254740992'), 0)
  assert.equal(await found('filter[n][gt]=9007199254740992&filter[n][lt]=1e18'), 2)
  assert.equal(await found('filter[n][gte]=-1000&filter[n][lt]=0'), 4)
  assert.equal(await found('filter[at]=true'), 1)
  assert.equal(await found(`filter[at]=${encodeURIComponent("a'b")}`), 1)
  assert.equal(await found('filter[at]=a%25'), 1)

  const days = [
    ['d1', '2026-01-31', true],
    ['d2', '2026-02-01', false],
    ['d3', '2026-02-02', true],
  ].map(([id, day, flag]) => ({ data: { id, day, flag, constructor: 'Lotus' } }))
  await server.ingest('events', events, days)
  assert.equal(await found('filter[flag]=true'), 2)
  assert.equal(await found('filter[flag]=false&filter[day]=2026-02-01'), 1)
  assert.equal(await found('filter[day][gte]=2026-02-01&filter[day][lt]=2026-02-02'), 1)
  assert.equal(await found('filter[day][gte]=2026-01-31T23:30:00-01:00'), 1)
  assert.equal(await found('filter[constructor]=Lotus'), 3)
  for (const query of ['filter[flag]=yes', 'filter[at][gte]=1', 'filter[day][gt]=2026-01-01']) {
    assert.equal((await server.json(`${EVENTS}?${query}`)).status, 400, query)
  }

  // Texts that differ only after the indexed part, and texts with every kind of character.
  const names = [...texts, ...['x', 'y', 'z'].map(end => 'n'.repeat(300) + end), 'n'.repeat(20_000)]
  await server.ingest(
    'names',
    events,
    names.map((name, n) => ({ key: `n${n}`, data: { id: `n${n}`, name }, emitted_at: AT })),
  )
  for (const query of ['order=asc', 'order=desc', `filter[name]=${'n'.repeat(300)}y`]) {
    transcript.note(query, await server.json(`/v1/streams/names/records?limit=100&${query}`))
  }
  const one = await server.json(`/v1/streams/names/records?filter[name]=${'n'.repeat(300)}y`)
  assert.deepEqual(ids(one), ['n15'])
  transcript.compare()
  assert.deepEqual(server.failures, [])
})

onEachEngine(
  'RF-8 several connections are merged in true order and cursors are bound to their read',
  async engine => {
    await using server = await TestServer.start(engine)
    const connections = [
      await server.connect(MAILBOX, 'A'),
      await server.connect(MAILBOX, 'B'),
      await server.connect(MAILBOX, 'C'),
    ]
    const [first = '', second = '', third = ''] = connections
    const marks = ['a', 'Z', 'é', '\uFFFD', '👋', '漢', 'a b', '']
    const all: { key: string; at: string }[] = []
    for (const [c, connection] of connections.entries()) {
      const lines = Array.from({ length: 40 }, (_, n) => {
        const id = `${marks[n % marks.length]}${(n * 7 + c) % 11}-${n % 4}`
        const received_at = `2026-01-0${1 + (n % 5)}T0${(n + c) % 3}:00:00${n % 2 ? 'Z' : '+00:00'}`
        return message(id, { received_at, from: n % 2 ? 'x' : 'y' })
      })
      await server.ingest('messages', connection, lines)
      const kept = new Map(lines.map(({ data }) => [data.id as string, data.received_at as string]))
      for (const [id, at] of kept)
        all.push({ key: `${connection}/${id}`, at: `${at.slice(0, 19)} ${id} ${connection}` })
    }
    const expected = all.sort((a, b) => byCodePoints(a.at, b.at)).map(({ key }) => key)
    const token = await server.grant()
    for (const limit of [1, 9, 100]) {
      assert.deepEqual(await walk(server, `${LIST}?order=asc&limit=${limit}`), expected)
      assert.deepEqual(await walk(server, `${LIST}?limit=${limit}`, token), expected.toReversed())
    }
    const twoOfThree = await server.grant({ connections: [first, third] })
    assert.deepEqual(
      await walk(server, `${LIST}?order=asc&limit=13`, twoOfThree),
      expected.filter(key => !key.startsWith(second)),
    )
    // If a field is hidden, its order must not be visible.
    const hidden = await server.grant({ fields: ['id', 'subject'] })
    const byId = [...expected].sort((a, b) => {
      const [[ca = '', ia = ''], [cb = '', ib = '']] = [a.split('/'), b.split('/')]
      return byCodePoints(ia, ib) || byCodePoints(ca, cb)
    })
    assert.deepEqual(await walk(server, `${LIST}?order=asc&limit=17`, hidden), byId)
    assert.deepEqual(await walk(server, `${LIST}?limit=17`, hidden), byId.toReversed())

    const page = await server.json(`${LIST}?limit=3&order=asc&where[from]=x`, { token })
    const cursor: string = page.body.next_cursor
    assert.match(cursor, /^[A-Za-z0-9_-]+$/)
    const again = `${LIST}?limit=3&order=asc&where[from]=x&cursor=${cursor}`
    assert.equal((await server.json(again, { token })).status, 200)
    assert.equal((await server.json(`${again}&fields=id`, { token })).status, 200)
    const flipped = (at: number) =>
      `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`
    const notesPage = `/v1/streams/notes/records?limit=3&order=asc&cursor=${cursor}`
    for (const [path, with_] of [
      [again, server.ownerToken],
      [again, twoOfThree],
      [again, await server.grant()],
      [again.replace('order=asc', 'order=desc'), token],
      [again.replace('&order=asc', ''), token],
      [again.replace('=x', '=y'), token],
      [again.replace('&where[from]=x', ''), token],
      [again.replace('where[from]=x', 'where[from]=x&where[id]=q'), token],
      [`${again}&connection_id=${first}`, token],
      [`${LIST}?changes_since=beginning&cursor=${cursor}`, token],
      [notesPage, token],
      [`/v1/streams/messages/records/x/field-window?field=body&cursor=${cursor}`, token],
      [again.replace(cursor, ''), token],
      [again.replace(cursor, 'x'), token],
      [again.replace(cursor, cursor.slice(0, -1)), token],
      [again.replace(cursor, `${cursor}AAAA`), token],
      [again.replace(cursor, flipped(0)), token],
      [again.replace(cursor, flipped(12)), token],
      [again.replace(cursor, flipped(cursor.length - 5)), token],
      [again.replace(cursor, encodeURIComponent('../../etc')), token],
    ] as [string, string][]) {
      const answer = await server.json(path, { token: with_ })
      // A window checks the record, which does not exist, before the cursor.
      const expected = path.includes('field-window') ? [404, 'not_found'] : [400, 'invalid_cursor']
      assert.deepEqual([answer.status, answer.body.error.code], expected, path)
    }
    server.clockOffsetMs = 24 * 3_600_000 - 60_000
    assert.equal((await server.json(again, { token })).status, 200)
    server.clockOffsetMs = 24 * 3_600_000 + 60_000
    assert.deepEqual(refusal(await server.json(again, { token })), [400, 'invalid_cursor', 'cursor'])
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine('RS-4 RS-5 filters, fields and dates respect a grant', async engine => {
  const { server, transcript, mail, get } = await mailboxOf(engine, 'filters')
  await using _ = server
  await server.ingest('messages', mail, [
    { ...message('a', { received_at: '2026-03-01T10:00:00+02:00', size: 5, secret: 's' }), emitted_at: AT },
    { ...message('b', { received_at: '2026-03-01T08:00:00.000Z', size: 10, from: 'bob' }), emitted_at: AT },
    { ...message('c', { received_at: '2026-03-01T08:00:00.001Z', size: -3 }), emitted_at: AT },
    { ...message('d', { received_at: '2026-02-28T23:00:00-10:00', size: null }), emitted_at: AT },
  ])
  const token = await server.grant({ fields: ['id', 'received_at', 'size'] })
  const time = (text: string) => encodeURIComponent(text)
  for (const [query, expected] of [
    [`where[received_at]=${time('2026-03-01T09:00:00+01:00')}`, ['a', 'b']],
    [`where[received_at][gt]=${time('2026-03-01T09:00:00+01:00')}`, ['c', 'd']],
    [
      `where[received_at][gte]=2026-03-01T08:00:00Z&where[received_at][lt]=2026-03-01T09:00:00Z`,
      ['a', 'b', 'c'],
    ],
    [`where[received_at][lte]=2026-03-01T08:00:00Z`, ['a', 'b']],
    ['where[received_at][gte]=2026-03-01', ['a', 'b', 'c', 'd']],
    ['where[size][gt]=-4&where[size][lte]=5', ['c', 'a']],
    ['where[size]=10.0', ['b']],
    ['where[size][lt]=1e0', ['c']],
    ['where[id]=b', ['b']],
    ['where[id]=', []],
  ] as [string, string[]][]) {
    for (const with_ of [server.ownerToken, token]) {
      const answer = await get(`${LIST}?order=asc&${query}`, with_)
      assert.deepEqual(ids(answer).sort(), [...expected].sort(), query)
      assert.deepEqual(
        (await get(`${LIST}?limit=1&count=exact&${query}`, with_)).body.meta.count,
        expected.length,
      )
    }
  }
  for (const [query, param] of [
    ['where[secret]=s', 'where[secret]'],
    ['where[from]=bob', 'where[from]'],
    ['fields=id,secret', 'fields'],
  ]) {
    assert.deepEqual(refusal(await get(`${LIST}?${query}`, token)), [403, 'field_not_granted', param])
  }
  for (const [query, param] of [
    ['where[nothing]=s', 'where[nothing]'],
    ['fields=nothing', 'fields'],
  ]) {
    const refused = await get(`${LIST}?${query}`, token)
    assert.deepEqual(refusal(refused), [400, 'unknown_field', param])
    assert.match(refused.body.error.message, /a field nothing\. It has id, size, received_at\.$/)
  }
  const record = await get(`${LIST}/a`, token)
  assert.deepEqual(Object.keys(record.body.data).sort(), ['id', 'received_at', 'size'])
  assert.equal(record.body.title, null)
  assert.equal(record.body.version, undefined)
  assert.equal((await get(`${LIST}/a`)).body.version, 1)
  assert.deepEqual((await get(`${LIST}/a?fields=size`, token)).body.data, { id: 'a', size: 5 })
  assert.deepEqual(refusal(await get(`${LIST}/a?fields=secret`, token)), [403, 'field_not_granted', 'fields'])
  transcript.compare()
  assert.deepEqual(server.failures, [])
})

onEachEngine('one record can be read whole, cut, conditionally and by any unambiguous id', async engine => {
  const { server, transcript, mail, get } = await mailboxOf(engine, 'one record')
  await using _ = server
  const long = `${'Grüße, 漢字 and 👋🏽 "quotes" \\ \n\r\t\u0001\u2028 עברית '.repeat(50_000)}`.slice(
    0,
    2_100_000,
  )
  const fat = {
    id: 'fat',
    from: 'x',
    received_at: AT,
    body: long,
    parts: [{ text: 'p'.repeat(50) }, '👋'.repeat(30)],
  }
  const odd = [
    ...['a/b', 'a%b', '%2F', '%', 'a?b=c&d', 'a#b', 'a b', ' ', 'a+b', 'a:b:c', '漢字👋', '"', "';--", '\\'],
    ...['a\nb', '...', 'x/..'],
  ]
  await server.ingest('messages', mail, [
    { data: fat, emitted_at: AT },
    ...odd.map(id => ({ ...message(id), emitted_at: AT })),
  ])
  const whole = await server.request(`${LIST}/fat`)
  const text = await whole.text()
  assert.deepEqual(JSON.parse(text).data, fat)
  const etag = whole.headers.get('ETag') ?? ''
  assert.match(etag, /^"[\w-]+"$/)
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const held = await server.request(`${LIST}/fat`, { headers: { 'If-None-Match': tag } })
    assert.deepEqual([held.status, await held.text(), held.headers.get('ETag')], [304, '', etag])
  }
  for (const tag of ['"x"', '*'])
    assert.equal((await server.request(`${LIST}/fat`, { headers: { 'If-None-Match': tag } })).status, 200)
  const head = await server.request(`${LIST}/fat`, { method: 'HEAD' })
  assert.deepEqual([head.status, await head.text(), head.headers.get('ETag')], [200, '', etag])

  const cut = await get(`${LIST}/fat?max_field_chars=25`)
  assert.equal(cut.body.data.body, Array.from(long.slice(0, 60)).slice(0, 25).join(''))
  assert.deepEqual(cut.body.data.parts, [{ text: 'p'.repeat(25) }, '👋'.repeat(25)])
  assert.deepEqual(
    cut.body.truncated_fields.map(
      (field: { field_path: string; size_chars: number; returned_chars: number }) => [
        field.field_path,
        field.size_chars,
        field.returned_chars,
      ],
    ),
    [
      ['/parts/0/text', 50, 25],
      ['/parts/1', 30, 25],
      ['body', Array.from(long).length, 25],
    ],
  )
  const window = await get(`${LIST}/fat/field-window?field=body&limit_chars=10`)
  assert.equal(window.body.field.digest, cut.body.truncated_fields[2].digest)
  const windowTag = window.headers.get('ETag') ?? ''
  const held = { 'If-None-Match': windowTag }
  assert.equal(
    (await server.request(`${LIST}/fat/field-window?field=body&limit_chars=10`, { headers: held })).status,
    304,
  )
  assert.equal(
    (await server.request(`${LIST}/fat/field-window?field=body&limit_chars=11`, { headers: held })).status,
    200,
  )
  assert.equal((await get(`${LIST}/fat?max_field_chars=50&fields=parts`)).body.truncated_fields, undefined)
  assert.deepEqual((await get(`${LIST}/fat?fields=parts`)).body.data, { id: 'fat', parts: fat.parts })

  for (const id of odd) {
    const path = `${LIST}/${encodeURIComponent(id)}`
    const answer = await get(path)
    assert.deepEqual([answer.status, answer.body.id, answer.body.data?.id], [200, id, id])
    const [, , connection, stream, shown = ''] = new URL(answer.body.url).pathname.split('/')
    assert.deepEqual(
      [connection, stream, decodeURIComponent(shown)],
      [answer.body.connection_id, 'messages', id],
    )
    assert.equal((await get(`${path}/field-window?field=subject`)).body.window?.text, `Subject ${id}`)
  }
  for (const id of ['nothing', '%00', '%ff', '%zz', 'a%', 'A%2Fb', 'fat%20', 'FAT']) {
    assert.equal((await get(`${LIST}/${id}`)).status, 404, id)
  }

  const tags = new Set([etag])
  await server.ingest('messages', mail, [{ data: { ...fat, body: `${long}.` } }])
  tags.add((await server.request(`${LIST}/fat`, { method: 'HEAD' })).headers.get('ETag') ?? '')
  assert.equal(tags.size, 2)

  const other = await server.connect(MAILBOX, 'Home')
  transcript.name(other, 'OTHER')
  await server.ingest('messages', other, [message('fat', { received_at: '2025-01-01T00:00:00Z' })])
  const ambiguous = await server.json(`${LIST}/fat`)
  assert.deepEqual([ambiguous.status, ambiguous.body.error.code], [409, 'ambiguous_connection'])
  assert.equal(ambiguous.body.error.type, 'conflict_error')
  assert.equal(ambiguous.body.error.retry_with, 'connection_id')
  const named = (connection_id: string, display_name: string) => ({
    connection_id,
    connector_key: 'mailbox',
    display_name,
  })
  assert.deepEqual(
    new Set(ambiguous.body.error.available_connections.map((item: object) => JSON.stringify(item))),
    new Set([named(mail, 'Work'), named(other, 'Home')].map(item => JSON.stringify(item))),
  )
  assert.equal((await server.json(`${LIST}/fat/field-window?field=from`)).status, 409)
  assert.equal((await server.json(`${LIST}/fat?connection_id=${other}`)).body.display_name, 'Home')
  assert.deepEqual(refusal(await server.json(`${LIST}/fat?connection_id=cin_none`)).slice(0, 2), [
    404,
    'connection_not_found',
  ])
  const recent = await server.grant({ since: '2026-01-01' })
  assert.equal((await server.json(`${LIST}/fat?fields=id`, { token: recent })).body.connection_id, mail)
  const one = await server.grant({ connections: [other] })
  assert.equal((await server.json(`${LIST}/fat`, { token: one })).body.connection_id, other)
  assert.deepEqual(
    refusal(await server.json(`${LIST}/fat?connection_id=${mail}`, { token: one })).slice(0, 2),
    [404, 'connection_not_found'],
  )
  transcript.compare()
  assert.deepEqual(server.failures, [])
})

onEachEngine('a record that is replaced while it is read is still answered', async engine => {
  await using server = await TestServer.start(engine)
  const mail = await server.connect(MAILBOX)
  const body = (n: number) => `${n} `.repeat(20_000)
  await server.ingest('messages', mail, [message('m', { body: body(0) })])
  const writes = (async () => {
    for (let n = 1; n <= 15; n++) await server.ingest('messages', mail, [message('m', { body: body(n) })])
  })()
  let writing = true
  const done = writes.then(() => {
    writing = false
  })
  while (writing) {
    const paths = [`${LIST}/m?max_field_chars=30000`, `${LIST}/m/field-window?field=body`, LIST]
    const answers = await Promise.all(paths.map(path => server.json(path)))
    for (const answer of answers) assert.equal(answer.status, 200)
    await new Promise(setImmediate)
  }
  await done
  assert.deepEqual(server.failures, [])
})
