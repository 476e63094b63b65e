import assert from 'node:assert/strict'
import { readConfig } from '../src/cli/config.ts'
import { startListening } from '../src/cli/listening.ts'
import { logIn } from '../src/cli/log.ts'
import { runCommand } from '../src/cli/main.ts'
import type { RunningServer } from '../src/origin/server.ts'
import type { Location } from '../src/store/engine/database.ts'
import { type Engine, storeLocation } from './places.ts'

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

export interface Circumstances {
  env?: NodeJS.ProcessEnv
  isTerminal?: boolean
  columns?: number
  input?: string
}

/** Runs a command in this process, isolated from the real environment. */
export async function footnote(args: readonly string[], around: Circumstances = {}): Promise<Outcome> {
  const said = { stdout: '', stderr: '' }
  const code = await runCommand(
    [...args],
    {
      out: text => {
        said.stdout += text
      },
      err: text => {
        said.stderr += text
      },
      input: async function* () {
        yield Buffer.from(around.input ?? '')
      },
      isTerminal: around.isTerminal ?? false,
      columns: around.columns ?? 100,
      command: 'footnote',
    },
    { FOOTNOTE_TIME_ZONE: 'UTC', ...around.env },
  )
  return { code, ...said }
}

/** The output of a command that must succeed. */
export async function output(args: readonly string[], around?: Circumstances): Promise<string> {
  const { code, stdout, stderr } = await footnote(args, around)
  assert.equal(code, 0, stderr)
  return stdout
}

export function placeFlags(location: Location): string[] {
  const folder = ['--data-dir', location.directory]
  return location.engine === 'sqlite' ? folder : [...folder, '--database-url', location.url]
}

/** A server in this process on a free port, as `footnote serve` starts it. */
export function listeningOn(location: Location, flags: Record<string, string> = {}): Promise<RunningServer> {
  const database = location.engine === 'postgres' ? { 'database-url': location.url } : {}
  const config = readConfig({ port: '0', 'data-dir': location.directory, ...database, ...flags }, {})
  return startListening(config, logIn('text'), 'footnote')
}

/** A location for data, with the flags that select it. */
export async function freshPlace(engine: Engine) {
  const { location, remove } = await storeLocation(engine)
  return { location, flags: placeFlags(location), remove }
}
