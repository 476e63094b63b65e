import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamDeclaration } from '../src/model/declaration/declaration.ts'
import { cutFields, lineReader, type Operation } from '../src/model/declaration/ingest-line.ts'
import { digestOf, takeLongTexts } from '../src/model/reading/record.ts'
import { besideNeighbours, pieceTexts } from '../src/model/search/index-rows.ts'
import { piecesOf } from '../src/model/text/pieces.ts'
import { LongLine } from '../src/store/ingest/long-line.ts'
import { type Line, LineSplitter } from '../src/store/ingest/ndjson.ts'
import { PackedPieces } from '../src/store/ingest/packed-pieces.ts'
import { onEachEngine, TestServer } from './engines.ts'
import { source, stream } from './mailbox.ts'

const DOCUMENTS = stream(
  'documents',
  {
    text: { type: ['string', 'null'], contentMediaType: 'text/plain' },
    note: { type: 'string', description: 'Another text.' },
    file: {},
    texts: { type: 'array', items: { type: ['string', 'null'] } },
    parts: {
      type: 'array',
      items: { type: 'object', properties: { code: { type: 'string', maxLength: 5 } } },
    },
    written_at: { type: 'string', format: 'date-time' },
    code: { type: 'string', maxLength: 10 },
    topic: { type: 'string' },
  },
  { cursor_field: 'written_at', schema: { x_pdpp_conversation: { key: 'topic', order: ['written_at'] } } },
) as unknown as StreamDeclaration

const FIELDS = cutFields(DOCUMENTS)

test('texts are cut early only in fields whose content the schema does not check and that do not place a record', () => {
  assert.deepEqual([...FIELDS], ['text', 'note', 'file', 'texts'])
  const strict = { ...DOCUMENTS, schema: { ...DOCUMENTS.schema, minProperties: 2 } }
  assert.deepEqual([...cutFields(strict as unknown as StreamDeclaration)], [])
})

/** The result of a line, in a comparable form. */
function outcome(operation: Operation): unknown {
  if (operation.op === 'delete') return operation
  const { data, texts } = takeLongTexts(operation.data)
  const all = [...texts, ...operation.texts]
    .map(text => ({ ...text, pieces: [...text.pieces] }))
    .sort((a, b) => (a.path.join() < b.path.join() ? -1 : 1))
  return { ...operation, data, texts: all }
}

