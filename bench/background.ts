import { parentPort, workerData } from 'node:worker_threads'
import { Client } from './client.ts'
import { BATCH, connectionOf, mailBatch } from './mail.ts'

/** What this worker needs to load a server without using the measuring thread. */
export interface Background {
  url: string
  tokens: { owner: string; client: string }
  connections: string[]
  firstMail: number
}

export interface BackgroundDone {
  imported: number
  aggregated: number
}

const SLOW = '/v1/streams/messages/aggregate?metric=count&group_by=from'
const PREPARED_BATCHES = 40
const { url, tokens, connections, firstMail } = workerData as Background

using owner = new Client(url, tokens.owner)
using client = new Client(url, tokens.client)
const batches = Array.from({ length: PREPARED_BATCHES }, (_, i) => mailBatch(firstMail + i * BATCH))
const done: BackgroundDone = { imported: 0, aggregated: 0 }
let running = true
parentPort?.once('message', () => {
  running = false
})

async function importing(): Promise<void> {
  for (let turn = 0; running; turn++) {
    const batch = turn % PREPARED_BATCHES
    const fresh = turn < PREPARED_BATCHES
    const body = batches[batch] as Buffer
    // After that, each round writes different data, so that every import has work to do.
    const changed = fresh
      ? body
      : Buffer.from(body.toString().replaceAll('"subject":"', `"subject":"${turn} `))
    await owner.ingest('messages', connectionOf(firstMail + batch * BATCH, connections), changed)
    done.imported += BATCH
  }
}

async function aggregating(): Promise<void> {
  while (running) {
    await client.send(SLOW)
    done.aggregated++
  }
}

parentPort?.postMessage('ready')
await Promise.all([importing(), aggregating()])
parentPort?.postMessage(done)
