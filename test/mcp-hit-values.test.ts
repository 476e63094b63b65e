import assert from 'node:assert/strict'
import { onEitherEngine, TestServer } from './engines.ts'
import { byTime, source, stream } from './mailbox.ts'
import { bytes, McpTestClient } from './mcp-client.ts'

const TEXT = { type: ['string', 'null'] }
const CARDS = {
  ...source('cards', 'Cards'),
  streams: [
    stream(
      'cards',
      {
        name: { ...TEXT, x_pdpp_role: 'primary-title' },
        given_name: TEXT,
        source_id: TEXT,
        phones: { type: 'array' },
        amount: { type: 'number' },
        changed_at: { type: 'string', format: 'date-time' },
        secret: TEXT,
        note: { ...TEXT, contentMediaType: 'text/plain' },
      },
      { query: { search: { lexical_fields: ['name', 'note'] } } },
    ),
  ],
}
const CARD = {
  ...{ name: 'Odd Halvorsen', given_name: 'odd', source_id: 'x9', secret: 'hush', amount: -25.5 },
  ...{ phones: [{ value: '+47 555 0100', label: 'home' }], changed_at: '2020-01-01T00:00:00Z' },
}

onEitherEngine(
  'EV-2 a hit without a text shows its first granted values, and the ledger names them',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(CARDS)
    await server.ingest('cards', connection, [
      { key: 'a', data: { id: 'a', ...CARD } },
      { key: 'b', data: { id: 'b', ...CARD, note: 'Halvorsen keeps bees' } },
    ])
    const fields = ['id', 'name', 'given_name', 'source_id', 'phones', 'amount', 'changed_at', 'note']
    const token = await server.grant({ streams: ['cards'], fields })
    await using client = await McpTestClient.connect(server, token)
    const { text, structured } = await client.call('search', { query: 'Halvorsen' })
    assert.equal(structured.results.length, 2)
    assert.equal(text.match(/ {2}amount "-25.5" · phones "\+47 555 0100"\n/g)?.length, 1, text)
    assert.ok(!text.includes('hush') && !text.includes('x9'), text)
    assert.ok(bytes(text) <= 1_800)
    const shown = structured.data.data.find(({ record_key }: { record_key: string }) => record_key === 'a')
    assert.deepEqual(shown.values, [
      { field: 'amount', text: '-25.5' },
      { field: 'phones', text: '+47 555 0100' },
    ])
    const { body } = await server.json('/v1/owner/disclosures?limit=100')
    const lines: { route: string; shown: { record_ids: string[]; fields: string[] }[] }[] = body.data
    const line = lines.find(({ route }) => route.includes('/v1/search'))
    const own = line?.shown.find(({ record_ids }) => record_ids.includes('a'))
    assert.deepEqual(own?.fields.toSorted(), ['amount', 'name', 'phones'])
  },
)

const DIARY = {
  ...source('diary', 'Diary'),
  streams: [
    stream(
      'days',
      { title: TEXT, entry: TEXT, mood: TEXT },
      { query: { search: { lexical_fields: ['title', 'entry'] } } },
    ),
  ],
}

onEitherEngine(
  'EV-2 where no field is declared as a text, the beginning of a long value comes last',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(DIARY)
    const entry = `Sow in March, plant out after the last frost. ${'Then water. '.repeat(20)}`
    await server.ingest('days', connection, [
      { key: 'a', data: { id: 'a', title: 'Tomatoes', entry, mood: 'calm' } },
    ])
    await using client = await McpTestClient.connect(server, await server.grant({ streams: ['days'] }))
    const { text, structured } = await client.call('search', { query: 'tomatoes' })
    assert.deepEqual(structured.data.data[0].values, [
      { field: 'title', text: 'Tomatoes' },
      { field: 'mood', text: 'calm' },
      { field: 'entry', text: `${entry.slice(0, 119)}…` },
    ])
    assert.match(text, / {2}mood "calm" · entry "Sow in March, .*…"\n/)
    const ofEntry = await client.call('search', { query: 'water' })
    assert.equal(ofEntry.text.match(/entry/g)?.length, 2, ofEntry.text)
  },
)

const FILES = { type: 'array', x_pdpp_role: 'attachment' }
const LETTERS = {
  ...source('letters', 'Letters'),
  streams: [
    stream(
      'letters',
      {
        text: { ...TEXT, contentMediaType: 'text/plain', x_pdpp_role: 'primary-text' },
        sent_at: { type: 'string', format: 'date-time', x_pdpp_role: 'event-time' },
        files: FILES,
        file_names: FILES,
        hidden_files: FILES,
      },
      { ...byTime('sent_at'), query: { search: { lexical_fields: ['text'] } } },
    ),
  ],
}
const named = (name: string | null, mime_type: string) => ({ name, mime_type })

