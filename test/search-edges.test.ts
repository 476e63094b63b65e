import assert from 'node:assert/strict'
import { ENOUGH_OF_WORD, MOST_RECORDS } from '../src/model/search/tuning.ts'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

interface Hit {
  record_key: string
  match_windows: { field_path: string; start_chars: number; end_chars: number; text: string }[]
}

async function find(server: TestServer, q: string, more = '', token = server.ownerToken): Promise<Hit[]> {
  const { status, body } = await server.json(`/v1/search?q=${encodeURIComponent(q)}${more}`, { token })
  assert.equal(status, 200, `${q}: ${JSON.stringify(body)}`)
  return body.data
}

const ids = (hits: Hit[]) => hits.map(hit => hit.record_key)
const PIECE = 8_192

/** A text in which `middle` crosses the boundary of two pieces, with its first `before` characters in the first. */
function across(middle: string, before: number, pieces = 3): string {
  const pad = (chars: number) => 'pad '.repeat(Math.ceil(chars / 4)).slice(0, chars - 1)
  return `${pad(PIECE - before)} ${middle} ${pad(PIECE * (pieces - 1))}`
}

onEachEngine('EV-8 words and phrases are found wherever a long text is cut', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const texts: Record<string, string> = {
    inside: across('understand', 5),
    phrase: across('purple monkey dishwasher', 12),
    han: across('漢字仮名', 1),
    between: across('lemur', 0),
    short: across('ocelot', 3, 1.5),
  }
  const lines = Object.entries(texts).map(([id, body]) => message(id, { body, subject: null }))
  await server.ingest('messages', connection, lines)
  const expected: Record<string, string[]> = {
    understand: ['inside'],
    under: [],
    stand: [],
    '"purple monkey dishwasher"': ['phrase'],
    'purple monkey': ['phrase'],
    漢字: ['han'],
    字仮: ['han'],
    仮名: ['han'],
    lemur: ['between'],
    ocelot: ['short'],
    'ocel*': ['short'],
  }
  for (const [q, found] of Object.entries(expected)) {
    const hits = await find(server, q)
    assert.deepEqual(ids(hits), found, q)
    for (const { record_key, match_windows } of hits) {
      assert.ok(match_windows.length > 0, q)
      for (const { start_chars, end_chars } of match_windows) {
        const text = Array.from(texts[record_key] ?? '')
        assert.ok(text.slice(start_chars, end_chars).join('').length > 1, q)
      }
    }
    for (const [id, text] of Object.entries(texts)) {
      const record = encodeURIComponent(`${connection}/messages:${id}`)
      const inside = await find(server, q, `&record=${record}`)
      assert.equal(inside.length > 0, found.includes(id), `${q} in ${id}`)
      for (const { match_windows } of inside) {
        const [window] = match_windows
        const matched = Array.from(text).slice(window?.start_chars, window?.end_chars).join('')
        assert.ok(window?.text.includes(matched) && matched.length > 1, `${q} in ${id}`)
      }
      assert.equal(new Set(inside.map(hit => hit.match_windows[0]?.start_chars)).size, inside.length)
    }
  }
  assert.deepEqual(ids(await find(server, 'pad -lemur')).sort(), ['han', 'inside', 'phrase', 'short'])
  for (const [phrase, kept] of [
    ['purple monkey', 4],
    ['monkey dishwasher', 4],
    ['monkey purple', 5],
    ['pad pad', 0],
  ] as const)
    assert.equal((await find(server, `pad -"${phrase}"`)).length, kept, phrase)
  assert.deepEqual(server.failures, [])
})

onEachEngine('RS-5 a phrase in a hidden field or a hidden text excludes nothing', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [
    message('hidden', { subject: 'budget', body: 'blue whale' }),
    message('shown', { subject: 'budget blue whale', body: 'x' }),
    message('half', { subject: 'budget blue', body: 'whale' }),
  ])
  const { body } = await server.post('/v1/owner/grants', {
    client_name: 'C',
    connections: [connection],
    streams: ['messages'],
    fields: ['id', 'subject', 'received_at'],
  })
  const q = 'budget -"blue whale"'
  assert.deepEqual(ids(await find(server, q, '', body.access_token)).sort(), ['half', 'hidden'])
  assert.deepEqual(ids(await find(server, q)), ['half'])
})

