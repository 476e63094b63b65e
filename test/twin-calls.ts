import { mcpPost } from './mcp-post.ts'
import type { Random } from './random.ts'
import { type Asked, handle, query, some, type TwinRequest } from './twin-asked.ts'
import { FIELDS, FILES, WORDS } from './twin-world.ts'

type Call = [tool: string, args: object]

/** A random call of a tool, or a read of a resource. */
export function called(asked: Asked): TwinRequest {
  const { random } = asked
  if (random.chance(0.15)) return resource(asked)
  if (random.chance(0.05)) return described(random)
  if (random.chance(0.1)) return post('/mcp/research', random.pick<Call>(researchCalls(asked)))
  const calls = random.chance(0.7) ? plainCalls(asked) : meantCalls(asked)
  return post('/mcp', random.pick<Call>(calls))
}

function post(path: string, [name, args]: Call): TwinRequest {
  return { path, init: mcpPost('tools/call', { name, arguments: args }) }
}

/** What the server says about itself, which may name what may be read. */
function described(random: Random): TwinRequest {
  const [method, params] = random.pick<[string, object]>([
    ['tools/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['prompts/list', {}],
    ['prompts/get', { name: 'find_and_cite', arguments: { question: 'walrus' } }],
    [
      'initialize',
      { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'client', version: '1' } },
    ],
  ])
  return { path: random.pick(['/mcp', '/mcp/research']), init: mcpPost(method, params) }
}

const times = (random: Random) =>
  some(random, 0.2, { person: ['ada', 'walrus'], since: ['2026-01-31'], until: ['2026-02-01'] })

function plainCalls(asked: Asked): Call[] {
  const { random, stream } = asked
  const id = handle(asked)
  const time = times(random)
  const filter = some(random, 0.15, { place: ['harbour'], thread: ['t1'], n: [7], from: ['Müller'] })
  const more = Object.keys(filter).length > 0 ? { filter } : {}
  return [
    ['search', { query: query(random), limit: random.pick([1, 3, 10]), ...time }],
    [
      'search',
      {
        query: query(random),
        streams: [stream],
        ...some(random, 0.3, { sort: ['newest', 'oldest'], connector: ['left'] }),
        ...more,
      },
    ],
    ['search', { query: query(random), within: id }],
    ['query_records', { ...some(random, 0.6, { stream: [stream] }), ...time, limit: 5 }],
    [
      'query_records',
      { stream, ...more, ...some(random, 0.3, { order: ['asc'], count: [true], limit: [2], query: WORDS }) },
    ],
    ['query_records', { stream, fields: random.some(FIELDS, 0.3) }],
    ['query_records', { stream, changes_since: 'beginning' }],
    ['query_records', { query: query(random), ...some(random, 0.4, { limit: [2], count: [true] }), ...time }],
    ['aggregate', { stream, group_by: random.pick(['from', 'place', 'n']), ...time }],
    ['aggregate', { stream, group_by: 'from', split_by: random.pick(['place', 'month', 'shown']), ...more }],
    ['aggregate', { stream, metric: random.pick(['sum', 'max']), field: 'n', ...time }],
    ['aggregate', { ...time, granularity: 'month', query: query(random) }],
    ['aggregate', { stream, query: query(random), group_by: 'place', ...time, ...more }],
    ['aggregate', {}],
    ['fetch', { id }],
    ['fetch', { id, fields: random.some(FIELDS, 0.3) }],
    ['read_record_field', { id, field_path: random.pick(FIELDS) }],
    ['read_record_field', { id, field_path: random.pick(FIELDS), q: random.pick(WORDS) }],
    ['read_conversation', { id, ...some(random, 0.3, { before: [2], after: [0], limit_chars: [300] }) }],
    ['schema', some(random, 0.5, { stream: [stream], detail: ['full'], connection_id: [asked.connection] })],
    ['search', { query: query(random), connection_id: [asked.connection], ...time }],
    ['search', { query: query(random), within: `${stream}:${asked.id}` }],
    [
      'aggregate',
      { query: query(random), ...time, split_by: 'from', group_by: random.pick(['place', 'from']) },
    ],
    ['aggregate', { stream, person: random.pick(['ada', 'adda']), query: query(random), split_by: 'place' }],
    ['aggregate', { granularity: random.pick(['day', 'week']), split_by: 'stream', ...time, ...filter }],
    ['fetch', { id: `${stream}:${asked.id}` }],
    ['read_conversation', { id: `${stream}:${asked.id}` }],
    [
      'read_record_field',
      { id, field_path: random.pick(FIELDS), ...some(random, 0.5, { offset_chars: [5], limit_chars: [40] }) },
    ],
    ['show_evidence', { id, ...some(random, 0.5, { field_path: FIELDS, q: WORDS }) }],
    ['show_evidence', { id, start_chars: 2, end_chars: random.pick([6, 600]) }],
  ]
}

/** Names of streams, sources and fields as models guess them, and ids as they copy them. */
function meantCalls(asked: Asked): Call[] {
  const { random, stream } = asked
  const id = handle(asked)
  const time = times(random)
  const named = random.pick(['left', 'Left', 'alpha', 'Connection 0', 'Connection 3', 'cin_none'])
  const field = random.pick([
    'sender',
    'date',
    'subject',
    'text',
    '/to/0',
    '/file/name',
    '/parts/text',
    'nope',
  ])
  const filter = random.pick<object>([
    { sender: 'ada' },
    { place: { contains: 'harbur' } },
    { title: 'walrus' },
    { date: { gte: '2026-02-01' } },
    { thread: { in: ['t1', 't9'] } },
  ])
  return [
    ['search', { query: query(random), connection_id: [named] }],
    ['search', { query: query(random), connector: named, ...time }],
    [
      'search',
      { query: query(random), streams: [random.pick(['alpha,beta', 'Beta', 'gamma'])], sender: 'ada' },
    ],
    ['query_records', { stream: random.pick(['Alpha', 'alphas', 'left', 'gamma', 'Connection 0']) }],
    ['query_records', { fields: ['sender', ...random.some(FIELDS, 0.2)], ...time }],
    ['query_records', { stream, filter, ...time }],
    ['aggregate', { stream, group_by: random.pick(['sender', 'month', 'date']), ...time }],
    [
      'fetch',
      { id: random.pick([`[${id}]`, id.slice(0, -1), id.toUpperCase(), id.replace(':', '/'), asked.id]) },
    ],
    ['fetch', { id: `http://footnote.test/r/${encodeURIComponent(id)}` }],
    ['read_record_field', { id: random.pick([id.replace(':', '/'), `${id}.`]), field_path: field }],
  ]
}

function researchCalls(asked: Asked): Call[] {
  return [
    ['search', { query: query(asked.random) }],
    ['fetch', { id: handle(asked) }],
  ]
}

function resource({ random, connection, stream, id }: Asked): TwinRequest {
  const handle = encodeURIComponent(`${connection}/${stream}:${id}`)
  const uri = random.pick([
    `pdpp://record/${handle}`,
    `pdpp://conversation/${handle}`,
    `pdpp://blob/${random.pick(FILES).blob_id}`,
  ])
  return { path: '/mcp', init: mcpPost('resources/read', { uri }) }
}
