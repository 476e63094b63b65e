import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Proof } from './proof.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** A script of this project, with its output on the terminal. */
function script(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Proof['prove'] {
  return async ({ quick }) => {
    const given = [...args, ...(quick && name === 'attack' ? ['--quick'] : [])]
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...given], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
    })
    const [code] = await once(child, 'exit')
    return code === 0
  }
}

/** Every test with large numbers, including those of faults. */
export const tests: Proof = {
  name: 'tests',
  prove: script('tests', ['test/run.ts'], { FOOTNOTE_PROVE: '1' }),
}

export const attack: Proof = { name: 'attack', prove: script('attack', ['bench/attack/main.ts']) }
