import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

export interface Program {
  program: string
  args: string[]
  cwd: string
  env: Record<string, string>
}

/** Called when this process ends for any reason, so that it leaves no process running and no folder behind. */
const LEFT = new Set<() => void>()
process.on('exit', () => {
  for (const clean of LEFT) clean()
})
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
  ['SIGHUP', 1],
] as const)
  process.once(signal, () => process.exit(128 + number))

/** An empty folder that is removed when it is no longer used. */
export async function temporaryFolder(prefix: string): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), prefix))
  const clean = () => rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  LEFT.add(clean)
  return {
    path,
    async [Symbol.asyncDispose]() {
      clean()
      LEFT.delete(clean)
    },
  }
}

/** The processes that a process has started, and those that they have started. */
function descendantsOf(pid: number): number[] {
  let children = ''
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  } catch {
    // It has ended, or this is not Linux.
  }
  const pids = children === '' ? [] : children.split(' ').map(Number)
  return pids.flatMap(child => [...descendantsOf(child), child])
}

/** A running program with its output, in its own process group: processes that it started end with it. */
export class RunningProgram implements AsyncDisposable {
  readonly ended: Promise<number | null>
  said = ''
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  #isEnded = false

  constructor({ program, args, cwd, env }: Program, heard: (said: string) => void = () => {}) {
    this.#child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    this.#child.stdin.on('error', () => {})
    LEFT.add(this.#kill)
    const listen = (chunk: Buffer) => {
      this.said += chunk.toString()
      heard(this.said)
    }
    this.#child.stdout.on('data', listen)
    this.#child.stderr.on('data', listen)
    this.ended = once(this.#child, 'exit').then(([code]) => {
      this.#isEnded = true
      return code as number | null
    })
    this.ended.catch(() => {})
  }

  /** Types into it, or ends its input. */
  type(keys: string | null): void {
    if (keys === null) this.#child.stdin.end()
    else this.#child.stdin.write(keys)
  }

  #kill = (): void => {
    const { pid } = this.#child
    if (pid === undefined) return
    // A terminal starts its own session, which the group does not include.
    for (const each of [...descendantsOf(pid), -pid]) {
      try {
        process.kill(each, 'SIGKILL')
      } catch {
        // It has ended.
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#kill()
    LEFT.delete(this.#kill)
    if (!this.#isEnded) await this.ended.catch(() => {})
  }
}
