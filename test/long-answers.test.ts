import assert from 'node:assert/strict'
import { type Engine, onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const TEXT = 'a long letter about the engine '.repeat(80_000)
const BYTES = Buffer.alloc(3_000_000, 'picture')

/** A server with a long text and a file, and the addresses of both. */
async function longAnswers(engine: Engine) {
  const server = await TestServer.start(engine)
  const connection_id = await server.connect(MAILBOX)
  const blob_id = await server.upload(BYTES, 'image/png')
  const parts = [{ blob_id, mime_type: 'image/png' }]
  await server.ingest('messages', connection_id, [message('m', { body: TEXT, parts })])
  return {
    server,
    connection_id,
    paths: ['/v1/streams/messages/records/m', `/v1/blobs/${blob_id}`],
  }
}

/** Answers of which the first bytes were read. */
async function begun(server: TestServer, paths: readonly string[], token: string) {
  return Promise.all(
    paths.map(async path => {
      const response = await server.request(path, { token })
      assert.equal(response.status, 200, path)
      const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>
      const first = (await reader.read()).value ?? new Uint8Array()
      const rest = async () => {
        const chunks = [first]
        for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value)
        return Buffer.concat(chunks)
      }
      return { first, rest }
    }),
  )
}

onEitherEngine(
  'an answer that has begun ends although its access is revoked; the next request is refused',
  async engine => {
    const { server, paths } = await longAnswers(engine)
    await using _server = server
    const made = await server.grants()
    const [record, blob] = await begun(server, paths, made.access_token)
    assert.ok(record && blob && record.first.length < TEXT.length && blob.first.length < BYTES.length)
    await server.revoke(made)
    for (const path of paths) {
      const { status, body } = await server.json(path, { token: made.access_token })
      assert.deepEqual([status, body.error.code], [403, 'grant_revoked'], path)
    }
    assert.equal(JSON.parse((await record.rest()).toString()).data.body, TEXT)
    assert.ok((await blob.rest()).equals(BYTES))
    assert.deepEqual(server.failures, [])
  },
)

onEitherEngine(
  'an answer whose source is removed while it is sent is interrupted, never cut short as if complete',
  async engine => {
    const { server, paths, connection_id } = await longAnswers(engine)
    await using _server = server
    const { access_token } = await server.grants()
    const answers = await begun(server, paths, access_token)
    await server.request(`/v1/owner/connections/${connection_id}`, { method: 'DELETE' })
    for (const [index, { rest }] of answers.entries()) {
      const whole = await rest().then(
        bytes => (index === 0 ? JSON.parse(bytes.toString()).data.body === TEXT : bytes.equals(BYTES)),
        () => null,
      )
      assert.notEqual(whole, false, paths[index])
    }
    for (const path of paths) assert.ok((await server.json(path, { token: access_token })).status >= 400)
  },
)
