import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEitherEngine, TestServer } from './engines.ts'
import { byTime, MAILBOX, message, stream } from './mailbox.ts'
import { callsIn, McpTestClient } from './mcp-client.ts'

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

/** Something else that can be added up, but is not money unless words say what it is. */
const STEPS = {
  ...PAYMENTS,
  name: 'measurements',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'string' },
      kind: { type: 'string' },
      value: { type: 'number' },
      on: { type: 'string', format: 'date-time' },
    },
  },
  query: { search: { lexical_fields: ['kind'] }, aggregations: { count: true, sum: ['value'] } },
}
const walked = (id: string, value: number, on: string) => ({
  data: { id, kind: 'Step count', value, on: `${on}T10:00:00Z` },
})

onEitherEngine('AN-42 a search for what was spent says the sum and the call that gives it', async engine => {
  await using server = await TestServer.start(engine)
  const streams = [MAILBOX.streams[0], PAYMENTS, STEPS]
  const connection = await server.connect({ ...MAILBOX, streams } as never)
  await server.ingest('payments', connection, [
    paid('a', 7.5, '2019-05-01'),
    paid('b', 5, '2019-12-31'),
    paid('c', 1, '2020-01-01'),
  ])
  await server.ingest('measurements', connection, [
    walked('x', 100, '2019-05-01'),
    walked('y', 50, '2020-01-01'),
  ])
  await server.ingest('messages', connection, [message('m', { body: 'paypal groceries' })])
  await using client = await McpTestClient.connect(server, await server.grant({ connections: [connection] }))
  const advised = async (query: string) => {
    const { text, structured } = await client.call('search', { query })
    const [line, said, args] = /^Sum of (.*?)\. aggregate (\{.*\})$/m.exec(text) ?? []
    if (line !== undefined) {
      assert.ok(text.startsWith(line), 'it comes before the hits')
      assert.ok(structured.remarks.includes(line))
    }
    return line === undefined ? null : { said, args: JSON.parse(args ?? '') }
  }
  const sum = { stream: 'payments', metric: 'sum', field: 'amount_eur' }
  const in2019 = { ...sum, query: 'paypal', since: '2019', until: '2019' }
  assert.deepEqual(await advised('spent on paypal in 2019'), {
    said: 'amount_eur in 2 records: 12.5',
    args: in2019,
  })
  assert.equal((await client.call('aggregate', in2019)).structured.data.value, 12.5)
  const all = { said: 'amount_eur in 3 records: 13.5', args: { ...sum, query: 'PayPal' } }
  // Words that no payment contains are left out, whatever their language.
  for (const query of [
    'how much did I spend on groceries at PayPal?',
    'Wie viel habe ich bei PayPal ausgegeben?',
    '我在PayPal花了多少钱',
  ])
    assert.deepEqual(await advised(query), all, query)
  assert.deepEqual(await advised('how much did I spend in 2020?'), {
    said: 'amount_eur in 1 record: 1',
    args: { ...sum, since: '2020', until: '2020' },
  })
  assert.deepEqual(await advised('how many steps per week'), {
    said: 'value in 2 records: 150',
    args: { stream: 'measurements', metric: 'sum', field: 'value', query: 'steps', granularity: 'week' },
  })
  assert.deepEqual(await advised('How many steps did I take in 2019?'), {
    said: 'value in 1 record: 100',
    args: {
      stream: 'measurements',
      metric: 'sum',
      field: 'value',
      query: 'steps',
      since: '2019',
      until: '2019',
    },
  })
  for (const query of [
    'how many payments to PayPal',
    'paypal in 2019',
    'paid the harbour',
    'spent on herons',
    'spent on paypal in 1999',
  ])
    assert.equal(await advised(query), null, query)
  await using narrow = await McpTestClient.connect(server, await server.grant({ streams: ['messages'] }))
  const hidden = await narrow.call('search', { query: 'spent on paypal in 2019' })
  assert.doesNotMatch(hidden.text + JSON.stringify(hidden.structured), /Sum of|payments/)
})

onEitherEngine(
  'AN-42 a search for large payments says how many, and the call that lists them',
  async engine => {
    await using server = await TestServer.start(engine)
    const ranged = {
      ...PAYMENTS,
      query: {
        ...PAYMENTS.query,
        range_filters: { amount_eur: ['gte', 'lte'] },
        aggregations: { count: true, sum: ['amount_eur'], min: ['amount_eur'], max: ['amount_eur'] },
      },
    }
    const connection = await server.connect({ ...MAILBOX, streams: [MAILBOX.streams[0], ranged] } as never)
    const all = [paid('a', -75, '2019-05-01'), paid('b', -50, '2020-12-31'), paid('c', 60, '2020-01-01')]
    await server.ingest('payments', connection, [...all, paid('d', -1200.5, '2018-01-01')])
    await server.ingest('messages', connection, [message('m', { body: 'payments over all' })])
    await using client = await McpTestClient.connect(
      server,
      await server.grant({ connections: [connection] }),
    )
    const listed = async (query: string) => {
      const { text } = await client.call('search', { query })
      const lines = text.split('\n').filter(line => line.startsWith('payments with amount_eur '))
      const found: unknown[] = []
      for (const { tool, args } of callsIn(lines.join('\n'))) {
        const { structured } = await client.call(tool, args)
        found.push(structured.results.map(({ id }: { id: string }) => id.split(':')[1]))
      }
      return [lines.map(line => line.split('. query_records ')[0]), found]
    }
    assert.deepEqual(await listed('which payments over 50?'), [
      ['payments with amount_eur -50 or less: 3', 'payments with amount_eur 50 or more: 1'],
      [['b', 'a', 'd'], ['c']],
    ])
    for (const query of ['payments over 1,200.50', 'Zahlungen über 1.200,50 €'])
      assert.deepEqual(await listed(query), [['payments with amount_eur -1200.5 or less: 1'], [['d']]], query)
    assert.deepEqual(await listed('payments over 1.2.3'), [[], []])
    assert.deepEqual(await listed('Zahlungen über 60 € im Jahr 2019'), [
      ['payments with amount_eur -60 or less: 1'],
      [['a']],
    ])
    assert.deepEqual(await listed('my largest expense in 2020'), [
      ['payments with amount_eur -50: 1', 'payments with amount_eur 60: 1'],
      [['b'], ['c']],
    ])
    for (const query of ['payments', 'mails over 50', 'largest boat'])
      assert.deepEqual(await listed(query), [[], []])
  },
)

test('AN-42 a month without a year is the last one', async () => {
  await using server = await TestServer.start('sqlite')
  const connection = await server.connect({ ...MAILBOX, streams: [PAYMENTS] } as never)
  const year = new Date().getUTCFullYear() - 1
  await server.ingest('payments', connection, [
    paid('a', 2, `${year}-01-10`),
    paid('b', 3, `${year + 1}-01-01`),
  ])
  await using client = await McpTestClient.connect(server, await server.grant({ connections: [connection] }))
  const { text } = await client.call('search', { query: 'how much did I spend in January?' })
  assert.match(text, new RegExp(`^Sum of amount_eur in 1 record: 3\\. .*"since":"${year + 1}-01"`))
})
