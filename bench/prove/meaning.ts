import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { readMeaning } from '../../src/api/owner/meaning.ts'
import { stopPostgres } from '../../test/postgres.ts'
import { calibrate } from '../calibration.ts'
import { output } from '../child.ts'
import { BATCH, connectionOf, mail } from '../mail.ts'
import { Sample } from '../measure.ts'
import type { Engine } from '../place.ts'
import { seeded } from '../random.ts'
import { startRig } from '../rig.ts'
import { recordReads } from '../rows/record.ts'
import { ServerMemory } from '../server-memory.ts'
import type { Proof } from './proof.ts'

const RECORDS = { whole: 10_000, quick: 500 }
const WORDS_OF_MAIL = 110
const MOST_MS = 20
const PAUSE_MS = 10
const READS_BEFORE = 500
const TICKS_PER_SECOND = 100

/** Installs the real model as an owner would, and measures what it costs to let it read many mails. */
export const meaning: Proof = {
  name: 'meaning',
  async prove({ quick, engines }) {
    let held = true
    try {
      for (const engine of engines)
        held = (await embed(engine, quick ? RECORDS.quick : RECORDS.whole)) && held
    } finally {
      await stopPostgres()
    }
    return held
  },
}

async function embed(engine: Engine, records: number): Promise<boolean> {
  const size = { quick: true, records, ledgerRows: 0, seconds: 0, stallSeconds: 0, idleSeconds: 0 }
  await using rig = await startRig(engine, size)
  const body = bodies()
  for (let first = 0; first < records; first += BATCH) {
    const lines = Array.from({ length: BATCH }, (_, i) => ({ ...mail(first + i), body: body(first + i) }))
    const batch = lines.map(data => `${JSON.stringify({ data })}\n`).join('')
    await rig.owner.ingest('messages', connectionOf(first, rig.connections), Buffer.from(batch))
  }
  await rig.place.settle()
  const { server: read } = recordReads(rig)
  const before: number[] = []
  while (before.length < READS_BEFORE) before.push((await read()).ms)
  process.stderr.write(`${engine}: installing the model\n`)
  await output(['bin/footnote.js', 'meaning', 'on', '--yes', ...rig.place.flags])
  process.stderr.write(`${engine}: ${records.toLocaleString('en')} mails are read\n`)
  const meanwhile: number[] = []
  const used = { seconds: 0, megabytes: 0 }
  const started = performance.now()
  let done = 0
  for (let looked = 0; done < records; ) {
    meanwhile.push((await read()).ms)
    await sleep(PAUSE_MS)
    if (performance.now() - looked < 1_000) continue
    looked = performance.now()
    done = (await rig.owner.json<{ done: number }>(readMeaning.path)).done
    look(rig.pid, used)
  }
  const seconds = (performance.now() - started) / 1_000
  const [p99Before, p99] = [new Sample(before).at(0.99), new Sample(meanwhile).at(0.99)]
  process.stdout.write(
    `\nMeaning, ${engine} (calibration ${calibrate().toFixed(1)} ms):\n` +
      `mails                 ${done.toLocaleString('en')} in ${seconds.toFixed(0)} s\n` +
      `processor             ${(used.seconds / 60).toFixed(1)} core-minutes, ${((used.seconds * 1_000) / done).toFixed(0)} ms each\n` +
      `memory of the model   ${used.megabytes.toFixed(0)} MB\n` +
      `p99 of small reads    ${p99Before.toFixed(1)} ms before, ${p99.toFixed(1)} ms meanwhile, ${p99 <= MOST_MS ? 'held' : 'MISSED'}\n`,
  )
  return p99 <= MOST_MS
}

/** The processor time and memory of the processes that a server started. */
function look(pid: number, used: { seconds: number; megabytes: number }): void {
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    for (const child of readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)) {
      const [, facts = ''] = readFileSync(`/proc/${child}/stat`, 'utf8').split(') ')
      const fields = facts.split(' ')
      used.seconds = Math.max(used.seconds, (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND)
      used.megabytes = Math.max(used.megabytes, new ServerMemory(Number(child)).peak() ?? 0)
    }
  }
}

/** English texts as long as mails, made from words in the project's own pages. */
function bodies(): (n: number) => string {
  const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md']
  const words = pages.flatMap(page => readFileSync(page, 'utf8').match(/[a-z]{2,}/gi) ?? [])
  return n => {
    const random = seeded(n)
    const pick = () => words[Math.floor(random() * words.length)] ?? ''
    return Array.from({ length: WORDS_OF_MAIL }, pick).join(' ')
  }
}
