import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { stopPostgres } from '../../../test/postgres.ts'
import { calibrate } from '../../calibration.ts'
import { Client } from '../../client.ts'
import { BATCH, connectionOf, isGranted, mailBatch, mailId } from '../../mail.ts'
import { Sample } from '../../measure.ts'
import type { Engine } from '../../place.ts'
import { startRig } from '../../rig.ts'
import type { Proof } from '../proof.ts'
import type { Load, LoadDone } from './load.ts'

const RECORDS = 5_000
const MINUTES = { whole: 30, quick: 2 }
const PAUSE_MS = 10
const MOST_MS = 20
/** Memory rises and falls with garbage collection; a leak keeps rising. */
const MOST_GROWTH_MB = 32
const MOST_DESCRIPTORS = 10

interface Moment {
  megabytes: number
  descriptors: number
}

/** Use by several people and programs for half an hour: no errors, and nothing that grows. */
export const soak: Proof = {
  name: 'soak',
  async prove({ quick, engines }) {
    const minutes = quick ? MINUTES.quick : MINUTES.whole
    let held = true
    try {
      for (const engine of engines) held = (await soakEngine(engine, minutes)) && held
    } finally {
      await stopPostgres()
    }
    return held
  },
}

async function soakEngine(engine: Engine, minutes: number): Promise<boolean> {
  const size = { quick: true, records: RECORDS, ledgerRows: 0, seconds: 0, stallSeconds: 0, idleSeconds: 0 }
  await using rig = await startRig(engine, size)
  for (let first = 0; first < RECORDS; first += BATCH)
    await rig.owner.ingest('messages', connectionOf(first, rig.connections), mailBatch(first))
  await rig.place.settle()
  process.stderr.write(`${engine}: ${minutes} minutes of use\n`)
  const worker = new Worker(new URL('./load.ts', import.meta.url), {
    workerData: {
      url: rig.urls.server,
      tokens: rig.tokens,
      connections: rig.connections,
      records: RECORDS,
    } satisfies Load,
  })
  const told = () =>
    new Promise<unknown>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
  await told()
  const ended = told()
  const moments: Moment[] = []
  const look = () =>
    moments.push({
      megabytes: rig.memory.now() ?? 0,
      descriptors: readdirSync(`/proc/${rig.pid}/fd`).length,
    })
  const looking = setInterval(look, (minutes * 60_000) / 40)
  const { times, errors } = await readFor(minutes, rig.urls.server, rig.tokens.client, rig.connections)
  clearInterval(looking)
  worker.postMessage('stop')
  const done = (await ended) as LoadDone
  await worker.terminate()
  return print(engine, { times, moments, counts: done.counts, errors: [...errors, ...done.errors] })
}

async function readFor(minutes: number, url: string, token: string, connections: readonly string[]) {
  using client = new Client(url, token)
  const errors: string[] = []
  const times: number[] = []
  const readable = Array.from({ length: RECORDS }, (_, n) => n).filter(isGranted)
  for (const end = performance.now() + minutes * 60_000; performance.now() < end; ) {
    const n = readable[times.length % readable.length] ?? 0
    const scope = `connection_id=${connectionOf(n, connections)}`
    const path = `/v1/streams/messages/records/${mailId(n)}`
    try {
      const window = `${path}/field-window?field=body&limit_chars=200&${scope}`
      times.push((await client.send(times.length % 2 ? window : `${path}?${scope}`)).ms)
    } catch (error) {
      errors.push(`small reads: ${(error as Error).message}`)
    }
    await sleep(PAUSE_MS)
  }
  return { times, errors }
}

interface Soaked {
  times: number[]
  moments: readonly Moment[]
  counts: Record<string, number>
  errors: readonly string[]
}

function print(engine: Engine, { times, moments, counts, errors }: Soaked): boolean {
  const sample = new Sample(times)
  const quarter = Math.floor(moments.length / 4)
  const most = (what: keyof Moment, part: readonly Moment[]) => Math.max(...part.map(moment => moment[what]))
  // The first quarter is for caches to fill and code to be compiled.
  const early = moments.slice(quarter, 2 * quarter)
  const late = moments.slice(-quarter)
  const grown = most('megabytes', late) - most('megabytes', early)
  const opened = most('descriptors', late) - most('descriptors', early)
  const p99 = sample.at(0.99)
  const lines: [what: string, figure: string, held: boolean][] = [
    ['small reads', `${times.length}, p50 ${sample.p50.toFixed(1)} ms`, true],
    ['p99 of small reads', `${p99.toFixed(1)} ms of ${MOST_MS} ms`, p99 <= MOST_MS],
    ...Object.entries(counts).map(([name, n]): [string, string, boolean] => [name, String(n), n > 0]),
    ['errors', String(errors.length), errors.length === 0],
    [
      'memory',
      `${most('megabytes', early).toFixed(0)} MB early, ${most('megabytes', late).toFixed(0)} MB late`,
      grown <= MOST_GROWTH_MB,
    ],
    [
      'descriptors',
      `${most('descriptors', early)} early, ${most('descriptors', late)} late`,
      opened <= MOST_DESCRIPTORS,
    ],
  ]
  // On a busy machine the times mean nothing; the calibration shows whether it was busy.
  process.stdout.write(`\nSoak, ${engine} (calibration ${calibrate().toFixed(1)} ms):\n`)
  for (const [what, figure, held] of lines)
    process.stdout.write(`${what.padEnd(20)}  ${figure.padEnd(32)}  ${held ? 'held' : 'MISSED'}\n`)
  for (const error of errors) process.stdout.write(`  ${error}\n`)
  return lines.every(([, , held]) => held)
}
