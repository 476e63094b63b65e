import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'

onEachEngine('AN-60 RS-5 a search says which words no readable record contains', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [
    message('seen', { body: 'the lantern came by e-mail', received_at: '2026-01-01T10:00:00Z' }),
    message('hidden', { body: 'a quagga', secret: 'zebroid' }),
  ])
  const fields = ['id', 'subject', 'body', 'received_at']
  const grant = { connections: [connection], streams: ['messages'], records: ['messages:seen'], fields }
  const token = await server.grant(grant)
  const asked = async (path: string, token?: string) => {
    const { meta } = (await server.json(path, token === undefined ? {} : { token })).body
    return (meta?.warnings ?? []).flatMap(({ code, message }: { code: string; message: string }) =>
      code === 'words_unknown' ? [message] : [],
    )
  }
  const search = (q: string, token?: string, more = '') =>
    asked(`/v1/search?q=${encodeURIComponent(q)}${more}`, token)
  const unknown = ['No readable record contains any of “quagga”, “zebroid”.']
  assert.deepEqual(await search('lantern quagga zebroid', token), unknown)
  assert.deepEqual(await search('lantern quagga zebroid'), ['No readable record contains “zebroid”.'])
  assert.deepEqual(await search('lantern quagga zebroid', token, '&sort=newest'), unknown)
  for (const possessive of ["zebroid's lantern", 'Zebroid’s lantern?'])
    assert.deepEqual(await search(possessive), ['No readable record contains “zebroid”.'], possessive)
  assert.deepEqual(await search("lantern's mail"), [])
  assert.deepEqual(
    await asked('/v1/streams/messages/aggregate?q=quagga+zebroid&metric=count', token),
    unknown,
  )
  // What was not searched may contain it.
  const narrowed = ['No record in the searched sources contains “quagga”.']
  for (const more of ['&streams=messages', `&connection_id=${connection}`])
    assert.deepEqual(await search('lantern quagga', token, more), narrowed)
  // Another form is found, and a word outside the requested time is still known.
  assert.deepEqual(await search('email', token), [])
  assert.deepEqual(await search('lantern', token, '&since=2026-02-01T00:00:00Z'), [])
  await using client = await McpTestClient.connect(server, token)
  for (const query of ['lantern quagga', 'quagga']) {
    const { text } = await client.call('search', { query })
    assert.match(text, /No readable record contains “quagga”\./)
  }
})