onEachEngine('EV-8 a hit shows the start of a long title, and the ledger records only that', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const subject = `${'Zebra👋 '.repeat(3_000)} giraffe`
  await server.ingest('messages', connection, [message('long', { subject, body: 'ocelot' })])
  const beginning = (chars: number) =>
    `${Array.from(subject)
      .slice(0, chars - 1)
      .join('')}…`
  const { body: grant } = await server.post('/v1/owner/grants', {
    client_name: 'C',
    connections: [connection],
    streams: ['messages'],
  })
  const token = grant.access_token as string
  for (const more of ['', `&record=${encodeURIComponent(`${connection}/messages:long`)}`]) {
    const [hit] = await find(server, 'ocelot', more, token)
    assert.equal((hit as unknown as { title: string }).title, beginning(81))
  }
  const read = await server.json('/v1/streams/messages/records/long', { token })
  assert.equal(read.body.title, beginning(200))
  const { body } = await server.json('/v1/owner/disclosures')
  const searches = body.data.filter((entry: { route: string }) => entry.route.includes('search'))
  assert.equal(searches.length, 2)
  for (const { shown } of searches) assert.deepEqual(shown[0].ranges.subject, [[0, 80]])
})

onEachEngine('EV-8 a field with many texts is indexed completely', async engine => {
  await using server = await TestServer.start(engine)
  const [messages, notes] = MAILBOX.streams
  const query = { ...messages?.query, search: { lexical_fields: ['subject', 'parts'] } }
  const connection = await server.connect({ ...MAILBOX, streams: [{ ...messages, query }, notes] } as never)
  const parts = Array.from({ length: 70_000 }, (_, i) => `item${i}`)
  const { body } = await server.ingest('messages', connection, [message('many', { parts })])
  assert.equal(body.added, 1, JSON.stringify(body))
  for (const n of [0, 35_000, 69_999]) {
    const [hit] = await find(server, `item${n}`)
    assert.equal(hit?.match_windows[0]?.field_path, `/parts/${n}`)
  }
  assert.deepEqual(ids(await find(server, 'subject -item69999')), [])
})

onEachEngine('RS-5 fields that only some grants cover do not count in other records', async engine => {
  const orders: string[][] = []
  for (const hidden of [0, 300]) {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, [
      message('z', { subject: 'zebra', body: 'x' }),
      message('l1', { subject: 'lion', body: 'x' }),
      message('l2', { subject: 'lion', body: 'x' }),
      ...Array.from({ length: 300 }, (_, i) =>
        message(`old${i}`, {
          subject: 'plain',
          body: i < hidden ? 'zebra zebra' : 'other words',
          received_at: '2020-01-01T00:00:00Z',
        }),
      ),
    ])
    const place = { connections: [connection], streams: ['messages'] }
    const token = await server.tokenFor(
      await server.grants({ ...place, fields: ['id', 'subject', 'received_at'] }),
      await server.grants({ ...place, fields: ['id', 'body', 'received_at'], since: '2025-01-01' }),
    )
    const hits = await find(server, 'zebra lion', '&limit=100', token)
    orders.push(ids(hits))
    assert.deepEqual(ids(await find(server, 'plain -zebra', '&limit=100', token)).length, 100)
  }
  assert.deepEqual(orders[0], ['z', 'l1', 'l2'])
  assert.deepEqual(orders[1], orders[0])
})

onEachEngine('RS-5 a hidden time does not affect order, since or until', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [
    message('a', { body: 'same words', received_at: '2020-01-01T00:00:00Z' }),
    message('b', { body: 'same words', received_at: '2026-01-01T00:00:00Z' }),
  ])
  assert.deepEqual(ids(await find(server, 'same')), ['b', 'a'])
  const token = await server.grant({ connections: [connection], fields: ['id', 'body'] })
  assert.deepEqual(ids(await find(server, 'same', '', token)), ['a', 'b'])
  assert.deepEqual(ids(await find(server, 'same', '&since=2025-01-01', token)), [])
})

onEachEngine(
  'EV-8 of many common words, the record with most of them is found behind newer ones',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const words = ['alder', 'birch', 'cedar', 'hazel', 'larch', 'maple']
    const some = (count: number, from: number) =>
      Array.from({ length: count * words.length }, (_, i) =>
        message(`m${from + i}`, { body: `${words[i % words.length]} leaf` }),
      )
    // Each word is in 700 records, so only its newest 600 are looked at, and 300 of them are newer than the best match.
    const [, ...most] = words
    const lines = [...some(400, 0), message('best', { body: `${most.join(' ')} leaf` }), ...some(300, 2_400)]
    for (let i = 0; i < lines.length; i += 500)
      await server.ingest('messages', connection, lines.slice(i, i + 500))
    for (const asked of [words, words.slice(0, 3)])
      assert.deepEqual(ids(await find(server, asked.join(' '), '&limit=1')), ['best'], asked.join(' '))
  },
)

