import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { count, ENGINES, type Engine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { callsIn, idsIn, McpTestClient, type Seen } from './mcp-client.ts'

type Structured = Seen['structured']

const CHARS = count(100_000, 1_000_000)
const PASSAGE_CHARS = 6_000
const WORDS = ['maple', 'über', '山川', 'naïve', '😀', 'lantern', 'грач', 'fjord', 'sarabande']

/** Text of many scripts in which nothing repeats exactly. */
function filler(chars: number, seed: number): string {
  const parts: string[] = []
  let size = 0
  for (let n = seed; size < chars; n++) {
    const word = `${WORDS[n % WORDS.length]}${(n * 7919) % 100_003} `
    parts.push(word)
    size += Array.from(word).length
  }
  return Array.from(parts.join('')).slice(0, chars).join('')
}

const passage = (() => {
  const inside = Array.from(filler(PASSAGE_CHARS - 60, 5))
  inside.splice(3_000, 0, ...' the quetzalcoatlus treaty of Łódź was signed ')
  const whole = Array.from(`[BEGIN]${inside.join('')}`)
    .slice(0, PASSAGE_CHARS - 5)
    .join('')
  return `${whole}[END]`
})()
const document = `${filler(CHARS / 2, 11)}${passage}${filler(CHARS / 2 - PASSAGE_CHARS, 900_000)}`
const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const QUERY = 'quetzalcoatlus treaty Łódź'

/** Three connections, two of which hold the same record id. */
async function world(engine: Engine) {
  const server = await TestServer.start(engine)
  const connections: string[] = []
  for (const name of ['Work mail', 'Home mail', 'Old mail'])
    connections.push(await server.connect(MAILBOX, name))
  const [work = '', home = '', old = ''] = connections
  await server.ingest('messages', work, [message('o1', { subject: 'Minutes', body: document })])
  await server.ingest('messages', home, [message('o1', { subject: 'Lunch', body: 'no such animal' })])
  await server.ingest('messages', old, [message('o2', { subject: 'Zoo', body: 'a treaty about nothing' })])
  const token = await server.grant({ streams: ['messages'] })
  return { server, id: `${work}/messages:o1`, client: await McpTestClient.connect(server, token) }
}

/** The passage between its markers; null if the text does not contain all of it. */
function cutPassage(text: string): string | null {
  const start = text.indexOf('[BEGIN]')
  const end = text.indexOf('[END]')
  return start === -1 || end === -1 ? null : text.slice(start, end + '[END]'.length)
}

interface Window {
  text: string
  next: string | null
  previous: string | null
}

/** Joins windows, extending the incomplete side, until the text contains the whole passage. */
async function readAround(first: Window, follow: (cursor: string) => Promise<Window>): Promise<string> {
  let text = first.text
  let { next, previous } = first
  for (let steps = 0; steps < 200; steps++) {
    const found = cutPassage(text)
    if (found !== null) return found
    if (!text.includes('[BEGIN]') && previous !== null) {
      const before = await follow(previous)
      text = before.text + text
      previous = before.previous
    } else if (next !== null) {
      const after = await follow(next)
      text += after.text
      next = after.next
    } else break
  }
  throw new Error('the passage was not found')
}

/** The parts of a window that a text-only client sees. */
function fromText(seen: string): Window & { id: string; field_path: string } {
  const line = seen.indexOf('\n')
  const header = JSON.parse(seen.slice(0, line))
  const fenced = new RegExp(
    `^<<<${header.boundary}\n([\\s\\S]*)\n${header.boundary}>>>\nCite: https?://\\S+$`,
  ).exec(seen.slice(line + 1))
  return {
    id: header.id,
    field_path: header.field_path,
    text: fenced?.[1] ?? '',
    next: header.next_cursor,
    previous: header.previous_cursor,
  }
}

for (const engine of ENGINES) {
  describe(`client classes [${engine}]`, () => {
    let shared: ReturnType<typeof world>
    before(() => {
      shared = world(engine)
    })
    after(async () => (await shared).server[Symbol.asyncDispose]())

    test('CL-1 content-only: search text leads to the whole passage', async () => {
      const { client, id } = await shared
      const found = await client.call('search', { query: QUERY })
      assert.equal(idsIn(found.text)[0], id)
      const [call] = callsIn(found.text)
      assert.equal(call?.tool, 'read_record_field')
      const window = fromText((await client.call('read_record_field', call?.args)).text)
      const read = await readAround(window, async cursor =>
        fromText(
          (await client.call('read_record_field', { id: window.id, field_path: window.field_path, cursor }))
            .text,
        ),
      )
      assert.equal(digest(read), digest(passage))
    })

    for (const [requirement, pick] of [
      ['CL-2 structured-only: results alone lead there', (sc: Structured) => sc.results[0].next.args],
      [
        'CL-3 structured-aware: the ladder leads there',
        (sc: Structured) => sc.content_ladder.records[0].fields[0].read.args,
      ],
    ] as const) {
      test(requirement, async () => {
        const { client, id } = await shared
        const args = pick((await client.call('search', { query: QUERY })).structured)
        assert.equal(args.id, id)
        const step = async (more: object): Promise<Window> => {
          const { window } = (await client.call('read_record_field', { ...more })).structured
          return { text: window.text, next: window.next_cursor, previous: window.previous_cursor }
        }
        const { id: handle, field_path } = args
        const read = await readAround(await step(args), cursor => step({ id: handle, field_path, cursor }))
        assert.equal(digest(read), digest(passage))
      })
    }

    test('CL-4 RC-2 resource-aware: URIs of _meta page to both ends', async () => {
      const { client } = await shared
      const { structured } = await client.call('search', { query: QUERY })
      const args = { ...structured.results[0].next.args, limit_chars: 16_384 }
      const tool = await client.call('read_record_field', args)
      const meta = tool.result._meta['footnote/window']
      const same = await client.read(meta.uri)
      assert.equal(same.contents[0].text, tool.structured.window.text)
      assert.deepEqual(same.contents[0]._meta['footnote/window'], meta)
      const pieces = [tool.structured.window.text]
      for (let uri = meta.next_uri; uri; ) {
        const page = await client.read(uri)
        pieces.push(page.contents[0].text)
        uri = page.contents[0]._meta['footnote/window'].next_uri
      }
      for (let uri = meta.previous_uri; uri; ) {
        const page = await client.read(uri)
        pieces.unshift(page.contents[0].text)
        uri = page.contents[0]._meta['footnote/window'].previous_uri
      }
      assert.equal(digest(pieces.join('')), digest(document))
    })

    for (const channel of ['text', 'structured'] as const) {
      test(`CL-5 BU-5 clipping: the first 1,000 characters of ${channel} are enough`, async () => {
        const { client } = await shared
        const clipped = async (tool: string, args: object): Promise<string> => {
          const seen = await client.call(tool, { ...args })
          const shown = channel === 'text' ? seen.text : JSON.stringify(seen.structured)
          return Array.from(shown).slice(0, 1_000).join('')
        }
        const found = await clipped('search', { query: QUERY })
        const start = /"?read_record_field"? ?(?:,"args":)?(\{[^}]*\})/.exec(found)?.[1] ?? ''
        const { id, field_path, offset_chars } = JSON.parse(start)
        const step = async (more: object): Promise<Window> => {
          const shown = await clipped('read_record_field', { id, field_path, limit_chars: 500, ...more })
          const next = /"next_cursor":(null|"[^"]*")/.exec(shown)?.[1] ?? ''
          const previous = /"previous_cursor":(null|"[^"]*")/.exec(shown)?.[1] ?? ''
          const text =
            channel === 'text'
              ? (/<<<(\w+)\n([\s\S]*)\n\1>>>/.exec(shown)?.[2] ?? '')
              : JSON.parse(/"text":("(?:\\.|[^"\\])*")/.exec(shown)?.[1] ?? '""')
          return { text, next: JSON.parse(next), previous: JSON.parse(previous) }
        }
        const read = await readAround(await step({ offset_chars }), cursor => step({ cursor }))
        assert.equal(digest(read), digest(passage))
      })
    }
  })
}
