import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const MAIN = join(import.meta.dirname, '../src/cli/main.ts')

interface ImportProcess {
  exitCode: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  json: any
  /** The peak memory of the process; 0 if the system does not report it. */
  peakMegabytes: number
}

/** Runs `footnote import --json` in its own process and measures its memory. */
export async function importInChild(path: string, flags: readonly string[]): Promise<ImportProcess> {
  const child = spawn(process.execPath, [MAIN, 'import', path, '--json', ...flags], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const output: Buffer[] = []
  child.stdout.on('data', chunk => output.push(chunk))
  let peakMegabytes = 0
  while (child.exitCode === null) {
    await sleep(20)
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      peakMegabytes = Math.max(peakMegabytes, Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1024)
    } catch {
      // The process has just ended.
    }
  }
  return { exitCode: child.exitCode, json: JSON.parse(Buffer.concat(output).toString()), peakMegabytes }
}
