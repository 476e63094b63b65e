import assert from 'node:assert/strict'
import { at, CHAT, line } from './chat.ts'
import { onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { callsIn, McpTestClient } from './mcp-client.ts'

const COUNTED = {
  ...CHAT,
  streams: CHAT.streams.map(stream => ({
    ...stream,
    query: { ...stream.query, aggregations: { count: true } },
  })),
}

onEitherEngine('AN-42 a search for a number says it, and the call that gives it', async engine => {
  await using server = await TestServer.start(engine)
  const [mail, chat] = [await server.connect(MAILBOX), await server.connect(COUNTED)]
  await server.ingest('messages', mail, [
    message('a', { from: 'Ann', body: 'the heron', received_at: at(0) }),
    message('b', { from: 'Dirk', body: 'a boat', received_at: at(1) }),
    message('c', { from: 'Ann', received_at: '2024-05-01T10:00:00Z' }),
  ])
  await server.ingest('chat', chat, [line('x', 3, { text: 'a heron', channel: 'birds' })])
  await using client = await McpTestClient.connect(server, await server.grant({}))
  const told = async (query: string, as = client) => {
    const { text, structured } = await as.call('search', { query })
    const found = structured.remarks?.find((remark: string) => remark.includes('aggregate {'))
    if (found === undefined) return null
    assert.ok(text.startsWith(found), text)
    assert.deepEqual([Object.keys(structured)[0], structured.remarks[0]], ['remarks', found])
    const [call] = callsIn(found)
    assert.ok(call)
    const { structured: figures, isError } = await as.call(call.tool, call.args)
    assert.ok(!isError, found)
    const { value, filtered_record_count } = figures.data
    return [found.split(' aggregate {')[0], call.args, value ?? filtered_record_count]
  }
  assert.deepEqual(await told('How many messages do I have?'), [
    'Count of messages: 3.',
    { stream: 'messages' },
    3,
  ])
  const in2026 = { stream: 'messages', query: 'from:Ann', since: '2026', until: '2026' }
  assert.deepEqual(await told('how many messages from Ann in 2026'), ['Count of messages: 1.', in2026, 1])
  // The hits are of those that are counted.
  const { structured } = await client.call('search', { query: 'How many messages did Ann write?' })
  assert.deepEqual(
    structured.results.map(({ id }: { id: string }) => id.split(':')[1]),
    ['a', 'c'],
  )
  assert.deepEqual(await told('who wrote the most messages?'), [
    'Count of messages: 3, most: "Ann" 2, "Dirk" 1.',
    { stream: 'messages', group_by: 'from' },
    3,
  ])
  assert.deepEqual(await told('how often was the heron mentioned'), [
    'Records with these words: 2.',
    { query: 'the heron' },
    2,
  ])
  // The hits are those of the channel, and the count is too.
  assert.deepEqual(await told('how many chats are there in #birds'), [
    'Count of chat: 1.',
    { stream: 'chat', query: 'in:birds' },
    1,
  ])
  // Nothing matches in the time that is asked for.
  assert.deepEqual(await told('how many messages did Ann write in 2025?'), [
    'Count of messages of 2025: 0. At any time: 2.',
    { stream: 'messages', query: 'from:Ann', granularity: 'month' },
    2,
  ])
  assert.deepEqual(await told('how many messages from Zoë'), [
    'Count of messages: 0.',
    { stream: 'messages', query: 'from:Zoë' },
    0,
  ])
  assert.deepEqual(await told('how many messages have a boat'), [
    'Count of messages with these words: 1.',
    { stream: 'messages', query: 'have a boat' },
    1,
  ])
  for (const query of [
    'Wie viele Nachrichten hat Ann 2026 geschrieben?',
    '¿Cuántos mensajes escribió Ann en 2026?',
    'Combien de messages Ann a-t-elle écrits en 2026 ?',
  ])
    assert.deepEqual(await told(query), ['Count of messages: 1.', in2026, 1])
  for (const query of ['messages from Ann', 'how many planets are there'])
    assert.equal(await told(query), null, query)
  await using narrow = await McpTestClient.connect(server, await server.grant({ connections: [chat] }))
  assert.equal(await told('How many messages do I have?', narrow), null)
})
