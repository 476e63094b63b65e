import { join } from 'node:path'
import { figuresTable } from '../../test/figures.ts'
import { runFiles } from '../../test/run-files.ts'
import type { Proof } from './proof.ts'

const TESTS = join(import.meta.dirname, '..', '..', 'test')

/** The tests that break something. Each also runs with all others, in `npm test` with few rounds. */
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
  'faults/clock.test.ts',
  'faults/clients.test.ts',
  'open-routes-flood.test.ts',
]

/** Kills, full disks, lost files and other accidents, with what was counted. */
export const faults: Proof = {
  name: 'faults',
  async prove() {
    process.env.FOOTNOTE_PROVE = '1'
    const { passed, figures } = await runFiles(FILES.map(file => join(TESTS, file)))
    process.stdout.write(`\nFaults:\n${figuresTable(figures)}`)
    return passed
  },
}
