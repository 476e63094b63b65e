import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onEachEngine, PROVING } from '../engines.ts'
import { record } from '../figures.ts'
import { message } from '../mailbox.ts'
import { Random } from '../random.ts'
import { type SpawnedMailbox, withMailbox } from '../spawned-mailbox.ts'

const CLIENTS = 300
const LONG_CHARS = 4_000_000
/** Allows for connections and files that open and close independently of the test. */
const SPARE_DESCRIPTORS = 12

const proving = PROVING ? onEachEngine : () => {}

proving('slow and dying clients leave nothing behind, and others are served meanwhile', async engine => {
  const lines = [
    message('m1', { body: 'short' }),
    message('long', { body: 'a b c d '.repeat(LONG_CHARS / 8) }),
  ]
  await using mailbox = await withMailbox(engine, lines)
  const { server } = mailbox
  await served(mailbox)
  const before = descriptors(server.pid)
  const slow = await Promise.all(Array.from({ length: CLIENTS }, (_, n) => slowClient(mailbox, n)))
  let reads = 0
  for (; reads < CLIENTS; reads++) {
    // One of them sends one more byte; the others wait.
    slow[reads]?.write('x')
    await served(mailbox)
  }
  for (const socket of slow) socket.destroy()
  const random = new Random(1)
  for (let n = 0; n < CLIENTS; n++) {
    await dyingClient(mailbox, n, random)
    if (n % 10 === 0) await served(mailbox)
  }
  const since = performance.now()
  while (descriptors(server.pid) > before + SPARE_DESCRIPTORS) {
    assert.ok(performance.now() - since < 60_000, `${descriptors(server.pid)} descriptors, ${before} before`)
    await sleep(50)
  }
  // Complete lines of an unfinished body may be stored, but never a partial line.
  const all = await server.json('/v1/streams/messages/records?limit=100&fields=id,subject', mailbox.owner)
  assert.equal(all.status, 200)
  for (const { id, data } of all.body.data) assert.equal(data.subject, `Subject ${id}`)
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
  record('slow clients', engine, { clients: CLIENTS, 'reads beside them': reads, failed: 0 })
  const left = Math.max(0, descriptors(server.pid) - before - SPARE_DESCRIPTORS)
  record('dying clients', engine, { clients: CLIENTS, 'half lines': 0, 'descriptors left': left })
})

async function served({ server, token }: SpawnedMailbox): Promise<void> {
  const { status, body } = await server.json('/v1/streams/messages/records/m1', token)
  assert.equal(status, 200, JSON.stringify(body))
}

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** A client that does not finish its headers or its body, or does not read its response. */
async function slowClient({ url, token, owner, connection }: SpawnedMailbox, no: number): Promise<Socket> {
  const socket = await open(url)
  socket.pause()
  if (no % 3 === 0) socket.write('GET /v1/schema HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ')
  else if (no % 3 === 1) socket.write(ingestHead(connection, owner, 1_000_000))
  else if (no % 30 === 2) socket.write(readHead('long', token))
  else socket.write(readHead('m1', token))
  return socket
}

/** A client that disconnects while sending or receiving. */
async function dyingClient(
  { url, token, owner, connection }: SpawnedMailbox,
  no: number,
  random: Random,
): Promise<void> {
  const socket = await open(url)
  if (no % 2 === 0) {
    const line = `${JSON.stringify(message(`d${no}`))}\n${JSON.stringify(message(`e${no}`))}\n`
    socket.write(ingestHead(connection, owner, line.length))
    socket.write(line.slice(0, random.integer(1, line.length - 2)))
    await new Promise(setImmediate)
  } else {
    socket.write(readHead(no % 10 === 1 ? 'long' : 'm1', token))
    await once(socket, 'data')
  }
  socket.resetAndDestroy()
}

function ingestHead(connection: string, owner: string, length: number): string {
  return (
    `POST /v1/ingest/messages?connection_id=${connection} HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
    `Authorization: Bearer ${owner}\r\nContent-Type: application/x-ndjson\r\nContent-Length: ${length}\r\n\r\n`
  )
}

function readHead(id: string, token: string): string {
  return `GET /v1/streams/messages/records/${id} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`
}

function descriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