onEitherEngine('EV-2 a hit names the granted files that has: or type: found', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(LETTERS)
  const letter = (key: string, files: object) => ({
    key,
    data: {
      id: key,
      text: `an engine ${'with a long text '.repeat(20)}`,
      sent_at: '2020-01-01T00:00:00Z',
      ...files,
    },
  })
  await server.ingest('letters', connection, [
    letter('a', {
      files: [
        named('logo.png', 'image/png'),
        named('plan', 'application/pdf'),
        named(null, 'application/pdf'),
      ],
      file_names: ['logo.png', 'plan.pdf'],
      hidden_files: ['secret.pdf'],
    }),
    letter('b', { files: [named(`${'ø'.repeat(99)}.pdf`, 'application/pdf'), named('b.pdf', '')] }),
    letter('c', {}),
    letter('d', { hidden_files: ['secret.pdf'] }),
  ])
  const fields = ['id', 'text', 'sent_at', 'files', 'file_names']
  const token = await server.grant({ streams: ['letters'], fields })
  await using client = await McpTestClient.connect(server, token)
  const found = async (query: string) => {
    const { text, structured } = await client.call('search', { query })
    assert.ok(bytes(text) <= 1_800 && !text.includes('secret'), text)
    const hits: { record_key: string; files?: object[] }[] = structured.data.data
    const files = (key: string) => hits.find(({ record_key }) => record_key === key)?.files
    const results = structured.results.map(({ files }: { files?: string[] }) => files)
    return { text, files, results }
  }
  const ø = `${'ø'.repeat(38)}…`
  const pdf = ['plan', 'application/pdf', 'plan.pdf']
  for (const query of ['type:pdf', 'engine type:pdf', 'engine has:attachment type:pdf']) {
    const { text, files, results } = await found(query)
    assert.deepEqual(files('a'), [
      { field: 'files', text: 'plan' },
      { field: 'files', text: 'application/pdf' },
      { field: 'file_names', text: 'plan.pdf' },
    ])
    assert.deepEqual(files('b'), [
      { field: 'files', text: ø },
      { field: 'files', text: 'b.pdf' },
    ])
    assert.match(text, /\n {2}files: "plan", "application\/pdf", "plan.pdf"\n/)
    assert.deepEqual(results.toSorted(), [pdf, [ø, 'b.pdf']])
  }
  const { files } = await found('has:attachment')
  assert.deepEqual(files('a')?.at(0), { field: 'files', text: 'logo.png' })
  const { text } = await found('engine')
  assert.ok(!text.includes('files:'), text)
  const { body } = await server.json('/v1/owner/disclosures?limit=100')
  const lines: { route: string; shown: { record_ids: string[]; fields: string[] }[] }[] = body.data
  const shown = lines.flatMap(line => (line.route.includes('/v1/search') ? line.shown : []))
  const naming = shown.filter(({ fields }) => fields.includes('file_names'))
  assert.deepEqual([...new Set(naming.flatMap(({ record_ids }) => record_ids))], ['a'])
  assert.ok(!shown.some(({ fields }) => fields.includes('hidden_files')))
})

onEitherEngine('EV-2 a full page of hits names the file of each', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(LETTERS)
  const letters = Array.from({ length: 10 }, (_, n) => ({
    key: `k${n}`,
    data: {
      id: `k${n}`,
      text: 'an engine '.repeat(30),
      sent_at: `2020-01-1${n}T00:00:00Z`,
      files: [`plan ${n}.pdf`],
    },
  }))
  await server.ingest('letters', connection, letters)
  await using client = await McpTestClient.connect(server, await server.grant({ streams: ['letters'] }))
  const { text } = await client.call('search', { query: 'type:pdf' })
  assert.deepEqual(text.match(/files: "plan \d\.pdf"/g)?.length, 10, text)
  assert.ok(bytes(text) <= 1_800)
})

const TALKS = {
  ...source('talks', 'Talks'),
  streams: [
    stream(
      'talks',
      {
        topic: { ...TEXT, x_pdpp_role: ['primary-title', 'place'] },
        text: { ...TEXT, x_pdpp_role: 'primary-text' },
      },
      { query: { search: { lexical_fields: ['topic', 'text'] } } },
    ),
  ],
}

onEitherEngine(
  'EV-2 AN-21 a hit that was found only by its title shows the start of its text, as far as granted',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(TALKS)
    const asked = 'How do I flatten a list of lists without a loop?'
    const long = `${asked} ${'And then? '.repeat(3_000)}`
    await server.ingest('talks', connection, [
      { data: { id: 'a', topic: 'Lists in Python', text: asked } },
      { data: { id: 'b', topic: 'Lists in Python', text: long } },
      { data: { id: 'c', topic: 'Loops', text: 'Python has loops.' } },
    ])
    const ask = async (fields: string[]) => {
      const token = await server.grant({ connections: [connection], streams: ['talks'], fields })
      await using client = await McpTestClient.connect(server, token)
      return await client.call('search', { query: 'python' })
    }
    const { text, structured } = await ask(['id', 'topic', 'text'])
    assert.equal(structured.data.data.length, 3)
    assert.equal(
      text.match(/\n {2}text: "How do I flatten a list of lists without a loop\?/g)?.length,
      2,
      text,
    )
    for (const { record_key, snippet } of structured.data.data) {
      const shown = record_key === 'c' ? undefined : { field: 'text', text: long.slice(0, 120) }
      assert.deepEqual(snippet, record_key === 'a' ? { field: 'text', text: asked } : shown)
    }
    const { body } = await server.json('/v1/owner/disclosures?limit=100')
    const line = body.data.find(({ route }: { route: string }) => route.includes('/v1/search'))
    const own = line.shown.find(({ record_ids }: { record_ids: string[] }) => record_ids.includes('b'))
    assert.deepEqual(own.ranges.text, [[0, 120]])
    const hidden = await ask(['id', 'topic'])
    assert.ok(!JSON.stringify(hidden.structured).includes('flatten') && !hidden.text.includes('flatten'))
  },
)
