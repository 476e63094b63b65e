import assert from 'node:assert/strict'
import { type Engine, onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source } from './mailbox.ts'
import { bytes, McpTestClient } from './mcp-client.ts'

const [MESSAGES, NOTES] = MAILBOX.streams as [(typeof MAILBOX.streams)[0], (typeof MAILBOX.streams)[1]]

/** Mail in two streams, in a zone where the last evening of a month in UTC is already the next month. */
async function correspondence(engine: Engine) {
  const server = await TestServer.start(engine, { timeZone: 'Europe/Berlin' })
  const mail = await server.connect(MAILBOX, 'Mail')
  const letters = { ...MAILBOX, ...source('letters'), streams: [{ ...MESSAGES, name: 'letters' }] }
  const post = await server.connect(letters, 'Post')
  const lines = (count: number, from: string) =>
    Array.from({ length: count }, (_, n) =>
      message(`${from}${n}`, {
        from: n % 3 === 0 ? 'Ada' : from,
        received_at: new Date(Date.UTC(2024, n, 0, 23, 30)).toISOString(),
        body: n % 2 === 0 ? 'about python' : 'about boats',
      }),
    )
  await server.ingest('messages', mail, lines(12, 'Ben'))
  await server.ingest('letters', post, lines(6, 'Cleo'))
  return { server, mail, post }
}

onEitherEngine('AN-42 one call counts mentions per month and people in all streams', async engine => {
  const { server, post } = await correspondence(engine)
  await using _ = server
  await using client = await McpTestClient.connect(server, await server.grant())
  const count = async (args: Record<string, unknown>) => {
    const { structured, text, isError } = await client.call('aggregate', args)
    assert.ok(!isError, text)
    return { ...structured.data, text, remarks: structured.remarks ?? [] }
  }
  const monthly = { query: 'python', granularity: 'month', limit: 4 }
  const all = await count(monthly)
  assert.equal(all.filtered_record_count, 9)
  assert.deepEqual(
    all.groups.map(({ key, count }: { key: string; count: number }) => [key, count]),
    [
      ['2024-11', 1],
      ['2024-09', 1],
      ['2024-07', 1],
      ['2024-05', 2],
    ],
  )
  assert.deepEqual([all.other_groups, all.other_count, all.time_zone], [2, 4, 'Europe/Berlin'])
  assert.match(
    all.text,
    /^count over 9 records of 2 streams \(messages 6, letters 3\) by month of Europe\/Berlin, 4 groups:\n/,
  )
  assert.match(all.text, /left out: 2 older groups with 4 records/)
  assert.deepEqual(all.streams[1], { stream: 'letters', record_count: 3, group_by_time: 'received_at' })
  assert.match(all.remarks.join(), /^Not counted: notes \("It has no time to group by\."\)\.$/)
  const parts = await Promise.all(
    ['messages', 'letters'].map(stream => count({ ...monthly, stream, limit: 100 })),
  )
  const added = new Map<string, number>()
  for (const { key, count } of parts.flatMap(({ groups }) => groups))
    added.set(key, (added.get(key) ?? 0) + count)
  const whole = await count({ ...monthly, limit: 100 })
  assert.deepEqual(
    new Map(whole.groups.map((each: { key: string; count: number }) => [each.key, each.count])),
    added,
  )

  const people = await count({ group_by: 'sender' })
  assert.deepEqual(people.groups, [
    { key: 'Ben', count: 8 },
    { key: 'Ada', count: 6 },
    { key: 'Cleo', count: 4 },
  ])
  assert.equal(people.approximate, false)
  assert.equal((await count({ query: 'python from:ada', since: '2024' })).value, 3)
  assert.equal((await count({ connection_id: [post] })).value, 6)
  const nothing = await count({ query: 'zeppelin', since: '2024' })
  assert.equal(nothing.value, 0)
  assert.match(nothing.text, /No readable record contains “zeppelin”/)
  assert.match(nothing.text, /Without the time limits no record matches\./)
})

onEitherEngine('AN-42 a word that one stream contains is not taken as misspelt in another', async engine => {
  const { server, mail, post } = await correspondence(engine)
  await using _ = server
  await server.ingest('messages', mail, [message('domes', { body: 'the kuppels of the cathedral' })])
  await server.ingest('letters', post, [message('name', { body: 'a letter of Pieter Kuppens' })])
  await using client = await McpTestClient.connect(server, await server.grant())
  for (const stream of [undefined, 'messages', 'letters']) {
    const { structured, text } = await client.call('aggregate', { query: 'kuppens', stream })
    assert.equal(structured.data.value, stream === 'messages' ? 0 : 1, text)
    assert.ok(!text.includes('instead'), text)
  }
  const { text } = await client.call('aggregate', { query: 'kuppenss' })
  assert.match(text, /^count = 1 over 1 record of 2 streams \(letters 1, none in 1\)$/m)
  assert.deepEqual(text.match(/“\w+” was searched for instead/g), ['“kuppens” was searched for instead'])
})

