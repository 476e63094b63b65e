import assert from 'node:assert/strict'
import {
  type Answer,
  count,
  type Engine,
  onEachEngine,
  onOneEngine,
  PROVING,
  storeLocation,
  TestServer,
} from './engines.ts'
import { LargeText } from './large-text.ts'
import { MAILBOX, message } from './mailbox.ts'
import { Random } from './random.ts'
import { ownerTokenFor, SpawnedServer } from './spawned-server.ts'

const MEGABYTES = count(20, 100)
const MOST_GROWTH = 64 * 1024 * 1024
/** Searchable text is indexed during ingest, which takes a minute for 100 MB. */
const FIELD = PROVING ? 'body' : 'secret'

onOneEngine(
  'RS-1 RF-4 RF-9 windows of a very large field are exact and cost the server no memory',
  async engine => {
    const { location, remove } = await storeLocation(engine)
    const token = await ownerTokenFor(location)
    const text = LargeText.ofBytes(MEGABYTES * 1_000_000)
    const connection = await ingestLarge(location, token, text, engine)
    {
      // A new process, because memory left over from the import would hide growth.
      await using server = await SpawnedServer.start(location)
      const granted = await server.post('/v1/owner/grants', token, {
        client_name: 'Reader',
        connections: [connection],
      })
      const client = granted.body.access_token as string
      const read = async (id: string, query: string): Promise<Answer['body']> => {
        const answer = await server.json(
          `/v1/streams/messages/records/${id}/field-window?field=${FIELD}&${query}`,
          client,
        )
        assert.equal(answer.status, 200, JSON.stringify(answer.body).slice(0, 1_000))
        return answer.body
      }
      const check = ({ field, window }: Answer['body'], start: number, end: number) => {
        assert.deepEqual([window.start_chars, window.end_chars], [start, end])
        assert.equal(window.text, text.slice(start, end))
        assert.equal(field.size_chars, text.chars)
      }
      await read('small', 'limit_chars=4096')
      await read('large', 'limit_chars=16384')
      const before = server.memory('VmRSS')
      let most = before
      const measured = async <T>(work: Promise<T>): Promise<T> => {
        const result = await work
        most = Math.max(most, server.memory('VmRSS'))
        return result
      }

      const { chars } = text
      for (const start of [0, 8_191, 16_383, Math.floor(chars / 2), chars - 16_384, chars - 1]) {
        const end = Math.min(chars, start + 16_384)
        check(await measured(read('large', `offset_chars=${start}&limit_chars=16384`)), start, end)
      }
      check(await measured(read('large', `offset_chars=${chars + 5}`)), chars, chars)

      // Folded: the text has ß, ü and combining marks.
      for (const line of [3, Math.floor(text.lines / 2), text.lines - 2]) {
        const q = `${text.line(line).slice(0, 9)}GRÜßE APFEL ete`
        const found = await measured(
          read('large', `q=${encodeURIComponent(q)}&before_chars=100&after_chars=200`),
        )
        const start = line * text.lineChars
        const end = start + Array.from(`${text.line(line).slice(0, 9)}Grüße äpfel e\u0301te\u0301`).length
        assert.deepEqual([found.window.match.start_chars, found.window.match.end_chars], [start, end])
        check(found, Math.max(0, start - 100), Math.min(chars, end + 200))
      }

      let window = (await read('large', `offset_chars=${chars - 40_000}&limit_chars=16384`)).window
      while (window.next_cursor) {
        const body = await measured(read('large', `cursor=${window.next_cursor}`))
        check(body, window.end_chars, Math.min(chars, window.end_chars + 16_384))
        window = body.window
      }
      const back = await measured(read('large', `cursor=${window.previous_cursor}&limit_chars=7`))
      check(back, window.start_chars - 7, window.start_chars)

      const growth = most - before
      note(`# ${engine}: reads grew the server by ${mebibytes(growth)} from ${mebibytes(before)}`)
      assert.ok(growth < MOST_GROWTH, `grew by ${mebibytes(growth)} from ${mebibytes(before)}`)

      if (PROVING) {
        const small = await medianTime(() => read('small', 'offset_chars=4000&limit_chars=4096'))
        const large = await medianTime(() => read('large', `offset_chars=${chars - 5_000}&limit_chars=4096`))
        note(
          `# ${engine}: a window took ${large.toFixed(2)} ms at the end of 100 MB, ${small.toFixed(2)} ms in 10 KB`,
        )
        assert.ok(large <= 10 * small + 20, `${large} ms at the end of 100 MB, ${small} ms in 10 KB`)
      }
    }
    await remove()
  },
)

