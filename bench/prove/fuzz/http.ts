import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { ROUTES } from '../../../src/resource-server/routes.ts'
import { AuthorizationWorld } from '../../../test/authorization-world.ts'
import type { Fuzzer } from './fuzzer.ts'
import { mutated, nasty } from './mutation.ts'

const ANSWER_MS = 10_000

/**
 * Whole requests as bytes on a connection, with a valid token: the response is HTTP and not a 500, and other requests
 * are served.
 */
export const http: Fuzzer<string> = {
  name: 'http',
  async start() {
    const world = await AuthorizationWorld.start('sqlite')
    const connection = await world.mailbox('Mail')
    const { access_token } = await world.connect(await world.signedIn())
    const fill: Record<string, string> = {
      ':stream': 'messages',
      ':record_id': 'm1',
      ':connection_id': connection,
    }
    const head = (method: string, path: string, token: string, body: string) =>
      `${method} ${path} HTTP/1.1\r\nHost: ${new URL(world.url).host}\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    const requests = ROUTES.flatMap(({ method, path, parameters }) => {
      const address = path.replace(/:\w+/g, name => fill[name] ?? 'x')
      const names = Object.keys(parameters).slice(0, 4)
      const query = names.length > 0 ? `?${names.map(name => `${name}=1`).join('&')}` : ''
      return [access_token, world.ownerToken].map(token =>
        head(
          method,
          address + query,
          token,
          method === 'GET' ? '' : '{"client_name":"x","streams":["messages"]}',
        ),
      )
    }).filter(text => !text.includes('/export'))
    return {
      input: fc.oneof(
        { weight: 6, arbitrary: mutated(requests) },
        {
          weight: 1,
          arbitrary: fc.uint8Array({ maxLength: 400 }).map(each => Buffer.from(each).toString('latin1')),
        },
        { weight: 1, arbitrary: nasty },
      ),
      async check(text) {
        const answer = await answerTo(world.url, Buffer.from(text, 'latin1'))
        if (answer !== '') assert.match(answer, /^HTTP\/1\.1 [1-4]\d\d /)
        assert.deepEqual(world.failures, [])
        const { status } = await world.call('/v1/schema', world.ownerToken)
        assert.equal(status, 200, 'another client')
      },
      [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
    }
  },
}

/** The response until the server closes the connection, or we do after sending everything. */
async function answerTo(url: string, bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', chunk => chunks.push(chunk)).on('error', () => {})
  await once(socket, 'connect')
  socket.end(bytes)
  const late = setTimeout(() => socket.destroy(new Error('late')), ANSWER_MS)
  await new Promise(resolve => socket.on('close', resolve))
  clearTimeout(late)
  return Buffer.concat(chunks).toString('latin1')
}
