import assert from 'node:assert/strict'
import { count, type Engine, onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source, stream } from './mailbox.ts'
import { processorTime } from './processor-time.ts'

interface Window {
  field_path: string
  start_chars: number
  end_chars: number
  text: string
  text_start_chars: number
  text_end_chars: number
  size_chars: number
}
interface Hit {
  record_key: string
  connection_id: string
  title: string | null
  match_windows: Window[]
}

async function find(server: TestServer, q: string, more = '', token = server.ownerToken): Promise<Hit[]> {
  const { status, body } = await server.json(`/v1/search?q=${encodeURIComponent(q)}${more}`, { token })
  assert.equal(status, 200, `${q}: ${JSON.stringify(body)}`)
  return body.data
}

const ids = (hits: Hit[]) => hits.map(hit => hit.record_key)

async function mailServer(engine: Engine, messages: Record<string, Record<string, unknown>>) {
  const server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const lines = Object.entries(messages).map(([id, data]) => message(id, { subject: null, ...data }))
  const { body } = await server.ingest('messages', connection, lines)
  assert.equal(body.added, lines.length, JSON.stringify(body))
  return { server, connection }
}

onEachEngine(
  'EV-8 words are found by stem, in any case, without accents, by part, and in scripts without spaces',
  async engine => {
    const { server } = await mailServer(engine, {
      en: { body: 'The committees were RUNNING late; see report_v2.0.1-final.pdf' },
      de: { body: 'Grüße aus Köln über die Straße' },
      zh: { body: '我们明天去北京大学参加会议' },
      ja: { body: '東京都に行く予定です' },
      th: { body: 'ฉันรักภาษาไทยมาก' },
      years: { body: 'เมื่อห้าปีก่อน' },
      ru: { body: 'Новые книги о городах' },
      mail: { body: 'Write to bob.smith+x@example.com or https://example.com/a/b?c=1 before 2026-11-15' },
    })
    await using _ = server
    const expected: Record<string, string[]> = {
      committee: ['en'],
      'runs late': ['en'],
      'v2.0.1': ['en'],
      'report_v2.0.1-final.pdf': ['en'],
      koln: ['de'],
      KÖLN: ['de'],
      'ko\u0308ln': ['de'],
      北京: ['zh'],
      大学: ['zh'],
      東京: ['ja'],
      ภาษา: ['th'],
      ปี: ['years'],
      книга: ['ru'],
      'bob.smith+x@example.com': ['mail'],
      smith: ['mail'],
      '2026-11-15': ['mail'],
      'gruss*': [],
      'committ*': ['en'],
      '"running late"': ['en'],
      'late -running': [],
      'late -köln': ['en'],
      'late -"running late"': [],
      'late -"late running"': ['en'],
      '-"running late"': [],
    }
    for (const [q, found] of Object.entries(expected))
      assert.deepEqual(ids(await find(server, q)).slice(0, found.length || 1), found, q)
    for (const q of Object.keys(expected)) {
      for (const hit of await find(server, q))
        for (const window of hit.match_windows) assert.ok(window.end_chars > window.start_chars)
    }
  },
)

onEachEngine('EV-1 every window is exact, bounded and can be verified in the field itself', async engine => {
  const filler = (seed: number) => Array.from({ length: 4_000 }, (_, i) => `w${(i * seed) % 997}`).join(' ')
  const { server } = await mailServer(engine, {
    short: {
      subject: 'Quarterly budget',
      body: 'The budget 👋🏽 of the quarter was approved. Budget again, quarter again.',
    },
    long: { body: `${filler(7)} zebra quarterly 予算 budget ${filler(13)} the budget alone` },
    nested: { subject: 'x', body: 'unrelated' },
  })
  await using _ = server
  for (const q of ['quarterly budget', '"quarterly 予算"', '予算', 'budg*', 'zebra -nothing', 'the budget']) {
    const hits = await find(server, q, '&windows=3&window_chars=80')
    assert.ok(hits.length > 0, q)
    for (const hit of hits) {
      assert.ok(hit.match_windows.length >= 1 && hit.match_windows.length <= 3)
      for (const window of hit.match_windows) await assertExact(server, hit, window, 80)
    }
  }
  const hits = await find(server, 'zebra budget', '&windows=1')
  const best = hits.find(hit => hit.record_key === 'long')
  const window = best?.match_windows[0] as Window
  const matched = Array.from(window.text).slice(
    window.start_chars - window.text_start_chars,
    window.end_chars - window.text_start_chars,
  )
  assert.equal(matched.join(''), 'zebra quarterly 予算 budget')
})

onEachEngine('EV-1 a match that is visible in the text around another is not repeated', async engine => {
  const filler = 'something else entirely '.repeat(10)
  const { server } = await mailServer(engine, {
    near: { subject: 'Heron', body: 'A heron stood there, and another heron beside it.' },
    far: { body: `heron ${filler} heron ${filler} heron, heron, heron` },
  })
  await using _ = server
  const hits = await find(server, 'heron', '&windows=3&window_chars=80')
  const shown = (id: string) =>
    hits
      .find(hit => hit.record_key === id)
      ?.match_windows.map(({ field_path }) => field_path)
      .toSorted()
  assert.deepEqual(
    [shown('near'), shown('far')],
    [
      ['body', 'subject'],
      ['body', 'body', 'body'],
    ],
  )
})