/** Ingests a record with the large text and one with 10 KB of it; returns the connection. */
async function ingestLarge(
  location: Parameters<typeof SpawnedServer.start>[0],
  token: string,
  text: LargeText,
  engine: Engine,
): Promise<string> {
  await using server = await SpawnedServer.start(location)
  const connection = await server.connect(token)
  const small = new LargeText(120)
  const short = await server.ingest(
    'messages',
    connection,
    token,
    JSON.stringify(message('small', { [FIELD]: small.slice(0, small.chars) })),
  )
  assert.equal(short.body.added, 1, JSON.stringify(short.body))
  const started = performance.now()
  const outcome = await server.ingest(
    'messages',
    connection,
    token,
    ReadableStream.from(lineOf('large', text)) as ReadableStream<Uint8Array>,
  )
  assert.equal(outcome.body.added, 1, JSON.stringify(outcome.body))
  const seconds = (performance.now() - started) / 1000
  note(
    `# ${engine}: ingest of ${MEGABYTES} MB took ${seconds.toFixed(1)} s, peak ${mebibytes(server.memory('VmHWM'))}`,
  )
  const { field } = (
    await server.json(`/v1/streams/messages/records/large/field-window?field=${FIELD}&limit_chars=1`, token)
  ).body
  assert.deepEqual([field.size_chars, field.digest], [text.chars, text.digest()])
  return connection
}

onEachEngine(
  'RF-7 RF-9 following cursors in either direction covers a field exactly, whatever the limits',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const characters = boundaryText()
    const text = characters.join('')
    const outcome = await server.ingest('messages', connection, [message('m1', { body: text })])
    assert.equal(outcome.body.added, 1, JSON.stringify(outcome.body))
    const token = await server.grant({ fields: ['body'] })
    const read = async (query: string): Promise<Answer['body']['window']> => {
      const answer = await server.json(`/v1/streams/messages/records/m1/field-window?field=body&${query}`, {
        token,
      })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      const { window } = answer.body
      assert.equal(window.text, characters.slice(window.start_chars, window.end_chars).join(''))
      assert.equal(window.previous_cursor === null, window.start_chars === 0)
      assert.equal(window.next_cursor === null, window.end_chars === characters.length)
      return window
    }

    /** Pages from the window at `start` to one end, or for a number of steps, and returns the text that it read. */
    const tile = async (
      way: 'next_cursor' | 'previous_cursor',
      start: number,
      limit: number,
      steps: number,
      next: () => number | null,
    ) => {
      let window = await read(`offset_chars=${start}&limit_chars=${limit}`)
      let kept = limit
      const texts: string[] = [window.text]
      for (let step = 0; step < steps && window[way] !== null; step++) {
        const change = next()
        const edge = way === 'next_cursor' ? window.end_chars : window.start_chars
        window = await read(`cursor=${window[way]}${change === null ? '' : `&limit_chars=${change}`}`)
        kept = change ?? kept
        const size = way === 'next_cursor' ? characters.length - edge : edge
        assert.deepEqual(
          [window.limit_chars, window.end_chars - window.start_chars],
          [kept, Math.min(kept, size)],
        )
        assert.equal(way === 'next_cursor' ? window.start_chars : window.end_chars, edge)
        texts.push(window.text)
      }
      return (way === 'next_cursor' ? texts : texts.reverse()).join('')
    }

    const same = () => null
    const all = Number.POSITIVE_INFINITY
    for (const limit of [...(PROVING ? [7] : []), 4_096, 16_384]) {
      assert.equal(await tile('next_cursor', 0, limit, all, same), text)
      const last = characters.length - limit
      assert.equal(await tile('previous_cursor', last, limit, all, same), text)
    }
    const random = new Random(7)
    const other = () => (random.chance(0.3) ? null : random.pick([1, 7, 4_096, 8_191, 8_192, 8_193, 16_384]))
    for (let round = 0; round < count(1, 50); round++) {
      assert.equal(await tile('next_cursor', 0, 4_096, all, other), text)
      assert.equal(await tile('previous_cursor', characters.length - 4_096, 4_096, all, other), text)
    }
    // Small steps at the boundaries of pieces and at both ends.
    for (const limit of [1, 7]) {
      for (const boundary of [0, 8_192, 16_384, 24_576, characters.length]) {
        const [first, steps] = [Math.max(0, boundary - 6 * limit), 12]
        const forwards = await tile('next_cursor', first, limit, steps, same)
        assert.equal(forwards, characters.slice(first, first + (steps + 1) * limit).join(''))
        const from = Math.min(characters.length - limit, boundary + 6 * limit)
        const backwards = await tile('previous_cursor', from, limit, steps, same)
        assert.equal(backwards, characters.slice(Math.max(0, from - steps * limit), from + limit).join(''))
      }
    }
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine('RF-11 RF-4 windows of texts in lists and objects are read by JSON Pointer', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const long = boundaryText()
  const parts = [
    'short \u{1F600}',
    { 'a/b~c': long.join(''), '': 'under an empty key', list: [['deep', long.join('')]] },
    { '0': 'a key that looks like an index' },
  ]
  const outcome = await server.ingest('messages', connection, [message('m1', { parts, secret: 'hidden' })])
  assert.equal(outcome.body.added, 1, JSON.stringify(outcome.body))
  const token = await server.grant({ fields: ['parts'] })
  const ask = (pointer: string, query = '') =>
    server.json(
      `/v1/streams/messages/records/m1/field-window?field=${encodeURIComponent(pointer)}&${query}`,
      { token },
    )
  const found: Record<string, string[]> = {
    '/parts/0': Array.from('short \u{1F600}'),
    '/parts/1/a~1b~0c': long,
    '/parts/1/': Array.from('under an empty key'),
    '/parts/1/list/0/1': long,
    '/parts/2/0': Array.from('a key that looks like an index'),
  }
  for (const [pointer, characters] of Object.entries(found)) {
    for (const [start, limit] of [
      [0, 10],
      [8_190, 4],
      [16_380, 16_384],
    ] as const) {
      const { status, body } = await ask(pointer, `offset_chars=${start}&limit_chars=${limit}`)
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual([body.field.path, body.field.size_chars], [pointer, characters.length])
      assert.equal(body.window.text, characters.slice(start, start + limit).join(''))
    }
  }
  const matched = await ask('/parts/1/list/0/1', 'q=AT+LAST&before_chars=3&after_chars=0')
  const at = long.length - 'at last'.length
  assert.deepEqual(matched.body.window.match, { q: 'AT LAST', start_chars: at, end_chars: long.length })
  assert.equal(matched.body.window.text, long.slice(at - 3).join(''))

  const refusals: [string, number, string][] = [
    ['/parts/3', 404, 'field_not_found'],
    ['/parts/00', 404, 'field_not_found'],
    ['/parts/-', 404, 'field_not_found'],
    ['/parts/length', 404, 'field_not_found'],
    ['/parts/1/a', 404, 'field_not_found'],
    ['/parts/0/0', 404, 'field_not_found'],
    ['/parts/1/__proto__', 404, 'field_not_found'],
    ['/secret/0', 403, 'field_not_granted'],
    ['/nothing/0', 403, 'field_not_granted'],
    ['/', 400, 'invalid_field_path'],
    ['/parts/~2', 400, 'invalid_field_path'],
  ]
  for (const [pointer, status, code] of refusals) {
    const answer = await ask(pointer)
    assert.deepEqual([answer.status, answer.body.error?.code], [status, code], pointer)
  }
  assert.deepEqual(server.failures, [])
})

