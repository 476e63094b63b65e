import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDocumentFetch, isPublicAddress } from '../src/authorization-server/oauth/fetch-document.ts'

const FOLDER = join(import.meta.dirname, 'fixtures/tls')
const certificate = readFileSync(join(FOLDER, 'certificate.pem'), 'utf8')
const key = readFileSync(join(FOLDER, 'key.pem'), 'utf8')
const HOST = 'client.example.org'
const LOOPBACK = '127.0.0.1'

/** A server on loopback with a host name, and a fetch that treats loopback as the internet. */
async function hosting(answer: RequestListener) {
  const server = createServer({ cert: certificate, key }, answer)
  server.listen(0, LOOPBACK)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const resolved: string[] = []
  const time = { now: new Date('2026-01-01T00:00:00Z'), caller: 'first' }
  const network = {
    resolve: (
      hostname: string,
      _: object,
      callback: (error: null, found: { address: string; family: number }[]) => void,
    ) => {
      resolved.push(hostname)
      callback(null, [
        { address: '10.0.0.1', family: 4 },
        { address: LOOPBACK, family: 4 },
      ])
    },
    isPublic: (address: string) => address === LOOPBACK,
    timeoutMs: 60_000,
  }
  return {
    fetch: createDocumentFetch(
      () => time.now,
      { ...network, ca: certificate },
      () => time.caller,
    ),
    strict: createDocumentFetch(() => time.now, { ...network, isPublic: isPublicAddress }),
    untrusting: createDocumentFetch(() => time.now, network),
    hasty: createDocumentFetch(() => time.now, { ...network, ca: certificate, timeoutMs: 100 }),
    url: (path = '/', host = HOST) => `https://${host}:${port}${path}`,
    resolved,
    time,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
}

test('a client document is fetched from the public address of its name', async () => {
  const asked: unknown[] = []
  await using site = await hosting((request, response) => {
    asked.push([request.headers.host?.split(':')[0], request.headers.accept, request.headers.cookie])
    response.writeHead(200, { 'Content-Type': 'application/json', 'Set-Cookie': 'a=b', Expires: '0' })
    response.end('{"client_name":"Grüße"}')
  })
  const response = await site.fetch(site.url('/document.json'))
  assert.deepEqual(await response.json(), { client_name: 'Grüße' })
  assert.deepEqual(
    [...response.headers],
    [
      ['content-type', 'application/json'],
      ['expires', '0'],
    ],
  )
  assert.deepEqual(asked, [[HOST, 'application/json', undefined]])
  assert.deepEqual(site.resolved, [HOST], 'a name is resolved once')
})

test('redirects are not followed, errors keep their status, and large documents are cut off', async () => {
  const paths: string[] = []
  await using site = await hosting((request, response) => {
    paths.push(request.url ?? '')
    if (request.url === '/moved') response.writeHead(302, { Location: '/document.json' }).end()
    else if (request.url === '/missing') response.writeHead(404).end('{}')
    else if (request.url === '/broken') {
      response.writeHead(200, { 'Content-Length': '100' })
      response.write('{', () => response.destroy())
    } else response.end(Buffer.alloc(Number(request.url?.slice(1)), 'x'))
  })
  assert.equal((await site.fetch(site.url('/moved'))).status, 302)
  assert.equal((await site.fetch(site.url('/missing'))).status, 404)
  assert.equal((await (await site.fetch(site.url(`/${64 * 1024}`))).text()).length, 64 * 1024)
  await assert.rejects(site.fetch(site.url(`/${64 * 1024 + 1}`)), /too large/)
  await assert.rejects(site.fetch(site.url('/broken')))
  assert.deepEqual(paths, ['/moved', '/missing', '/65536', '/65537', '/broken'])
})

test('a document with a status that has no body, or that is no status, is refused', async () => {
  await using site = await hosting((request, response) => {
    response.writeHead(Number(request.url?.slice(1))).end()
  })
  for (const status of [204, 205, 304, 600, 999])
    await assert.rejects(site.fetch(site.url(`/${status}`)), /status/, `${status}`)
})

test('only https URLs on public addresses with a trusted certificate are fetched', async () => {
  let requests = 0
  await using site = await hosting((_, response) => {
    requests++
    response.end('{}')
  })
  await assert.rejects(site.strict(site.url()), /no public address/)
  await assert.rejects(site.untrusting(site.url()), /certificate/)
  await assert.rejects(site.fetch(site.url('/', 'other.example.org')), /Host: other.example.org/)
  for (const url of [
    site.url().replace('https:', 'http:'),
    site.url('/', `user@${HOST}`),
    site.url('/', '10.0.0.1'),
    site.url('/', '[::1]'),
  ])
    await assert.rejects(site.fetch(url), /not a public https address/)
  assert.equal(requests, 0)
})

test('at most sixty documents are fetched per minute, twenty per caller; refused URLs do not count', async () => {
  await using site = await hosting((_, response) => response.end('{}'))
  for (let n = 0; n < 70; n++) await assert.rejects(site.fetch(site.url('/', '10.0.0.1')), /not a public/)
  for (const caller of ['first', 'second', 'third']) {
    site.time.caller = caller
    for (let n = 0; n < 20; n++) assert.equal((await site.fetch(site.url())).status, 200)
    await assert.rejects(site.fetch(site.url()), /too many/)
  }
  site.time.caller = 'fourth'
  await assert.rejects(site.fetch(site.url()), /too many/)
  site.time.now = new Date('2026-01-01T00:01:00Z')
  assert.equal((await site.fetch(site.url())).status, 200)
})

test('fetching a document is abandoned if it does not arrive in time', async () => {
  await using site = await hosting((request, response) => {
    if (request.url === '/stalls') response.write('{')
  })
  for (const path of ['/hangs', '/stalls'])
    await assert.rejects(site.hasty(site.url(path)), { code: 'ABORT_ERR' })
})

test('a document is refused at once if the connection ends or changes its protocol instead', async () => {
  const HEADS: Record<string, string> = {
    '/switches': 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    '/plain-101': 'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    '/nothing': '',
    '/cut': 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{',
    '/to-the-end': 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{"a":1}',
  }
  await using site = await hosting(({ url, socket }) => {
    const head = HEADS[String(url)] ?? ''
    if (url === '/switches') socket.write(head)
    else socket.end(head)
  })
  const late = new Promise<string>(done => setTimeout(done, 30_000, 'still waiting').unref())
  const outcome = (path: string) =>
    Promise.race([
      late,
      site.fetch(site.url(path)).then(
        response => response.text(),
        () => 'refused',
      ),
    ])
  assert.deepEqual(await Promise.all(Object.keys(HEADS).map(path => outcome(path))), [
    'refused',
    'refused',
    'refused',
    'refused',
    '{"a":1}',
  ])
})

test('names that are resolved slowly do not keep all threads busy', async () => {
  const waiting: (() => void)[] = []
  const fetch = createDocumentFetch(
    () => new Date('2026-01-01T00:00:00Z'),
    {
      resolve: (_, __, callback) => waiting.push(() => callback(new Error('no such name'), [])),
      isPublic: isPublicAddress,
      timeoutMs: 60_000,
    },
    () => 'one',
  )
  const ask = () => fetch(`https://${HOST}/`).catch((error: Error) => error.message)
  const first = [ask(), ask()]
  assert.match(String(await ask()), /too many names/)
  assert.equal(waiting.length, 2)
  for (const end of waiting) end()
  assert.deepEqual(await Promise.all(first), ['no such name', 'no such name'])
  const next = ask()
  while (waiting.length < 3) await new Promise(setImmediate)
  waiting[2]?.()
  assert.equal(await next, 'no such name')
})
