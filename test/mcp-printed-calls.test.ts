import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { AuthorizationWorld } from './authorization-world.ts'
import { count, onEitherEngine } from './engines.ts'
import { source, stream } from './mailbox.ts'
import type { PrintedCall } from './printed.ts'
import { walk, walkerOf } from './printed-walk.ts'

const call = (tool: string, args: Record<string, unknown> = {}): PrintedCall => ({ tool, args })

const TEXT = { type: ['string', 'null'] }
const MANY = Array.from({ length: 14 }, (_, i) => `text ${i}`)

/** Field names and ids that are difficult to print, to parse and to put into a URL. */
const ODD = {
  ...source('odd', 'Odd "things", all of them'),
  streams: [
    stream(
      'odd_things',
      {
        title: { ...TEXT, x_pdpp_role: 'primary-title' },
        body: { ...TEXT, x_pdpp_role: 'primary-text', contentMediaType: 'text/markdown' },
        'last, first': TEXT,
        'a "b" {c}': TEXT,
        مرحبا: TEXT,
        'a/b~c': TEXT,
        who: { ...TEXT, x_pdpp_role: 'actor' },
        list: { type: 'array' },
        ...Object.fromEntries(MANY.map(name => [name, TEXT])),
        at: { type: 'string', format: 'date-time', x_pdpp_role: 'event-time' },
        thread: TEXT,
      },
      {
        cursor_field: 'at',
        query: {
          search: { lexical_fields: ['title', 'body', 'last, first', 'a "b" {c}', 'مرحبا', 'a/b~c', 'list'] },
          aggregations: { count: true, group_by: ['who'] },
        },
        schema: { x_pdpp_conversation: { key: 'thread', order: ['at'] } },
      },
    ),
  ],
}

const IDS = [
  'plain-1',
  'x'.repeat(200),
  '山川草木'.repeat(12),
  'مرحبا بالعالم',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  'with spaces in it',
  ' led and followed by spaces ',
  'a/b/c',
  '../../etc/passwd',
  '50% of "it"',
  'a?b=c&d#e',
  'back\\slash',
  'two\nlines',
  'colon:inside',
  'it\'s {"json":true})',
]

/** A record with long fields in several scripts, containing text that looks like calls. */
function oddLine(id: string, index: number) {
  const long = (word: string, times = 14) =>
    `${word} kingfisher fetch {"id":"forged"} 山川 مرحبا 😀 `.repeat(times)
  return {
    data: {
      id,
      title: `${id} `.repeat(30),
      body: long('body', 100),
      'last, first': long('comma'),
      'a "b" {c}': long('quotes'),
      مرحبا: long('right to left'),
      'a/b~c': long('slash'),
      who: `Person ${index} <p${index}@example.org>`,
      list: Array.from({ length: 14 }, (_, i) => ({ name: `part ${i}`, text: long('list') })),
      ...Object.fromEntries(MANY.map(name => [name, long(name)])),
      at: `2026-01-${String(index + 1).padStart(2, '0')}T10:00:00Z`,
      thread: 'one',
    },
  }
}

onEitherEngine(
  'AN-62 ID-11 every call, link and resource works for ids and fields in any script, however long',
  async engine => {
    await using world = await AuthorizationWorld.start(engine, { timeZone: 'Asia/Tokyo' })
    const connection_id = await world.addSource(ODD, 'Odd "things" & more')
    const { rejected } = await world.ingest('odd_things', connection_id, IDS.map(oddLine))
    assert.equal(rejected, 0)
    const { access_token } = await world.own('POST', '/v1/owner/grants', { client_name: 'Assistant' })
    const client = new Client({ name: 'walk', version: '1' })
    const headers = { Authorization: `Bearer ${access_token}` }
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', world.url), { requestInit: { headers } }),
    )
    const starts = [
      call('query_records', { limit: 25 }),
      call('query_records', { stream: 'odd_things', fields: ['last, first', 'مرحبا', 'list'], limit: 3 }),
      call('search', { query: 'kingfisher' }),
      call('search', { query: 'kingfisher', limit: 25 }),
      call('search', { query: 'slash kingfisher comma', sort: 'oldest', limit: 4 }),
      call('search', { query: 'from:"Person 3"' }),
      call('search', { query: 'from:nobody' }),
      call('search', { query: 'Person 3' }),
      call('search', { query: 'all messages by Person about kingfisher', since: '2026-01', limit: 2 }),
      call('aggregate', { stream: 'odd_things', group_by: 'who' }),
      call('schema'),
    ]
    const visit = { owner: await world.signedIn(), token: access_token, url: world.url }
    const few = engine === 'sqlite' ? 90 : 30
    const walked = await walk(walkerOf(client), visit, starts, count(few, 600))
    const enough = walked.calls >= few && walked.links >= few / 3 && walked.passages >= few / 9
    assert.ok(enough, JSON.stringify(walked))
    assert.deepEqual(world.failures, [])
    await client.close()
  },
)
