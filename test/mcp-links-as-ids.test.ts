import assert from 'node:assert/strict'
import { onEitherEngine, PUBLIC_URL, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'

onEitherEngine(
  'ID-4 a citation link of this server is accepted as an id, another link is not',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, [message('a b/c', { body: 'the heron' }), message('plain')])
    await using client = await McpTestClient.connect(server, await server.grant({ streams: ['messages'] }))
    const { structured } = await client.call('search', { query: 'heron' })
    const [{ url }] = structured.results
    const encoded = `${PUBLIC_URL}/r/${connection}/messages/a%20b%2Fc`
    assert.ok(url.startsWith(encoded), url)
    for (const id of [url, encoded]) {
      const { structured: fetched } = await client.call('fetch', { id })
      assert.equal(fetched.metadata.record_id, 'a b/c')
      const read = await client.call('read_record_field', { id, field_path: 'body' })
      assert.ok(read.text.includes('the heron'), read.text)
      const { structured: around } = await client.call('read_conversation', { id })
      assert.equal(around.messages.length, 1)
    }
    const formed = `${PUBLIC_URL}/r/${connection}/messages:plain?f=body&at=0-3`
    assert.equal((await client.call('fetch', { id: formed })).structured.metadata.record_id, 'plain')
    for (const id of [
      `https://elsewhere.example/r/${connection}/messages/plain`,
      `${PUBLIC_URL}/search?q=plain`,
      `${PUBLIC_URL}.elsewhere.example/r/${connection}/messages/plain`,
    ]) {
      const { text, isError } = await client.call('fetch', { id })
      assert.ok(isError, id)
      assert.ok(text.includes(`not of a record of this server; those begin with ${PUBLIC_URL}/r/`), text)
    }
  },
)
