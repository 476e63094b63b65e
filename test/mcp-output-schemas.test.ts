import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { APP_TOOLS } from '../src/mcp/apps.ts'
import { listedSchema } from '../src/mcp/listed-schema.ts'
import { RESEARCH_TOOLS } from '../src/mcp/research.ts'
import { TOOLS } from '../src/mcp/tools.ts'
import { CHAT, line } from './chat.ts'
import { onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { type Loose, McpTestClient } from './mcp-client.ts'

const ajv = new Ajv({ strict: false })
/** Members that are passed on unchanged: the answer of a server and the values of a record. */
const CARRIED = new Set(['data', 'fields'])

/** The paths of objects in a schema that would allow an undeclared member. */
function openObjects(schema: Loose, path: string): string[] {
  const inside = [
    ...Object.entries(schema.properties ?? {}).map(([name, member]) => [`${path}.${name}`, member] as const),
    ...(schema.items ? [[`${path}[]`, schema.items] as const] : []),
  ].flatMap(([at, member]) => openObjects(member, at))
  const isObject = schema.type === undefined || [schema.type].flat().includes('object')
  return [...(isObject && schema.additionalProperties !== false ? [path] : []), ...inside]
}

test('RF-5 LA-2 every object that a tool returns is declared, except server responses and record values', () => {
  for (const tool of [...TOOLS, ...APP_TOOLS, ...RESEARCH_TOOLS]) {
    const open = openObjects(tool.output, '').filter(path => !/^\.data\b|^\.metadata\.fields$/.test(path))
    assert.deepEqual(open, [], tool.name)
  }
})

/** Each object in a value, with a function that finds it in a copy. */
function* objectsIn(value: Loose, path: (string | number)[] = []): Generator<(string | number)[]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield path
  for (const [name, member] of Object.entries(value)) {
    if (Array.isArray(value)) yield* objectsIn(member, [...path, Number(name)])
    else if (!CARRIED.has(name) || Array.isArray(member)) yield* objectsIn(member, [...path, name])
  }
}

function withUndeclared(value: Loose, path: (string | number)[]): Loose {
  const copy = structuredClone(value)
  path.reduce((at: Loose, name) => at[name], copy).undeclared = 1
  return copy
}

onEitherEngine(
  'RF-5 LA-2 a member that no schema declares is refused, wherever in a result it is',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    const blob_id = `sha256-${'0'.repeat(64)}`
    const parts = [{ blob_id, mime_type: 'image/png', size: 7 }]
    await server.ingest('messages', connection, [
      message('long', {
        subject: 'Treaty',
        body: `${'quick brown fox '.repeat(2_000)} quetzalcoatlus`,
        parts,
      }),
      message('short', { subject: 'Treaty', body: 'Agreed.' }),
    ])
    const chat = await server.connect(CHAT)
    await server.ingest('chat', chat, [line('m1', 1, { text: 'word '.repeat(200) })])
    await using client = await McpTestClient.connect(server, await server.grant())
    const id = `${connection}/messages:long`
    const calls: [string, object][] = [
      ['search', { query: 'quetzalcoatlus', since: '2015', limit: 99 }],
      ['search', { query: 'xylophone', since: '2015' }],
      ['query_records', { stream: 'messages', since: '2015' }],
      ['aggregate', { stream: 'messages', since: '2015' }],
      ['aggregate', { stream: 'messages', query: 'xylophone' }],
      ['fetch', { id }],
      ['read_record_field', { id, field_path: 'body', q: 'fox' }],
      ['read_conversation', { id: `${chat}/chat:m1`, limit_chars: 100 }],
      ['schema', {}],
    ]
    const seen: string[] = []
    for (const [name, args] of calls) {
      const { structured } = await client.call(name, { ...args })
      const { output } = TOOLS.find(tool => tool.name === name) ?? assert.fail(name)
      const whole = ajv.compile(output)
      assert.ok(ajv.compile(listedSchema(output))(structured), `${name} as it is listed`)
      for (const path of objectsIn(structured)) {
        seen.push(path.filter(part => typeof part === 'string').join('.'))
        assert.ok(!whole(withUndeclared(structured, path)), `${name}: undeclared in ${path.join('.')}`)
      }
    }
    for (const path of [
      'results',
      'results.next',
      'results.next.args',
      'understood',
      'nothing_found',
      'content_ladder.records',
      'content_ladder.records.fields',
      'content_ladder.records.fields.read.args',
      'metadata.read',
      'window.match',
      'conversation',
      'messages.read',
    ])
      assert.ok(seen.includes(path), `${path} was seen`)
  },
)