onEachEngine(
  'EV-8 a title of common words is found first, however many newer records contain them',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const lines = [
      message('titled', { subject: 'The budget', body: 'At last.' }),
      ...Array.from({ length: 1_000 }, (_, i) =>
        message(`m${i}`, { subject: `Note ${i}`, body: 'The annual budget and the report about it' }),
      ),
      message('both', { subject: 'Budget report', body: 'Here it is.' }),
      ...Array.from({ length: 1_000 }, (_, i) =>
        message(`n${i}`, { subject: `Note ${i}`, body: 'Some more about the budget and the report' }),
      ),
    ]
    for (let i = 0; i < lines.length; i += 500)
      await server.ingest('messages', connection, lines.slice(i, i + 500))
    const first = async (q: string, token?: string) => ids(await find(server, q, '&limit=2', token))
    assert.deepEqual((await first('budget')).sort(), ['both', 'titled'])
    assert.deepEqual((await first('budget report'))[0], 'both')
    const token = await server.grant({ fields: ['id', 'body', 'received_at'] })
    assert.match((await first('budget', token)).join(), /^n\d+,n\d+$/, 'a hidden title has no influence')
  },
)

onEachEngine(
  'EV-8 if enough records contain all of two words, a search reads no others, on any page',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const lines = Array.from({ length: 700 }, (_, i) => [
      message(`both${i}`, { body: 'A budget and its report' }),
      message(`one${i}`, { body: 'A budget' }),
    ]).flat()
    for (let i = 0; i < lines.length; i += 500)
      await server.ingest('messages', connection, lines.slice(i, i + 500))
    const found: string[] = []
    for (let more = ''; ; ) {
      const { body } = await server.json(`/v1/search?q=budget+report&limit=100${more}`)
      found.push(...ids(body.data))
      if (!body.has_more) break
      more = `&cursor=${body.next_cursor}`
    }
    assert.equal(new Set(found).size, MOST_RECORDS)
    assert.deepEqual(
      found.filter(id => !id.startsWith('both')),
      [],
    )
  },
)

onEachEngine('EV-8 words that begin alike are found for a word that few records contain', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const some = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => message(`m${from + i}`, { body: 'Kompression' }))
  await server.ingest('messages', connection, [
    message('alike', { body: 'Kompromiss' }),
    ...some(1, ENOUGH_OF_WORD),
  ])
  const finds = async () => {
    const hits: Hit[] = []
    for (let more = ''; ; ) {
      const { body } = await server.json(`/v1/search?q=Kompression&limit=100${more}`)
      hits.push(...body.data)
      if (!body.has_more) return hits.some(({ record_key }) => record_key === 'alike')
      more = `&cursor=${body.next_cursor}`
    }
  }
  assert.equal(await finds(), true)
  await server.ingest('messages', connection, some(ENOUGH_OF_WORD, ENOUGH_OF_WORD + 1))
  assert.equal(await finds(), false)
})

onEachEngine('EV-8 a name with a number is found however it is written', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [
    message('one', { subject: 'a', body: 'Levels of IL6 rose' }),
    message('two', { subject: 'b', body: 'Levels of IL 6 rose' }),
    message('sign', { subject: 'c', body: 'Levels of IL-6 rose' }),
    message('other', { subject: 'd', body: 'Six levels' }),
  ])
  for (const q of ['IL6', 'il 6', 'IL-6', 'is IL6?']) {
    const hits = await find(server, q)
    assert.deepEqual(hits.map(({ record_key }) => record_key).sort(), ['one', 'sign', 'two'], q)
    for (const { match_windows, record_key } of hits)
      assert.ok(match_windows.length > 0, `${q}: ${record_key}`)
  }
})

onEachEngine(
  'EV-8 a word of any length and script is indexed and found by its first letters',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const words = ['ж', 'ß', '가', 'e\u0301'].map(letter => letter.repeat(1_200))
    await server.ingest(
      'messages',
      connection,
      words.map((body, n) => message(`m${n}`, { body })),
    )
    for (const [n, word] of words.entries()) {
      assert.deepEqual(ids(await find(server, word.slice(0, 1_200))), [`m${n}`])
    }
  },
)

onEachEngine('EV-8 matches inside a record with a number beyond a double are found', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const data = '"id":"m1","body":"a walrus","received_at":"2026-01-02T03:04:05Z"'
  await server.ingest('messages', connection, `{"data":{${data},"size":9007199254740993}}`)
  const record = encodeURIComponent(`${connection}/messages:m1`)
  assert.deepEqual(ids(await find(server, 'walrus', `&record=${record}`)), ['m1'])
})
