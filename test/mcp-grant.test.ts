import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordUri } from '../src/model/ids/handle.ts'
import { blobUri, fieldWindowUri } from '../src/model/ids/window-uri.ts'
import type { SelectorInput } from '../src/model/reading/window.ts'
import { onEitherEngine, PUBLIC_URL, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { ERAS, McpTestClient } from './mcp-client.ts'
import { mcpPost } from './mcp-post.ts'
import { narrowWorld, SECRET } from './narrow-world.ts'

interface Ask {
  tool?: string
  args?: Record<string, unknown>
  uri?: string
}

const field = (
  connection_id: string | null,
  stream: string,
  record_id: string,
  field_path: string,
  selector: SelectorInput = {},
) => ({
  uri: fieldWindowUri({ record: { connection_id, stream, record_id }, field_path, selector, digest: null }),
})
const call = (tool: string, args: Record<string, unknown>): Ask => ({ tool, args })

/** Every way to request something that is not granted, by the expected refusal. */
function closedAsks(work: string, home: string): Record<string, Ask[]> {
  const read = (id: string, field_path = 'body') => call('read_record_field', { id, field_path })
  return {
    'grant_stream_not_allowed 403': [
      call('schema', { stream: 'notes' }),
      call('schema', { stream: 'notes', connection_id: work }),
      call('query_records', { stream: 'notes' }),
      call('query_records', { stream: 'notes', connection_id: work, count: true }),
      call('query_records', { stream: 'notes', changes_since: 'beginning' }),
      call('aggregate', { stream: 'notes' }),
      call('search', { query: 'albatross', streams: ['notes'] }),
      call('search', { query: 'albatross', streams: ['messages', 'notes'] }),
      call('search', { query: 'albatross', within: `${work}/notes:n1` }),
      call('fetch', { id: `${work}/notes:n1` }),
      call('fetch', { id: 'notes:n1' }),
      call('fetch', { id: recordUri(work, 'notes', 'n1') }),
      read(`${work}/notes:n1`, 'text'),
      read(`${work}/never:n1`, 'text'),
      call('read_record_field', {
        connection_id: work,
        stream: 'notes',
        record_id: 'n1',
        field_path: 'text',
      }),
      { uri: recordUri(work, 'notes', 'n1') },
      { uri: `pdpp://record/${encodeURIComponent(`${work}/notes:n1`)}` },
      field(work, 'notes', 'n1', 'text'),
      field(null, 'notes', 'n1', 'text', { q: SECRET }),
    ],
    'unknown_field 400': [
      call('query_records', { stream: 'messages', filter: { never: 'x' } }),
      call('fetch', { id: `${work}/messages:open`, fields: ['id', 'never'] }),
    ],
    'field_not_granted 403': [
      call('query_records', { stream: 'messages', fields: ['id', 'secret'] }),
      call('query_records', { stream: 'messages', filter: { secret: SECRET } }),
      call('query_records', { stream: 'messages', filter: { size: { gte: 1 } } }),
      call('aggregate', { stream: 'messages', group_by: 'from' }),
      call('aggregate', { stream: 'messages', metric: 'sum', field: 'size' }),
      call('aggregate', { stream: 'messages', filter: { from: 'ada@example.org' } }),
      call('search', { query: 'albatross', streams: ['messages'], filter: { secret: SECRET } }),
      call('fetch', { id: `${work}/messages:open`, fields: ['secret'] }),
      read(`${work}/messages:open`, 'secret'),
      read(`${work}/messages:open`, '/secret/0'),
      read('messages:open', 'secret'),
      call('read_record_field', { id: `${work}/messages:open`, field_path: 'secret', q: SECRET }),
      call('read_record_field', { id: `${work}/messages:open`, field_path: 'secret', offset_chars: 3 }),
      field(work, 'messages', 'open', 'secret'),
      field(work, 'messages', 'open', 'secret', { q: SECRET }),
      field(work, 'messages', 'early', 'secret'),
    ],
    'connection_not_found 404': [
      call('schema', { connection_id: home }),
      call('query_records', { stream: 'messages', connection_id: home }),
      call('query_records', { stream: 'messages', connection_id: 'cin_never' }),
      call('aggregate', { stream: 'messages', connection_id: home }),
      call('search', { query: 'albatross', connection_id: home }),
      call('search', { query: 'albatross', within: `${home}/messages:open` }),
      call('fetch', { id: `${home}/messages:open` }),
      call('fetch', { id: 'messages:open', connection_id: home }),
      call('fetch', { id: recordUri(home, 'messages', 'other') }),
      read(`${home}/messages:open`),
      read(`cin_never/messages:open`),
      call('read_record_field', { id: 'messages:other', connection_id: home, field_path: 'body' }),
      call('read_record_field', {
        connection_id: home,
        stream: 'messages',
        record_id: 'open',
        field_path: 'body',
      }),
      { uri: recordUri(home, 'messages', 'open') },
      field(home, 'messages', 'open', 'body'),
      field(home, 'messages', 'open', 'body', { q: SECRET, before_chars: 0, after_chars: 0 }),
    ],
    'not_found 404': [
      call('search', { query: 'albatross', within: `${work}/messages:early` }),
      call('search', { query: 'albatross', within: `${work}/messages:never` }),
      call('fetch', { id: `${work}/messages:early` }),
      call('fetch', { id: `${work}/messages:never` }),
      call('fetch', { id: 'messages:early' }),
      call('fetch', { id: 'messages:other' }),
      call('fetch', { id: recordUri(work, 'messages', 'early') }),
      read(`${work}/messages:early`),
      read(`${work}/messages:never`),
      call('read_record_field', { id: `${work}/messages:early`, field_path: 'body', q: SECRET }),
      { uri: recordUri(work, 'messages', 'early') },
      { uri: recordUri(null, 'messages', 'other') },
      { uri: `pdpp://record/${encodeURIComponent(`${work}/messages:early`)}` },
      field(work, 'messages', 'early', 'body'),
      field(work, 'messages', 'never', 'body'),
    ],
  }
}

/** The code and status of a refusal and its whole text, from a tool or a resource. */
async function refusal(
  client: McpTestClient,
  { tool, args, uri }: Ask,
): Promise<{ code: string; said: string }> {
  if (tool !== undefined && args) {
    const error = await client.refused(tool, args)
    return { code: `${error.code} ${error.status}`, said: JSON.stringify(error) }
  }
  const error = await client.read(uri ?? '').then(
    read => assert.fail(`${uri} was read: ${JSON.stringify(read)}`),
    (error: Error & { code: number; data?: { status?: number } }) => error,
  )
  const [code = ''] = error.message.replace(/^MCP error -?\d+: /, '').split(':')
  // The protocol has its own code for a missing resource; its data need not repeat the status.
  const status = error.data?.status ?? 404
  return { code: `${code} ${status}`, said: JSON.stringify([error.message, error.data]) }
}

onEitherEngine(
  'RS-2 RS-4 RC-3 every tool and resource refuses what is not granted in the same way',
  async engine => {
    const { server, work, home, narrow } = await narrowWorld(engine)
    await using _ = server
    const token = await server.grant(narrow)
    for (const era of ERAS) {
      await using client = await McpTestClient.connect(server, token, era)
      for (const [expected, asks] of Object.entries(closedAsks(work, home))) {
        for (const ask of asks) {
          const { code, said } = await refusal(client, ask)
          const name = `${era} ${JSON.stringify(ask)}`
          assert.equal(code, expected, name)
          // A refusal may repeat what was requested, but nothing else that is hidden.
          const asked = JSON.stringify(ask) + Buffer.from(ask.uri?.split('/').at(-1) ?? '', 'base64url')
          if (!asked.includes(SECRET)) assert.ok(!said.includes(SECRET), `${name} says ${said}`)
        }
      }
    }
    assert.deepEqual(server.failures, [])
  },
)

onEitherEngine(
  'RS-3 handles, ids and cursors from a wider grant give a narrower one no access',
  async engine => {
    const { server, work, home, hiddenBlob, narrow } = await narrowWorld(engine)
    await using _ = server
    await using wide = await McpTestClient.connect(server, await server.grant())
    await using client = await McpTestClient.connect(server, await server.grant(narrow))
    const listed = await wide.call('query_records', { stream: 'messages', limit: 1 })
    const found = await wide.call('search', { query: 'albatross', limit: 1 })
    const changes = await wide.call('query_records', { stream: 'messages', changes_since: 'beginning' })
    const open = { id: `${work}/messages:open`, field_path: 'body' }
    const window = await wide.call('read_record_field', open)
    const hidden = await wide.call('read_record_field', { id: `${home}/messages:open`, field_path: 'body' })
    const pages: [string, Record<string, unknown>][] = [
      ['query_records', { stream: 'messages', limit: 1, cursor: listed.structured.data.next_cursor }],
      ['search', { query: 'albatross', limit: 1, cursor: found.structured.data.next_cursor }],
      ['query_records', { stream: 'messages', changes_since: changes.structured.data.next_changes_since }],
      ['read_record_field', { ...open, cursor: window.structured.window.next_cursor }],
      ['read_record_field', { ...open, cursor: hidden.structured.window.next_cursor }],
    ]
    for (const [tool, args] of pages) {
      assert.ok(Object.values(args).every(value => value !== undefined))
      const error = await client.refused(tool, args)
      assert.deepEqual([error.code, error.reason], ['invalid_cursor', 'foreign'], JSON.stringify(args))
      assert.ok(!JSON.stringify(error).includes(SECRET))
    }
    const blob = await wide.read(blobUri(hiddenBlob))
    assert.equal(Buffer.from(blob.contents[0].blob, 'base64').toString(), `${SECRET} in bytes`)
    await assert.rejects(client.read(blobUri(hiddenBlob)), /blob_not_found: /)
    for (const uri of [
      hidden.result._meta['footnote/window'].uri,
      hidden.result._meta['footnote/window'].next_uri,
    ]) {
      assert.ok((await wide.read(uri)).contents[0].text.includes('albatross'))
      await assert.rejects(client.read(uri), /connection_not_found: /)
    }
    // With the narrower grant, the same handle reads only what that grant covers, and the digest is computed from
    // that.
    const { uri } = window.result._meta['footnote/window']
    assert.equal((await client.read(uri)).contents[0].text, window.structured.window.text)
    // Without a connection the id is ambiguous for the wide grant. The narrow grant covers only one such record.
    assert.equal((await wide.refused('fetch', { id: 'messages:open' })).code, 'ambiguous_connection')
    assert.equal((await client.call('fetch', { id: 'messages:open' })).structured.id, open.id)
    assert.deepEqual(server.failures, [])
  },
)

onEitherEngine('RS-5 no tool or resource reveals hidden data', async engine => {
  const { server, work, narrow } = await narrowWorld(engine)
  await using _ = server
  await using client = await McpTestClient.connect(server, await server.grant(narrow))
  const open = `${work}/messages:open`
  const answers: unknown[] = []
  for (const [tool, args] of [
    ['schema', {}],
    ['schema', { detail: 'full' }],
    ['query_records', { stream: 'messages', count: true }],
    ['query_records', { stream: 'messages', order: 'asc', limit: 1 }],
    ['query_records', { stream: 'messages', changes_since: 'beginning' }],
    ['aggregate', { stream: 'messages' }],
    ['aggregate', { stream: 'messages', metric: 'min', field: 'received_at' }],
    ['aggregate', { stream: 'messages', group_by_time: 'received_at', granularity: 'year' }],
    ['search', { query: 'albatross' }],
    ['search', { query: 'albatross', since: '2000-01-01', until: '2030-01-01' }],
    ['search', { query: 'xylo*' }],
    ['search', { query: SECRET, within: open }],
    ['fetch', { id: open }],
    ['read_record_field', { id: open, field_path: 'body' }],
  ] as [string, Record<string, unknown>][]) {
    const { result, isError } = await client.call(tool, args)
    assert.ok(!isError, JSON.stringify(result))
    const { query: _query, ...asked } = args
    answers.push([tool, asked, result.content, result.structuredContent, result._meta ?? null])
  }
  answers.push(await client.read(recordUri(work, 'messages', 'open')))
  // An answer may repeat the word that was searched for, as it would for a word that nobody ever wrote.
  const repeated = [
    `\\"query\\":\\"${SECRET}\\"`,
    `No record in the searched sources contains “${SECRET}”`,
    `"words":["${SECRET}"]`,
  ]
  const said = repeated.reduce((text, part) => text.replaceAll(part, ''), JSON.stringify(answers))
  assert.ok(!said.includes(SECRET), said.slice(said.indexOf(SECRET) - 300, said.indexOf(SECRET) + 100))
  assert.ok(!said.includes('"secret"') && !said.includes('notes') && !said.includes('2020-06'))
  const count = await client.call('query_records', { stream: 'messages', count: true })
  assert.equal(count.structured.data.meta.count, 2)
  const years = await client.call('aggregate', { stream: 'messages' })
  assert.equal(years.structured.data.value, 2)
  assert.deepEqual((await client.call('search', { query: SECRET })).structured.results, [])
})

onEitherEngine('RS-2 a grant of single records allows only those', async engine => {
  const { server, work, home } = await narrowWorld(engine)
  await using _ = server
  const token = await server.grant({ connections: [home], records: ['messages:other'] })
  await using client = await McpTestClient.connect(server, token)
  const { structured } = await client.call('search', { query: 'albatross' })
  assert.deepEqual(
    structured.results.map((hit: { id: string }) => hit.id),
    [`${home}/messages:other`],
  )
  for (const ask of [
    call('fetch', { id: `${home}/messages:open` }),
    call('read_record_field', { id: `${home}/messages:open`, field_path: 'body' }),
    { uri: recordUri(home, 'messages', 'open') },
    field(home, 'messages', 'open', 'body'),
  ]) {
    assert.equal((await refusal(client, ask)).code, 'not_found 404', JSON.stringify(ask))
  }
  assert.equal(
    (await refusal(client, call('fetch', { id: `${work}/messages:open` }))).code,
    'connection_not_found 404',
  )
})

onEitherEngine('RS-3 HO-2 a revoked token is refused by MCP and by the resource server', async engine => {
  const { server, work, narrow } = await narrowWorld(engine)
  await using _ = server
  const made = await server.grants(narrow)
  const { access_token } = made
  const post = (token: string | null) =>
    server.request('/mcp', {
      token,
      ...mcpPost(
        'tools/call',
        { name: 'fetch', arguments: { id: `${work}/messages:open` } },
        { Host: new URL(PUBLIC_URL).host },
      ),
    })
  await using client = await McpTestClient.connect(server, access_token)
  const open = { id: `${work}/messages:open`, field_path: 'body' }
  const window = await client.call('read_record_field', open)
  assert.equal((await post(access_token)).status, 200)
  await server.revoke(made)
  for (const token of [access_token, null, 'fnc_never']) {
    const answer = await post(token)
    assert.equal(answer.status, 401)
    assert.match(answer.headers.get('WWW-Authenticate') ?? '', /^Bearer .*resource_metadata="/)
  }
  assert.equal((await post(server.ownerToken)).status, 403)
  // The adapter stores no access of its own: handles and cursors from before are refused by the server.
  const { next_cursor } = window.structured.window
  const { uri } = window.result._meta['footnote/window']
  for (const ask of [
    call('schema', {}),
    call('query_records', { stream: 'messages' }),
    call('aggregate', { stream: 'messages' }),
    call('search', { query: 'albatross' }),
    call('fetch', { id: open.id }),
    call('read_record_field', open),
    call('read_record_field', { ...open, cursor: next_cursor }),
    { uri },
    { uri: recordUri(work, 'messages', 'open') },
  ]) {
    assert.equal((await refusal(client, ask)).code, 'grant_revoked 403', JSON.stringify(ask))
  }
})

test('AN-33 the text of schema says in words which part of a stream the grant opens', async () => {
  await using server = await TestServer.start('sqlite', { timeZone: 'Europe/Berlin' })
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [message('m1')])
  const opened = async (grant: object) => {
    const token = await server.grant({ streams: ['messages'], ...grant })
    await using client = await McpTestClient.connect(server, token)
    return /^ {2}only .*$/m.exec((await client.call('schema')).text)?.[0]
  }
  const since = '2014-12-31T23:00:00Z'
  assert.equal(await opened({}), undefined)
  assert.equal(await opened({ since }), '  only since 2015-01-01')
  const until = '2016-01-01T00:00:00Z'
  assert.equal(
    await opened({ since, until, records: ['messages:m1'] }),
    '  only since 2015-01-01, before 2016-01-01T01:00:00+01:00, 1 chosen record',
  )
})