const LONG = `${'Tide and harbour, naïve café. '.repeat(7_000)}end`
const MIXED = `${'潮 \u{1f30a}\u{1f30a}x — "quoted" \\ back\\\\slash\n\ttab '.repeat(7_000)}end`
const escaped = (text: string) => text.replace(/[^ -~]|["\\]/g, each => unicode(each))
const unicode = (text: string) =>
  Array.from(
    { length: text.length },
    (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')

const LINES: Record<string, string> = {
  plain: JSON.stringify({ key: 'a', data: { id: 'a', text: LONG, note: 'short' } }),
  'two texts': JSON.stringify({ data: { id: 'a', note: MIXED, text: LONG, file: [1, { b: 'x' }] } }),
  escapes: `{"data":{"id":"a","text":"${escaped(MIXED)}"}}`,
  'white space': ` { "data" : { "id" : "a" , "text" : ${JSON.stringify(MIXED)} } , "place" : "here" } `,
  'what cannot be stored': `{"data":{"id":"a","text":"${`\\ud83cx\\u0000 \\udf0a\\ud83c\\udf0a`.repeat(7_000)}\\ud83c"}}`,
  'a text in an object': JSON.stringify({
    data: { id: 'a', file: { text: LONG, 1: 2e300, list: [MIXED, [1e16]] } },
  }),
  'texts in a list': JSON.stringify({
    data: { id: 'a', texts: [LONG, 'x', null, MIXED], parts: [{ file: LONG }] },
  }),
  'texts in lists of objects': JSON.stringify({
    data: { id: 'a', file: [{ text: LONG, [LONG]: [[MIXED]] }, 'y'] },
  }),
  'many texts that are short': JSON.stringify({
    data: { id: 'a', texts: Array(20_000).fill('Tide and "harbour".') },
  }),
  'the same name outside of data': JSON.stringify({
    place: 'x',
    data: { id: 'a', code: 'c' },
    emitted_at: null,
  }),
  'bytes as text': JSON.stringify({
    data: { id: 'a', text: `data:text/plain;base64,${'QUJD'.repeat(80_000)}` },
  }),
  'a later value of the same name': `{"data":{"id":"a","text":${JSON.stringify(LONG)},"text":"short"}}`,
  'a later text of the same name': `{"data":{"id":"a","text":${JSON.stringify(LONG)},"text":${JSON.stringify(MIXED)}}}`,
  'a name with escapes': `{"data":{"id":"a","te\\u0078t":${JSON.stringify(MIXED)}}}`,
  'data twice': `{"data":{"id":"b","text":${JSON.stringify(LONG)}},"data":{"id":"a","note":${JSON.stringify(MIXED)}}}`,
}

test('a line that is cut while it arrives gives the same result as one that is read whole', () => {
  const read = lineReader(DOCUMENTS, 'written_at')
  for (const [name, line] of Object.entries(LINES)) {
    const whole = outcome(read(line))
    for (const sizes of [[1_000_000], [65_536], [1, 2, 5, 997, 8_191, 30_011]]) {
      const long = new LongLine(FIELDS)
      for (let at = 0, n = 0; at < line.length; n++) {
        const size = sizes[n % sizes.length] as number
        long.push(line.slice(at, at + size))
        at += size
      }
      const { text, cut } = long.end()
      const { line_chars: _, ...found } = outcome(read(text, cut)) as Record<string, unknown>
      const { line_chars: __, ...expected } = whole as Record<string, unknown>
      assert.deepEqual(found, expected, `${name}, in parts of ${sizes}`)
    }
  }
})

test('invalid JSON is refused, whether it is cut or not', () => {
  const bad = [
    `{"data":{"id":"a","text":"${LONG}\u0001"}}`,
    `{"data":{"id":"a","text":"${LONG}\\x"}}`,
    `{"data":{"id":"a","text":"${LONG}`,
    `{"data":{"id":"a","text":"${LONG}\\`,
    `{"data":{"id":"a","text":"${LONG}"`,
    `{"data":["text":"${LONG}"]}`,
  ]
  for (const line of bad) {
    assert.throws(() => {
      const long = new LongLine(FIELDS)
      long.push(line)
      const { text, cut } = long.end()
      lineReader(DOCUMENTS, undefined)(text, cut)
    }, line.slice(-20))
  }
})

test('lines of any length are decoded at character boundaries', () => {
  const lines = [
    `"${'潮\u{1f30a}é'.repeat(200_000)}"`,
    '"b"',
    `{"data":{"id":"a","text":"${'é潮'.repeat(300_000)}"}}`,
  ]
  const found: Line[] = []
  const splitter = new LineSplitter(line => found.push(line), undefined, FIELDS)
  const bytes = Buffer.from(`\uFEFF${lines.join('\n')}\n`)
  for (let at = 0; at < bytes.length; at += 262_143) splitter.push(bytes.subarray(at, at + 262_143))
  splitter.end()
  assert.deepEqual(
    found.map(({ no, text }) => [no, text?.length]),
    [
      [1, lines[0]?.length],
      [2, 3],
      [3, found[2]?.text?.length],
    ],
  )
  assert.equal(found[0]?.text, lines[0])
  assert.equal([...(found[2]?.cut?.[0]?.pieces ?? [])].join(''), 'é潮'.repeat(300_000))
  const broken: Line[] = []
  const other = new LineSplitter(line => broken.push(line), undefined, FIELDS)
  other.push(
    Buffer.concat([Buffer.from(`{"data":{"id":"a","text":"${LONG.repeat(5)}`), Buffer.from([0xe6, 0xbd])]),
  )
  other.push(Buffer.from('"}}\n{}\n'))
  assert.deepEqual(broken, [
    { no: 1, text: null },
    { no: 2, text: '{}' },
  ])
})

test('packed pieces are returned unchanged, as often as needed, compressed or not', () => {
  const text = MIXED.repeat(3)
  for (const plainBytes of [0, 300_000, 10_000_000]) {
    const packed = new PackedPieces(plainBytes)
    for (const piece of piecesOf(text)) packed.add(piece)
    assert.equal(packed.end(), digestOf(text))
    assert.deepEqual([...packed], [...piecesOf(text)])
    assert.deepEqual([...besideNeighbours(packed)], [...pieceTexts(text)])
  }
})

onEachEngine(
  'a long text that was cut while it arrived is stored, found and compared as a whole',
  async engine => {
    await using server = await TestServer.start(engine)
    const stream = { ...DOCUMENTS, query: { search: { lexical_fields: ['text'] } } }
    const declaration = { ...source('documents', 'Documents'), streams: [stream] }
    const id = await server.connect(declaration)
    const text = `${'Tide — '.repeat(160_000)}lighthouse`
    const lines = [
      `{"data":{"id":"a","text":"\\ud83c\\u0000${text}","texts":["x",${JSON.stringify(LONG)}]}}`,
      `{"data":{"id":"b","text":"${text}\u0001"}}`,
      JSON.stringify({ data: { id: 'c', text, code: 'longer than ten' } }),
    ].join('\n')
    const { body } = await server.ingest('documents', id, lines)
    assert.deepEqual([body.seen, body.added, body.rejected], [3, 1, 2])
    assert.deepEqual(
      body.rejections.map(({ line, code }: { line: number; code: string }) => [line, code]),
      [
        [2, 'invalid_json'],
        [3, 'schema_mismatch'],
      ],
    )
    assert.deepEqual(body.meta.warnings[0].detail, { count: 2 })
    assert.equal((await server.ingest('documents', id, lines)).body.unchanged, 1)
    const stored = `\uFFFD\uFFFD${text}`
    const window = '/v1/streams/documents/records/a/field-window'
    const end = await server.json(`${window}?field=text&offset_chars=${stored.length - 10}`)
    assert.equal(end.body.window.text, 'lighthouse')
    assert.deepEqual([end.body.field.size_chars, end.body.field.digest], [stored.length, digestOf(stored)])
    const inList = await server.json(`${window}?field=/texts/1&offset_chars=${LONG.length - 3}`)
    assert.deepEqual([inList.body.window.text, inList.body.field.digest], ['end', digestOf(LONG)])
    const found = await server.json('/v1/search?q=lighthouse')
    assert.deepEqual(
      found.body.data.map((hit: { record_key: string }) => hit.record_key),
      ['a'],
    )
  },
)
