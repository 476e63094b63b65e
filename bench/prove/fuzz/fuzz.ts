import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { stopPostgres } from '../../../test/postgres.ts'
import type { Proof } from '../proof.ts'
import type { Fuzzer } from './fuzzer.ts'
import { FUZZERS } from './fuzzers.ts'

const SECONDS = { whole: 60, quick: 5 }
/** A test runs these fixtures with every change. */
export const FIXTURES = join(import.meta.dirname, '../../../test/fixtures/fuzz')

/** Generated input for a minute each. Failing input is made as small as possible and stored as a fixture. */
export const fuzz: Proof = {
  name: 'fuzz',
  async prove({ quick, seconds, only }) {
    const lasting = seconds ?? (quick ? SECONDS.quick : SECONDS.whole)
    const lines: string[] = []
    let held = true
    try {
      for (const fuzzer of FUZZERS.filter(({ name }) => name.includes(only))) {
        process.stderr.write(`fuzz ${fuzzer.name} for ${lasting} s\n`)
        const { runs, seed, failed } = await run(fuzzer, lasting * 1_000)
        held &&= failed === null
        lines.push(
          `${fuzzer.name.padEnd(12)} seed ${seed}  inputs ${runs.toLocaleString('en').padStart(9)}  ${failed ?? 'held'}\n`,
        )
      }
    } finally {
      await stopPostgres()
    }
    process.stdout.write(`\nFuzz:\n${lines.join('')}`)
    return held
  },
}

async function run(fuzzer: Fuzzer<unknown>, ms: number) {
  await using fuzzing = await fuzzer.start()
  const seed = Number(process.env.FOOTNOTE_SEED ?? Date.now() % 1_000_000_000)
  let runs = 0
  const property = fc.asyncProperty(fuzzing.input, async input => {
    runs++
    await fuzzing.check(input)
  })
  const outcome = await fc.check(property, {
    seed,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: ms,
    maxSkipsPerRun: 0,
  })
  if (!outcome.failed || outcome.counterexample === null) return { runs, seed, failed: null }
  const [input] = outcome.counterexample
  await mkdir(FIXTURES, { recursive: true })
  const file = join(FIXTURES, `${fuzzer.name}-${seed}.json`)
  await writeFile(file, `${JSON.stringify(input, null, 2)}\n`)
  const reason = outcome.errorInstance instanceof Error ? outcome.errorInstance.message : 'failed'
  return { runs, seed, failed: `FAILED, kept as ${file}\n  ${reason.slice(0, 600)}` }
}
