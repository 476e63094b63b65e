import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onOneEngine, PROVING } from './engines.ts'

const SEED = 2

onOneEngine(
  'RS-5 random stores that differ only in hidden data answer identically above every cap',
  async engine => {
    const options = [
      '--disable-warning=ExperimentalWarning',
      '--require',
      join(import.meta.dirname, 'low-caps.ts'),
    ]
    const file = join(import.meta.dirname, 'hidden-twins.test.ts')
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...options, `--test-name-pattern=${engine}`, '--test-reporter=tap', file],
      { env: PROVING ? env : { ...env, FOOTNOTE_SEED: String(SEED) } },
    )
    assert.match(stdout, /^ok 1 - RS-5 RS-2 random stores/m)
  },
)
