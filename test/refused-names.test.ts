import assert from 'node:assert/strict'
import { sourceIdOf } from '../src/model/declaration/declaration.ts'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'

onEachEngine('ER-1 RS-5 a refusal names what can be read instead, and nothing else', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const other = await server.connect({ ...MAILBOX, ...source('parcels') })
  await server.ingest('messages', connection, [message('m1')])
  const grant = { connections: [connection], streams: ['messages'] }
  await using client = await McpTestClient.connect(server, await server.grant(grant))
  const refused = async (tool: string, args: Record<string, unknown>) => {
    const { message, ...rest } = await client.refused(tool, args)
    assert.ok(!/GET|notes|parcels/.test(message.replaceAll(String(args.stream), '')), message)
    return { message, ...rest }
  }
  for (const stream of ['mail', 'notes']) {
    const { message, owner_page } = await refused('query_records', { stream })
    const told = `The grant does not open a stream ${stream}. It opens messages.`
    assert.equal(message, `${told} The owner can allow it at ${owner_page}`)
    assert.ok(owner_page.endsWith(`stream=${stream}`), owner_page)
  }
  for (const connector of ['email', 'parcels']) {
    const { message } = await client.refused('search', { query: 'boat', connector })
    assert.equal(message, `No readable source is of the kind ${connector}. There are mailbox.`)
  }
  const { message: unknown } = await refused('search', { query: 'boat', connection_id: [other] })
  assert.equal(unknown, `There is no such connection. There are ${connection} "Test".`)
  for (const [tool, args] of [
    ['aggregate', { filter: { from: 'Ada' } }],
    ['aggregate', { metric: 'max', field: 'size' }],
    ['aggregate', { group_by: 'from', granularity: 'month' }],
  ] as const)
    assert.match((await refused(tool, args)).message, / needs? a stream\. Name one of messages\.$/)
  const { message: time } = await refused('query_records', {
    stream: 'messages',
    filter: { received_at: { gte: 'some day' } },
  })
  assert.match(time, /It must be a time, such as 2015-08-02T12:00:00Z\.$/)
  const few = { ...grant, fields: ['id', 'body', 'received_at'] }
  await using narrow = await McpTestClient.connect(server, await server.grant(few))
  for (const [tool, args, told] of [
    [
      'search',
      { query: 'from:ada' },
      /^The grant opens no field for from\. Repeat the request without it\.$/,
    ],
    [
      'aggregate',
      { stream: 'messages', group_by: 'body' },
      /^No readable field of stream messages supports group_by\./,
    ],
  ] as const)
    assert.match((await narrow.refused(tool, args)).message, told)
  const { body } = await server.json('/v1/streams/mail/records')
  assert.equal(body.error.message, 'There is no stream mail. There are messages, notes.')
})

onEachEngine('ER-1 a refused kind of source names those of tables last', async engine => {
  await using server = await TestServer.start(engine)
  const table = source('table-1a2b')
  await server.connect({ ...MAILBOX, ...table, source: { ...table.source, id: sourceIdOf('table-1a2b') } })
  await server.connect(MAILBOX)
  const { body } = await server.json('/v1/search?q=boat&connector=cloud')
  assert.equal(body.error.message, 'No readable source is of the kind cloud. There are mailbox, table-1a2b.')
})
