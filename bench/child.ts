import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Settings of the person who runs the benchmark must not affect what is measured. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('FOOTNOTE_')))
}

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, ...args], {
    cwd: ROOT,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Runs a script to its end and returns what it printed. */
export async function output(args: readonly string[]): Promise<string> {
  const child = start(args)
  let [printed, complaint] = ['', '']
  child.stdout?.on('data', chunk => (printed += chunk))
  child.stderr?.on('data', chunk => (complaint += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${complaint}`)
  return printed.trim()
}

/** A script that serves until disposed of; it has printed its address on stderr. */
export class ServerProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly url: string

  private constructor(child: ChildProcess, url: string) {
    this.#child = child
    this.url = url
  }

  static start(args: readonly string[]): Promise<ServerProcess> {
    const child = start(args)
    // Nothing is left running, even if the run is interrupted.
    const end = () => child.kill()
    process.once('exit', end)
    child.once('exit', () => process.off('exit', end))
    let printed = ''
    return new Promise((resolve, reject) => {
      child.stdout?.resume()
      child.stderr?.on('data', chunk => {
        printed += chunk
        const url = /http:\/\/[\d.]+:\d+/.exec(printed)?.[0]
        if (!url) return
        child.stderr?.removeAllListeners('data')
        child.stderr?.pipe(process.stderr, { end: false })
        resolve(new ServerProcess(child, url))
      })
      child.on('exit', code => reject(new Error(`${args.join(' ')} ended with ${code}: ${printed}`)))
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.stderr?.unpipe(process.stderr).resume()
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await gone
  }
}
