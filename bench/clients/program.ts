import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

export interface Program {
  program: string
  args: string[]
  cwd: string
  env: Record<string, string>
}

/** A running program with what it said, in a process group of its own: what it started ends with it. */
export class RunningProgram implements AsyncDisposable {
  readonly ended: Promise<number | null>
  said = ''
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  #isEnded = false

  constructor({ program, args, cwd, env }: Program, heard: (said: string) => void = () => {}) {
    this.#child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    this.#child.stdin.on('error', () => {})
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

  async [Symbol.asyncDispose](): Promise<void> {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // Nobody is left of its group.
    }
    if (!this.#isEnded) await this.ended.catch(() => {})
  }
}
