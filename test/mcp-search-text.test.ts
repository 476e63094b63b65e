import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHit } from '../src/mcp/reading/hit.ts'
import { searchText } from '../src/mcp/rendering/search-text.ts'
import { count, onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { bytes, callsIn, McpTestClient } from './mcp-client.ts'
import { Random } from './random.ts'

const SCRIPTS = [
  'the engine was overhauled in May and Hedda paid for it ',
  '山川草木風花雪月機械修理代金',
  '😀👩‍👩‍👧‍👦🏳️‍🌈🚂💶',
  'دفعت هدى ثمن المحرك في شهر مايو ',
  'ő ű ñ ç "quoted" \\ back\nlines\tand tabs ',
]
const ORIGIN = 'https://footnote.example.org'

interface Shape {
  idBytes: number
  hits: number
  script: string
  field?: string
  author?: string | null
  title?: string | null
}

function page(
  { idBytes, hits, script, field = 'body', author, title }: Shape,
  next: () => number = Math.random,
) {
  const text = script.repeat(40)
  const all = Array.from({ length: hits }, (_, index) => {
    const record_id = `${index}-`.padEnd(idBytes - 'cin_abc1234/messages:'.length, '0123456789abcdef')
    const shown = Array.from(text).slice(0, 160).join('')
    const start = 1_000 + Math.floor(next() * 50)
    return {
      connection_id: 'cin_abc1234',
      stream: 'messages',
      record_id,
      title: title === undefined ? `Re: ${text.slice(0, 60)}` : title,
      author: author === undefined ? 'Hedda Björklund <hedda@example.org>' : author,
      display_name: 'Work mail',
      occurred_at: '2015-08-02T10:11:12Z',
      url: `${ORIGIN}/r/cin_abc1234/messages/${encodeURIComponent(record_id)}?f=${field}&at=${start}-${start + 6}&d=01234567`,
      match_windows: [
        {
          field_path: field,
          text: shown,
          start_chars: start,
          end_chars: start + 6,
          text_start_chars: start - 60,
          size_chars: 9_000,
          digest: `sha256:${'0'.repeat(64)}`,
        },
      ],
    }
  })
  const read = all.map((hit, index) => readHit(hit as never, index, 'engine', ORIGIN))
  const args = { query: 'who paid for the engine overhaul and when?' }
  return { args, hits: read, next_cursor: 'c'.repeat(64), warnings: [] }
}

/** The blocks of evidence: how many bytes of quoted text each snippet has. */
function snippetsOf(text: string): number[] {
  return [...text.matchAll(/^ {2}\S+ \d+-\d+(?: of \d+)?: (".*")$/gm)].map(([, quoted = '""']) =>
    bytes(JSON.parse(quoted)),
  )
}

test('AN-21 BU-1 EV-2 a default page shows three hits with evidence and all ten with first words and date', () => {
  for (const script of SCRIPTS) {
    const { text, shown } = searchText(page({ idBytes: 40, hits: 10, script }))
    assert.equal(shown, 10, text)
    assert.ok(bytes(text) <= 1_800 && bytes(text) >= 1_620, `${bytes(text)}\n${text}`)
    const snippets = snippetsOf(text)
    assert.ok(snippets.length >= 3 && snippets.slice(0, 3).every(size => size >= 120), text)
    assert.ok((text.match(/Hedda Bj/g) ?? []).length >= 3, text)
    assert.ok((text.match(/Work mail/g) ?? []).length >= 3, text)
    assert.equal(text.match(/2015-08-02/g)?.length, 10, text)
    assert.equal(text.match(/"Re: /g)?.length, 10, text)
    const tail = text.slice(text.indexOf('10 hits.'))
    assert.ok(bytes(tail) <= 340, `${bytes(tail)}\n${tail}`)
    assert.equal(callsIn(text).filter(({ tool }) => tool === 'read_record_field').length, 1)
    assert.ok(text.includes(`${ORIGIN}/r/ID?f=FIELD&at=FROM-TO`))
  }
})

test('AN-21 ID-10 with ids of 200 bytes three hits show evidence; with 25 hits, one does and then as many as fit', () => {
  for (const script of SCRIPTS) {
    const long = searchText(page({ idBytes: 200, hits: 10, script }))
    assert.ok(bytes(long.text) <= 1_800, `${bytes(long.text)}`)
    assert.ok(snippetsOf(long.text).length >= 3, long.text)
    assert.ok(long.shown >= 3 && long.shown < 10)
    assert.match(long.text, new RegExp(`^${long.shown} of 10 hits\\.`, 'm'))
    const many = searchText(page({ idBytes: 40, hits: 25, script }))
    assert.ok(bytes(many.text) <= 1_800 && snippetsOf(many.text).length >= 1)
    assert.ok(many.shown >= 12, many.text)
    assert.equal(many.text.match(/2015-08-02/g)?.length, many.shown)
  }
})

test('AN-21 the budgets hold for random ids, fields, authors and scripts, and the room is used', () => {
  const random = new Random(14)
  for (let round = 0; round < count(150, 3_000); round++) {
    const shape = {
      idBytes: 30 + Math.floor(random.next() * 171),
      hits: 1 + Math.floor(random.next() * 25),
      script: random.pick(SCRIPTS),
      field: random.pick(['body', 'text', '/parts/0/text', 'a_rather_long_field_name_of_a_table']),
      author: random.pick([null, 'Hedda', '山田太郎', 'X'.repeat(200)]),
      title: random.pick([null, '', 'Short', '😀'.repeat(60)]),
    }
    const made = page(shape, () => random.next())
    const { text, shown } = searchText(made)
    const told = `${JSON.stringify(shape)} ${bytes(text)}\n${text}`
    assert.ok(bytes(text) <= 1_800, told)
    assert.ok(shown >= Math.min(made.hits.length, 3) || shape.hits > 12, told)
    for (const { handle } of made.hits.slice(0, shown)) assert.ok(text.includes(handle.id), told)
    const blocks = shape.hits > 12 ? 1 : shape.field.length > 15 && shape.idBytes > 150 ? 2 : 3
    assert.ok(snippetsOf(text).length >= Math.min(blocks, shown), told)
    assert.equal(text.match(/2015-08-02/g)?.length, shown, told)
    if (shown < shape.hits || shape.hits >= 8) assert.ok(bytes(text) >= 1_620, told)
    const again = searchText({ ...made, most: shown, next_cursor: 'd'.repeat(64) })
    assert.equal(again.shown, shown, told)
    assert.ok(again.text.includes('d'.repeat(64)) && bytes(again.text) <= 1_800, again.text)
  }
})

onEitherEngine('BU-5 a text says first that it shows something else than was asked for', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest(
    'messages',
    connection,
    Array.from({ length: 12 }, (_, n) => message(`m${n}`, { body: `the code has ${n} bytes of a heron` })),
  )
  await using client = await McpTestClient.connect(server, await server.grant())
  for (const [query, note] of [
    ['"heron code"', 'Note: "No record contains the quoted phrase. Its words were searched for instead."'],
    ['herron', 'Note: "No readable record contains “herron”. “heron” was searched for instead."'],
    ['herron bytess', 'Note: "No readable record contains herron, bytess. Searched for: heron, bytes."'],
    ['heron zebra', 'Note: "No readable record contains “zebra”."'],
  ] as const) {
    const { text } = await client.call('search', { query })
    const [first, second] = text.split('\n')
    assert.equal(first, note)
    assert.ok(second?.startsWith(`${connection}/messages:m`), text)
    assert.equal(text.split(note).length, 2)
    assert.ok(bytes(text) <= 1_800, String(bytes(text)))
  }
  // Many records of one kind hide a few of another in a list of a time.
  const listed = await client.call('search', { query: 'What happened in January 2026?' })
  assert.match(listed.text, /^How many of each stream: aggregate /)
  const counts = callsIn(listed.text).find(({ tool }) => tool === 'aggregate')
  assert.deepEqual((await client.call('aggregate', { ...counts?.args })).structured.data.groups, [
    { key: 'messages', count: 12 },
  ])
  const few = await client.call('search', { query: 'What happened in January 2026?', limit: 25 })
  assert.doesNotMatch(few.text, /How many of each/)
})
