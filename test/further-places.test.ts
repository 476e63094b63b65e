import assert from 'node:assert/strict'
import { onEachEngine, onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { bytes, McpTestClient } from './mcp-client.ts'

interface Places {
  field_path: string
  offset_chars: number[]
}
interface Hit {
  record_key: string
  match_windows: { field_path: string; text_start_chars: number; start_chars: number }[]
  also_at?: Places
}

const QUESTION = 'which budget was agreed for the repairs of the roof?'
const PASSAGES = [
  'the budget agreed for repairs of the roof',
  'repairs of the roof were agreed',
  'the roof again',
]
const far = ' pad'.repeat(5_000)
/** Three passages, 20,000 characters apart. */
const LONG = message('long', { subject: 'Minutes', body: PASSAGES.map(each => far + each).join('') + far })
const SHORT = [
  message('short', { body: 'the roof, its repairs and the budget' }),
  message('page', { body: `the roof ${' pad'.repeat(800)} the budget for repairs` }),
]

onEachEngine(
  'AN-28 a hit in a long text has the places of its next best windows, and the ledger too',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, [LONG, ...SHORT])
    const token = await server.grant({ connections: [connection] })
    const hitsOf = async (more: string, q = QUESTION): Promise<Hit[]> =>
      (await server.json(`/v1/search?q=${encodeURIComponent(q)}${more}`, { token })).body.data
    const [wide] = await hitsOf('&windows=3')
    const starts = wide?.match_windows.map(({ text_start_chars }) => text_start_chars)
    const hits = await hitsOf('&windows=1&places=2')
    const hit = hits.find(({ record_key }) => record_key === 'long')
    assert.deepEqual(
      [hit?.match_windows[0]?.text_start_chars, ...(hit?.also_at?.offset_chars ?? [])],
      starts,
      'they are the windows that follow',
    )
    assert.equal(starts?.length, 3)
    assert.equal(hit?.also_at?.field_path, 'body')
    for (const id of ['short', 'page'])
      assert.equal(hits.find(({ record_key }) => record_key === id)?.also_at, undefined)
    const ledger = await server.json('/v1/owner/disclosures?limit=1')
    const shown = JSON.stringify(ledger.body.data[0].shown)
    for (const place of wide?.match_windows ?? [])
      assert.ok(
        shown.includes(`[${place.start_chars},`) || shown.includes(`[${place.text_start_chars},`),
        shown,
      )
    assert.ok((await hitsOf('&windows=1')).every(each => each.also_at === undefined))
    const [titled] = await hitsOf('&windows=1&places=1', 'minutes')
    assert.equal(titled?.also_at, undefined, 'only the title contains the word')
    const [elsewhere] = await hitsOf('&windows=1&places=1', 'minutes roof')
    assert.equal(elsewhere?.match_windows[0]?.field_path, 'subject')
    assert.equal(elsewhere?.also_at?.field_path, 'body')
  },
)

onEitherEngine(
  'AN-28 search says in each channel where the next best matches in a long text are, and reading there shows them',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const others = Array.from({ length: 9 }, (_, i) =>
      message(`other${i}`, {
        subject: `Letter ${i}`,
        body: `the repairs of boat ${i}, as agreed ${' pad'.repeat(60)}`,
      }),
    )
    await server.ingest('messages', connection, [LONG, ...others])
    await using client = await McpTestClient.connect(
      server,
      await server.grant({ connections: [connection] }),
    )
    const { text, structured } = await client.call('search', { query: QUESTION })
    const [, places = ''] = /^ {2}body \d+-\d+ of \d+: ".*", also at (\d+, \d+)$/m.exec(text) ?? []
    const { data } = structured.data as { data: Hit[] }
    const [offsets, ...rest] = data.map(({ also_at }) => also_at?.offset_chars)
    assert.deepEqual(places.split(', ').map(Number), offsets, text)
    assert.ok(rest.every(each => each === undefined))
    const few = await client.call('search', { query: QUESTION, limit: 3 })
    const [hit] = few.structured.results as { id: string; also_at?: Places }[]
    assert.deepEqual(hit?.also_at, data[0]?.also_at)
    assert.ok(bytes(text) <= 1_800 && bytes(text) >= 1_620, text)
    assert.ok(bytes(JSON.stringify(structured)) <= 16_000)
    const read = async (offset_chars = 0) =>
      (await client.call('read_record_field', { id: hit?.id ?? '', field_path: 'body', offset_chars })).text
    const texts = await Promise.all(offsets?.map(read) ?? [])
    for (const passage of PASSAGES.slice(1)) assert.ok(texts.some(each => each.includes(passage)))
    const within = await client.call('search', { query: 'roof', within: hit?.id ?? '' })
    assert.doesNotMatch(within.text, /also at/)
  },
)
