import assert from 'node:assert/strict'
import { onEitherEngine, TestServer } from './engines.ts'
import { byTime, MAILBOX, message, stream } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'

const PAYMENTS = stream(
  'payments',
  {
    payee: { type: 'string' },
    amount_eur: { type: 'number' },
    minutes: { type: 'integer' },
    on: { type: 'string', format: 'date-time' },
  },
  {
    ...byTime('on'),
    query: {
      search: { lexical_fields: ['payee'] },
      aggregations: { count: true, sum: ['minutes', 'amount_eur'] },
    },
  },
)
const paid = (id: string, amount_eur: number, on: string) => ({
  data: { id, payee: 'PayPal', amount_eur, minutes: 1, on: `${on}T10:00:00Z` },
})

onEitherEngine('AN-42 a search for what was spent names the call that adds up the amounts', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect({ ...MAILBOX, streams: [MAILBOX.streams[0], PAYMENTS] } as never)
  await server.ingest('payments', connection, [
    paid('a', 7.5, '2019-05-01'),
    paid('b', 5, '2019-12-31'),
    paid('c', 1, '2020-01-01'),
  ])
  await server.ingest('messages', connection, [message('m', { body: 'paypal' })])
  await using client = await McpTestClient.connect(server, await server.grant({ connections: [connection] }))
  const { text, structured } = await client.call('search', { query: 'spent on paypal in 2019' })
  const [, args = ''] = /^To add up amounts: aggregate (\{.*\})$/m.exec(text) ?? []
  assert.deepEqual(
    JSON.parse(args || 'null'),
    { stream: 'payments', metric: 'sum', field: 'amount_eur', query: 'paypal', since: '2019', until: '2019' },
    text,
  )
  assert.ok(structured.remarks.includes(`To add up amounts: aggregate ${args}`))
  assert.equal((await client.call('aggregate', JSON.parse(args))).structured.data.value, 12.5)
  for (const query of ['paypal in 2019', 'paid the harbour'])
    assert.doesNotMatch((await client.call('search', { query })).text, /add up/)
  await using narrow = await McpTestClient.connect(server, await server.grant({ streams: ['messages'] }))
  const hidden = await narrow.call('search', { query: 'spent on paypal in 2019' })
  assert.doesNotMatch(hidden.text + JSON.stringify(hidden.structured), /add up|payments/)
})