async function assertExact(server: TestServer, hit: Hit, window: Window, windowChars: number): Promise<void> {
  const { field_path, text_start_chars: start, text_end_chars: end } = window
  assert.ok(
    end - start <= Math.max(windowChars, window.end_chars - window.start_chars),
    `${field_path} ${start}-${end}`,
  )
  assert.ok(start <= window.start_chars && window.end_chars <= end)
  const path = `/v1/streams/messages/records/${hit.record_key}/field-window`
  const { body } = await server.json(
    `${path}?field=${field_path}&offset_chars=${start}&limit_chars=${end - start}`,
  )
  assert.equal(body.window.text, window.text)
  assert.equal(body.field.size_chars, window.size_chars)
}

onEachEngine('RS-5 what a grant hides neither causes nor suppresses a match', async engine => {
  const server = await TestServer.start(engine)
  await using _ = server
  const work = await server.connect(MAILBOX, 'Work')
  const home = await server.connect(MAILBOX, 'Home')
  const word = 'xylophone'
  await server.ingest('messages', work, [
    message('field', { body: 'open text', subject: `hidden ${word}` }),
    message('time', { body: `${word} before the bound`, received_at: '2020-01-01T00:00:00Z' }),
    message('record', { body: `${word} in a record that is not listed` }),
    message('deleted', { body: `${word} soon gone` }),
    message('version', { body: `${word} in the first version` }),
    message('plain', { body: 'open text about music' }),
  ])
  await server.ingest('messages', home, [message('connection', { body: `${word} at home` })])
  await server.ingest('messages', work, [
    { key: 'deleted', op: 'delete' },
    message('version', { body: 'the second version' }),
  ])
  const token = await server.grant({
    connections: [work],
    fields: ['id', 'body', 'received_at'],
    since: '2025-01-01',
    records: ['field', 'time', 'deleted', 'version', 'plain'].map(id => `messages:${id}`),
  })
  for (const q of [word, `${word}*`, 'xyl*', `"hidden ${word}"`, `${word} zzz`, 'XYLOPHONES']) {
    assert.deepEqual(await find(server, q, '', token), [], q)
  }
  assert.deepEqual(ids(await find(server, `open -${word}`, '', token)).sort(), ['field', 'plain'])
  const [hit] = await find(server, 'music', '', token)
  assert.deepEqual([hit?.record_key, hit?.title], ['plain', null])
  assert.deepEqual(ids(await find(server, word)).sort(), ['connection', 'field', 'record', 'time'])
})

onEachEngine('EV-1 pages are stable while records are added, and ranks span connections', async engine => {
  const server = await TestServer.start(engine)
  await using _ = server
  const [one, two] = [await server.connect(MAILBOX, 'One'), await server.connect(MAILBOX, 'Two')]
  const lines = (prefix: string) =>
    Array.from({ length: 30 }, (_, i) => message(`${prefix}${i}`, { body: `apple ${'pad '.repeat(i)}` }))
  await server.ingest('messages', one, lines('a'))
  await server.ingest('messages', two, lines('b'))
  const whole = ids(await find(server, 'apple', '&limit=100'))
  assert.equal(new Set(whole).size, 60)
  const walked: string[] = []
  let cursor = ''
  for (let page = 0; page < 20; page++) {
    const { body } = await server.json(`/v1/search?q=apple&limit=7${cursor}`)
    walked.push(...body.data.map((hit: Hit) => hit.record_key))
    await server.ingest('messages', one, [message(`new${page}`, { body: 'apple apple apple' })])
    if (!body.next_cursor) break
    cursor = `&cursor=${body.next_cursor}`
  }
  assert.deepEqual(walked, whole)
  const foreign = await server.json(`/v1/search?q=pear&limit=7${cursor}`)
  assert.deepEqual([foreign.status, foreign.body.error.code], [400, 'invalid_cursor'])
})

onEachEngine(
  'EV-1 a search within a record lists every match in order and in pages; filters and times narrow a search',
  async engine => {
    const body = Array.from({ length: 3_000 }, (_, i) => (i % 100 === 0 ? 'needle' : `straw${i}`)).join(' ')
    const { server, connection } = await mailServer(engine, {
      hay: { body, from: 'x@example.org' },
      other: { body: 'needle', size: 5, received_at: '2026-06-01T00:00:00Z' },
    })
    await using _ = server
    const starts: number[] = []
    let cursor = ''
    do {
      const record = encodeURIComponent(`${connection}/messages:hay`)
      const answer = await server.json(`/v1/search?q=needle&record=${record}&limit=11${cursor}`)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      starts.push(...answer.body.data.map((hit: Hit) => hit.match_windows[0]?.start_chars))
      cursor = answer.body.next_cursor ? `&cursor=${answer.body.next_cursor}` : ''
    } while (cursor)
    const expected = [...body.matchAll(/needle/g)].map(match => match.index)
    assert.deepEqual(starts, expected)
    assert.deepEqual(ids(await find(server, 'needle', '&streams=messages&where[size]=5')), ['other'])
    assert.deepEqual(ids(await find(server, 'needle', '&since=2026-05-01')), ['other'])
    assert.deepEqual(ids(await find(server, 'needle', '&until=2026-05-01')), ['hay'])
    assert.deepEqual(ids(await find(server, 'needle', '&streams=notes')), [])
  },
)