/** About 300 KB of text with astral characters, combining marks and CRLFs across the boundaries of pieces. */
function boundaryText(): string[] {
  const characters = Array.from({ length: 8_192 * 9 + 5_000 }, (_, index) => 'a漢ж'[index % 3] ?? '')
  for (let piece = 8_192; piece < characters.length; piece += 8_192) {
    const across =
      [
        ['\u{1F44B}', '\u{1F3FD}'],
        ['e', '\u0301'],
        ['\r', '\n'],
        ['\u{20BB7}', 'x'],
      ][(piece / 8_192) % 4] ?? []
    characters.splice(piece - 1, 2, ...across)
  }
  characters.splice(0, 1, '\u{1F600}')
  characters.splice(-7, 7, ...'at last')
  return characters
}

async function* lineOf(id: string, text: LargeText): AsyncGenerator<Buffer> {
  const empty = JSON.stringify(message(id, { [FIELD]: '' }))
  const hole = empty.indexOf(`"${FIELD}":""`) + `"${FIELD}":"`.length
  yield Buffer.from(empty.slice(0, hole))
  for (const chunk of text.chunks()) yield Buffer.from(JSON.stringify(chunk).slice(1, -1))
  yield Buffer.from(empty.slice(hole))
}

async function medianTime(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 50; i++) {
    const started = performance.now()
    await work()
    times.push(performance.now() - started)
  }
  return times.sort((a, b) => a - b)[25] ?? 0
}

/** Prints figures in `npm run prove`. */
function note(line: string): void {
  if (PROVING) console.log(line)
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}
