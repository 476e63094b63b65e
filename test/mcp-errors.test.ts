import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { ERAS, McpTestClient } from './mcp-client.ts'

onEitherEngine(
  'ER-1 ER-2 ER-3 a strict client that has listed the tools gets every refusal with its original code',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, [message('o1', { body: 'text' })])
    const token = await server.grant({ streams: ['messages'], fields: ['id', 'subject', 'received_at'] })
    const id = `${connection}/messages:o1`
    for (const era of ERAS) {
      await using client = await McpTestClient.connect(server, token, era)
      for (const [tool, args, code, status] of [
        ['fetch', { id: `${connection}/messages:none` }, 'not_found', 404],
        ['fetch', { id: `cin_other/messages:o1` }, 'connection_not_found', 404],
        ['fetch', { id: `${connection}/notes:o1` }, 'grant_stream_not_allowed', 403],
        ['fetch', { id, fields: ['body'] }, 'field_not_granted', 403],
        ['read_record_field', { id, field_path: 'body' }, 'field_not_granted', 403],
        ['read_record_field', { id, field_path: 'subject', q: 'absent' }, 'query_not_found', 404],
        ['query_records', { stream: 'notes' }, 'grant_stream_not_allowed', 403],
        ['query_records', { stream: 'messages', filter: { body: 'x' } }, 'field_not_granted', 403],
        ['query_records', { stream: 'messages', cursor: 'zzz' }, 'invalid_cursor', 400],
        ['aggregate', { stream: 'messages', group_by: 'from' }, 'field_not_granted', 403],
        ['search', { query: 'x', streams: ['notes'] }, 'grant_stream_not_allowed', 403],
        ['search', { query: 'x', connection_id: 'cin_other' }, 'connection_not_found', 404],
        ['schema', { stream: 'notes' }, 'grant_stream_not_allowed', 403],
      ] as const) {
        const error = await client.refused(tool, args)
        assert.deepEqual([error.code, error.status], [code, status], `${era} ${tool} ${JSON.stringify(args)}`)
        assert.ok(error.message.length > 10)
        assert.match(error.request_id, /^req_/)
      }
    }
  },
)

test('ER-2 a revoked token stays revoked: nothing is retried', async () => {
  await using server = await TestServer.start('sqlite')
  await server.connect(MAILBOX)
  const made = await server.grants()
  await using client = await McpTestClient.connect(server, made.access_token)
  await client.call('schema')
  await server.revoke(made)
  client.requests.length = 0
  const error = await client.refused('query_records', { stream: 'messages' })
  assert.deepEqual([error.code, error.status], ['grant_revoked', 403])
  assert.equal(client.requests.filter(url => url.pathname.startsWith('/v1/')).length, 1)
})

test('ER-4 unknown and ill-typed arguments are refused before any request; injected ones are dropped', async () => {
  await using server = await TestServer.start('sqlite')
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [message('o1')])
  await using client = await McpTestClient.connect(server, await server.grant())
  await client.call('schema')
  client.requests.length = 0
  for (const [tool, args, param] of [
    ['schema', { nope: 1 }, 'nope'],
    ['query_records', { stream: 'messages', nope: 1 }, 'nope'],
    ['query_records', { filter: { size: 1 } }, 'stream'],
    ['query_records', { stream: 'messages', limit: 'many' }, 'limit'],
    ['query_records', { stream: 'messages', filter: { a: { near: 1 } } }, 'filter'],
    ['query_records', { stream: 'messages', filter: { 'a]': 1 } }, 'filter'],
    ['aggregate', { stream: 'messages', metric: 'median' }, 'metric'],
    ['search', {}, 'query'],
    ['search', { query: '' }, 'query'],
    ['search', { query: 'a', q: 'b' }, 'q'],
    ['search', { query: 'x'.repeat(4001) }, 'query'],
    ['fetch', { id: 'x:y', nope: 1 }, 'nope'],
    ['fetch', {}, 'id'],
    ['read_record_field', { id: 'x:y' }, 'field_path'],
  ] as const) {
    const error = await client.refused(tool, args)
    assert.deepEqual([error.code, error.param], ['invalid_request', param], `${tool} ${JSON.stringify(args)}`)
  }
  assert.deepEqual(client.requests, [])
  for (const [tool, args] of [
    ['schema', {}],
    ['query_records', { stream: 'messages' }],
    ['aggregate', { stream: 'messages' }],
    ['search', { query: 'subject' }],
    ['fetch', { id: `${connection}/messages:o1` }],
    ['read_record_field', { id: `${connection}/messages:o1`, field_path: 'subject' }],
  ] as const) {
    assert.ok(!(await client.call(tool, { ...args, wait_for_previous: true })).isError, tool)
  }
})

test('AN-25 ER-4 placeholders for nothing are ignored, numbers may be text, and a limit is lowered with a note', async () => {
  await using server = await TestServer.start('sqlite')
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [message('a', { body: 'an egret' })])
  await using client = await McpTestClient.connect(server, await server.grant())
  const plain = await client.call('search', { query: 'egret' })
  const empty = { cursor: null, streams: [], since: '', filter: null, within: '', limit: '10' }
  assert.deepEqual((await client.call('search', { query: 'egret', ...empty })).structured, plain.structured)
  assert.deepEqual((await client.call('search', { q: 'egret' })).structured, plain.structured)
  assert.match(
    (await client.call('search', { query: 'egret', limit: 400 })).text,
    /limit 400 was lowered to 25/,
  )
  const listed = await client.call('query_records', {
    stream: 'messages',
    limit: '99',
    count: 'true',
    fields: 'body',
  })
  assert.match(listed.text, /limit 99 was lowered to 25/)
  assert.equal(listed.structured.data.meta.count, 1)
  const id = `${connection}/messages:a`
  const window = await client.call('read_record_field', {
    id,
    field_path: 'body',
    cursor: '',
    limit_chars: '4',
    q: null,
  })
  assert.equal(window.structured.window.text, 'an e')
  assert.equal((await client.refused('search', { query: '' })).param, 'query')
})
