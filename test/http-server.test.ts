import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { close, httpServer, listen } from '../src/origin/http-server.ts'

/** The time limits of each connection, before and after the body of a request was read. */
async function listening(context: TestContext, stalledBodyMs?: number) {
  const server = httpServer(stalledBodyMs)
  context.after(() => close(server))
  const limits: number[] = []
  server.on('request', async (incoming, outgoing) => {
    limits.push(incoming.socket.timeout ?? 0)
    try {
      for await (const _ of incoming);
    } catch {
      return
    }
    limits.push(incoming.socket.timeout ?? 0)
    outgoing.end('whole')
  })
  const url = `http://${await listen(server, { host: '127.0.0.1', port: 0 })}`
  return { server, limits, url }
}

test('a body may take any time if it does not stall, and a response after it too', async context => {
  const { server, limits, url } = await listening(context)
  assert.deepEqual([server.requestTimeout, server.headersTimeout], [0, 60_000])
  for (const body of [undefined, 'text']) {
    const answer = await fetch(url, { method: 'POST', ...(body === undefined ? {} : { body }) })
    assert.equal(await answer.text(), 'whole')
  }
  const [, , whileReading] = limits
  assert.ok(whileReading)
  assert.deepEqual(limits, [0, 0, whileReading, 0])
})

test('a request of whose body nothing arrives any more is ended', async context => {
  const { url } = await listening(context, 50)
  const stalled = request(url, { method: 'POST', headers: { 'Content-Length': 10 } })
  stalled.write('x')
  await assert.rejects(once(stalled, 'response'), /hang up|ECONNRESET/)
})
