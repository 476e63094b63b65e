import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { decideEverything, Visitor } from '../../../test/authorization-world.ts'
import { MCP_HEADERS } from '../../../test/mcp-post.ts'
import { OAuthApp } from '../../../test/oauth-app.ts'
import { Client } from '../../client.ts'
import { BATCH, connectionOf, mailBatch, wordAt } from '../../mail.ts'
import { seeded } from '../../random.ts'

/** What this worker needs to use a server as several people and programs would. */
export interface Load {
  url: string
  tokens: { owner: string; client: string }
  connections: string[]
  records: number
}

interface Grant {
  grant_id: string
  client_id: string
}

/** How often each kind was done and which of them failed. */
export interface LoadDone {
  counts: Record<string, number>
  errors: string[]
}

const MOST_ERRORS = 20
const { url, tokens, connections, records } = workerData as Load
const random = seeded(7)
const done: LoadDone = { counts: {}, errors: [] }
let running = true
parentPort?.once('message', () => {
  running = false
})

using owner = new Client(url, tokens.owner)
using client = new Client(url, tokens.client, 4)

async function search(): Promise<void> {
  const words = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
    wordAt(Math.ceil(20_000 ** random())),
  )
  await client.json(`/v1/search?q=${encodeURIComponent(words.join(' '))}&limit=10`)
}

const CALLS = [
  () => ['search', { query: wordAt(Math.ceil(20_000 ** random())), limit: 5 }],
  () => ['query_records', { stream: 'messages', limit: 5 }],
  () => ['aggregate', { stream: 'messages', metric: 'count' }],
  () => ['schema', {}],
] as const

async function callTool(): Promise<void> {
  const [name, args] = (CALLS[Math.floor(random() * CALLS.length)] ?? CALLS[0])()
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const headers = { ...MCP_HEADERS, 'MCP-Protocol-Version': '2025-11-25' }
  const answer = await client.send('/mcp', {
    method: 'POST',
    body: Buffer.from(JSON.stringify(body)),
    headers,
  })
  if (/"isError":true/.test(answer.body.toString()))
    throw new Error(`${name}: ${answer.body.subarray(0, 300)}`)
}

/** The same records repeatedly, changed each time, so that the store does not grow. */
async function importBatch(turn: number): Promise<void> {
  const first = (turn * BATCH) % records
  const body = mailBatch(first).toString().replaceAll('"subject":"', `"subject":"${turn} `)
  await owner.ingest('messages', connectionOf(first, connections), Buffer.from(body))
}

/** A browser signs in by a link, and an app goes from registration to its first call; then it is removed again. */
async function signIn(): Promise<void> {
  const { url: link } = await owner.post<{ url: string }>('/v1/owner/sign-in-links', {})
  const visitor = new Visitor(url)
  await visitor.post('/sign-in', { link: new URL(link).searchParams.get('link') ?? '' })
  const home = await visitor.get('/')
  if (home.status !== 200 || home.url.includes('/sign-in')) throw new Error(`not signed in: ${home.url}`)
  await using app = await OAuthApp.start(url)
  const asked = await app.connect()
  if (!(asked instanceof URL)) throw new Error('An app got access without being asked.')
  await app.finish(await decideEverything(visitor, asked))
  const connected = await app.connect()
  if (connected instanceof URL) throw new Error('An app did not get access.')
  await connected.callTool({ name: 'search', arguments: { query: wordAt(300) } })
  await connected.close()
  const { data } = await owner.json<{ data: Grant[] }>('/v1/owner/grants')
  for (const { grant_id, client_id } of data)
    if (client_id === app.clientId) await owner.send(`/v1/owner/grants/${grant_id}`, { method: 'DELETE' })
}

async function repeat(name: string, pauseMs: number, work: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; running; turn++) {
    try {
      await work(turn)
      done.counts[name] = (done.counts[name] ?? 0) + 1
    } catch (error) {
      if (done.errors.length < MOST_ERRORS) done.errors.push(`${name}: ${(error as Error).message}`)
      else running = false
    }
    await sleep(pauseMs)
  }
}

parentPort?.postMessage('ready')
await Promise.all([
  repeat('searches', 200, search),
  repeat('MCP calls', 200, callTool),
  repeat('imports of 500', 2_000, importBatch),
  repeat('sign-ins', 4_000, signIn),
])
parentPort?.postMessage(done)