onEachEngine('RS-4 a connection whose stream lacks the filtered field is not searched', async engine => {
  const { server } = await mailServer(engine, { mail: { body: 'soundings', from: 'ada@example.org' } })
  await using _ = server
  const chat = {
    ...source('chat'),
    streams: [
      stream('messages', { body: { type: 'string' } }, { query: { search: { lexical_fields: ['body'] } } }),
    ],
  }
  await server.ingest('messages', await server.connect(chat), [{ data: { id: 'chat', body: 'soundings' } }])
  const found = async (more: string) => ids(await find(server, 'soundings', more)).sort()
  assert.deepEqual(await found('&streams=messages'), ['chat', 'mail'])
  assert.deepEqual(await found('&streams=messages&where[from]=ada@example.org'), ['mail'])
  assert.deepEqual(await found('&streams=messages&where[from]=nobody@example.org'), [])
})

onEachEngine(
  'RS-4 a search of the owner in a stream that does not exist names those that do',
  async engine => {
    const { server } = await mailServer(engine, { mail: { body: 'soundings' } })
    await using _ = server
    const other = {
      ...source('other'),
      streams: MAILBOX.streams.map(each => ({ ...each, name: `of_${each.name}` })),
    }
    const connection = await server.connect(other)
    const { status, body } = await server.json('/v1/search?q=soundings&streams=mesages')
    assert.deepEqual([status, body.data], [200, []])
    const [warning] = body.meta.warnings
    assert.deepEqual([warning.code, warning.param], ['stream_unknown', 'streams'])
    assert.match(warning.message, /There is no stream mesages\. There are messages, /)
    const elsewhere = await server.json(`/v1/search?q=soundings&streams=messages&connection_id=${connection}`)
    assert.deepEqual(elsewhere.body.data, [])
    const codes = elsewhere.body.meta.warnings.map(({ code }: { code: string }) => code)
    assert.ok(!codes.includes('stream_unknown'))
  },
)

onEachEngine('EV-8 hostile queries return a result or a typed error', async engine => {
  const { server } = await mailServer(engine, {
    m1: { body: 'some text with "quotes" and (parens) AND operators: NEAR' },
  })
  await using _ = server
  const fixed = [
    ...['"', '""', '"""', '-', '--', '*', '**', 'a*', '"unbalanced', '- - -', 'AND'],
    ...['OR NOT', 'NEAR(a b)', '(((', "'; DROP TABLE records", '\\', "\\'"],
    ...['\u0301\u0302', '👋🏽', '\u202e', '\ufeff'],
    'a'.repeat(1_000),
    'é'.repeat(1_000),
    '漢'.repeat(1_000),
    '"a '.repeat(300),
    ...['x:y', '{a b}', '^a', 'a + b', '\ud800', '%', '&|!', "''", ':*', '<->'],
    ...['½ ⑴ ㍿ ﷺ', 'İ ı ß ẞ', '๏๎๏', '\u0e33', 'ᄀ', '\u{10ffff}', 'a\0b', '⑴⑵*'],
    `${'漢'.repeat(999)}*`,
    `${'x'.repeat(999)}*`,
    `-${'漢'.repeat(900)}`,
    `"${'ab '.repeat(300)}"`,
  ]
  const alphabet = [
    ...['a', 'b', '"', '-', '*', ' ', '(', ')', "'", '\\', ':', '&', '|', '!', '漢'],
    ...['é', '\u0301', '👋', '.', '@', '\u200d', 'the', 'text'],
  ]
  let state = 12_345
  const random = (n: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  const drawn = Array.from({ length: count(200, 100_000) }, () =>
    Array.from({ length: 1 + random(12) }, () => alphabet[random(alphabet.length)]).join(''),
  )
  for (const q of [...fixed, ...drawn]) {
    const spent = processorTime()
    const { status, body } = await server.json(`/v1/search?limit=3&q=${encodeURIComponent(q.toWellFormed())}`)
    assert.ok(
      status === 200 || (status === 400 && body.error.code === 'invalid_request'),
      `${JSON.stringify(q)} ${status}`,
    )
    assert.ok(spent() < 5_000, `${JSON.stringify(q)} takes too long`)
  }
  for (const q of ['', 'a'.repeat(4_001)]) assert.equal((await server.json(`/v1/search?q=${q}`)).status, 400)
  assert.deepEqual(server.failures, [])
})
