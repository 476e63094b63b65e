import { join } from 'node:path'
import { figuresTable } from '../../test/figures.ts'
import { runFiles } from '../../test/run-files.ts'
import type { Proof } from './proof.ts'

const TESTS = join(import.meta.dirname, '..', '..', 'test')
const FILES = ['imap', 'imap-dovecot', 'run', 'hostile', 'commands', 'routes']

/** Live mail: a large mailbox on a real Dovecot, which is installed if it is missing, and all other tests of syncs. */
export const imap: Proof = {
  name: 'imap',
  async prove() {
    process.env.FOOTNOTE_PROVE = '1'
    const { passed, figures } = await runFiles(FILES.map(file => join(TESTS, `sync-${file}.test.ts`)))
    process.stdout.write(`\nMail:\n${figuresTable(figures)}`)
    return passed
  },
}
