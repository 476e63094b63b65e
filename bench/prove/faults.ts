import { join } from 'node:path'
import { type Figures, figuresTable } from '../../test/figures.ts'
import { runFiles } from '../../test/run-files.ts'
import type { Proof } from './proof.ts'

const TESTS = join(import.meta.dirname, '..', '..', 'test')

/** The tests that cause faults. They are also part of `npm test`, with few rounds. */
const FILES = [
  'kill.test.ts',
  'ledger-kill.test.ts',
  'import-kill.test.ts',
  'importers-killed.test.ts',
  'workers.test.ts',
  'backup-during-writes.test.ts',
  'doctor.test.ts',
  'faults/postgres-kill.test.ts',
  'faults/lost-lines.test.ts',
  'faults/disk.test.ts',
  'faults/memory.test.ts',
  'faults/clock.test.ts',
  'faults/clients.test.ts',
  'open-routes-flood.test.ts',
]

/** Kills, full disks, lost files and other accidents, with what was counted. */
export const faults: Proof = {
  name: 'faults',
  async prove({ only }) {
    process.env.FOOTNOTE_PROVE = '1'
    const named = FILES.filter(file => file === `${only}.test.ts`)
    const wanted = named.length > 0 ? named : FILES.filter(file => file.includes(only))
    if (wanted.length === 0) throw new Error(`No file of faults contains ${only}: ${FILES.join(', ')}.`)
    const figures: Figures[] = []
    const failed: string[] = []
    // Each in its own process, so that one that ends early, for example out of memory, does not end the others.
    for (const file of wanted) {
      const ended = await runFiles([join(TESTS, file)])
      figures.push(...ended.figures)
      if (!ended.passed) failed.push(file)
    }
    process.stdout.write(`\nFaults:\n${figuresTable(figures)}`)
    if (failed.length > 0) process.stdout.write(`Tests failed: ${failed.join(', ')}\n`)
    return failed.length === 0
  },
}