onEitherEngine('AN-42 a count of all streams is refused where it cannot be honest', async engine => {
  const { server } = await correspondence(engine)
  await using _ = server
  await using client = await McpTestClient.connect(server, await server.grant())
  for (const args of [
    { metric: 'max', field: 'size' },
    { filter: { from: 'Ada' } },
    { group_by: 'from', split_by: 'subject' },
    { group_by: 'from', granularity: 'month' },
  ])
    assert.equal((await client.refused('aggregate', args)).param, 'stream', JSON.stringify(args))
  const sum = await client.refused('aggregate', { metric: 'sum', field: 'Size' })
  assert.equal(sum.message, 'metric sum needs a stream. Name one of letters, messages.')
  await using narrow = await McpTestClient.connect(server, await server.grant({ streams: ['letters'] }))
  const { structured, text } = await narrow.call('aggregate', { query: 'python' })
  assert.equal(structured.data.value, 3)
  assert.ok(!`${text}${JSON.stringify(structured)}`.includes('messages'), text)
})

onEitherEngine(
  'AN-42 a count of all streams says which it left out and where it is a lower bound',
  async engine => {
    await using server = await TestServer.start(engine)
    const many = Array.from({ length: 43 }, (_, n) => ({ ...MESSAGES, name: `mail_${n}` }))
    const connection = await server.connect({ ...MAILBOX, streams: [...many, NOTES] } as never)
    const senders = Array.from({ length: 130 }, (_, n) => message(`m${n}`, { from: `person ${n}` }))
    await server.ingest('mail_0', connection, senders)
    await server.ingest('mail_42', connection, [message('one', { from: 'person 1' })])
    await using client = await McpTestClient.connect(server, await server.grant())
    const asked = client.requests.length
    const { structured, text } = await client.call('aggregate', { group_by: 'from', limit: 1 })
    assert.ok(
      client.requests.slice(asked).filter(({ pathname }) => pathname.endsWith('/aggregate')).length <= 40,
    )
    assert.equal(structured.data.streams.length, 40)
    assert.match(
      text,
      /^Note: Not counted, because one call counts 40 streams: mail_39, mail_40, mail_41, notes\.$/m,
    )
    assert.equal(structured.data.approximate, true)
    assert.match(
      text,
      /^Note: Counts are at least these: of mail_0 only the largest 100 groups were added\.$/m,
    )
    assert.deepEqual(structured.data.groups.length + structured.data.other_count, 130)
    assert.ok(bytes(text) <= 4_000)
  },
)

onEitherEngine('AN-42 a count of all streams has one for each, and names a reason once', async engine => {
  await using server = await TestServer.start(engine)
  const many = Array.from({ length: 7 }, (_, n) => ({ ...MESSAGES, name: `mail_${n}` }))
  const bare = ['notes', 'boats'].map(name => ({ ...NOTES, name, query: { aggregations: { count: true } } }))
  const connection = await server.connect({ ...MAILBOX, streams: [...many, ...bare] } as never)
  for (const { name } of many) await server.ingest(name, connection, [message('m', { from: undefined })])
  await using client = await McpTestClient.connect(server, await server.grant())
  const { text } = await client.call('aggregate', { group_by: 'from' })
  const each = many.map(({ name }) => `${name} 1`).join(', ')
  assert.equal(
    text,
    [
      `count over 7 records of 7 streams (${each}) by from, 1 group:`,
      'no value: 7',
      'Note: Not counted: notes, boats ("The stream does not declare a field from.").',
    ].join('\n'),
  )
})

onEitherEngine(
  'AN-42 a stream that has no field for an operator is not counted as having none, and streams can be groups',
  async engine => {
    const { server, mail, post } = await correspondence(engine)
    await using _ = server
    const counted = { ...NOTES, name: 'scraps', query: { aggregations: { count: true } } }
    const scraps = await server.connect({ ...MAILBOX, ...source('scraps'), streams: [counted] } as never)
    await server.ingest('scraps', scraps, [{ data: { id: 'n', text: 'about python' } }])
    const request = { connections: [mail, post, scraps], streams: ['messages', 'letters', 'scraps'] }
    await using client = await McpTestClient.connect(server, await server.grant(request))
    const { text, structured } = await client.call('aggregate', { person: 'Ada' })
    assert.match(text, /^count = 6 over 6 records of 2 streams \(messages 4, letters 2\)\n/)
    assert.match(text, /Not counted: scraps \("It has no field for person\."\)\./)
    assert.equal(structured.data.streams.length, 2)
    const none = await client.call('aggregate', { person: 'me' })
    assert.match(none.text, /No readable stream has a mark of what the owner wrote, so nothing can match\./)
    const groups = await client.call('aggregate', { group_by: 'stream', limit: 2 })
    assert.match(
      groups.text,
      /by stream, 2 groups:\n"messages": 12\n"letters": 6\nleft out: 1 other group with 1 record/,
    )
    assert.deepEqual(groups.structured.data.groups, [
      { key: 'messages', count: 12 },
      { key: 'letters', count: 6 },
    ])
    assert.equal(groups.structured.data.other_count, 1)
  },
)
