import { glob, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { FIXTURES } from '../bench/prove/fuzz/fuzz.ts'
import { FUZZERS } from '../bench/prove/fuzz/fuzzers.ts'
import { count } from './engines.ts'

const RUNS = count(25, 2_000)
const SEED = 20_261_116

for (const { name, start } of FUZZERS) {
  test(`made input of ${name} is answered or refused, and so is what once failed`, async () => {
    await using fuzzing = await start()
    for await (const file of glob(join(FIXTURES, `${name}-*.json`))) {
      const input: unknown = JSON.parse(await readFile(file, 'utf8'))
      await fuzzing.check(input).catch(error => {
        throw new Error(`${basename(file)}: ${(error as Error).message}`, { cause: error })
      })
    }
    await fc.assert(fc.asyncProperty(fuzzing.input, fuzzing.check), { seed: SEED, numRuns: RUNS })
  })
}
