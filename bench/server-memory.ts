import { readFileSync, writeFileSync } from 'node:fs'

/** Resident memory of a process in megabytes, on Linux; elsewhere every value is null. */
export class ServerMemory {
  readonly #pid: number
  #peak = 0

  constructor(pid: number) {
    this.#pid = pid
  }

  now(): number | null {
    return this.#read('VmRSS')
  }

  /** The highest since the process started. */
  peak(): number | null {
    const high = this.#read('VmHWM')
    if (high !== null) this.#peak = Math.max(this.#peak, high)
    return high === null ? null : this.#peak
  }

  /** How much the work raised the resident memory. */
  async growth(work: () => Promise<void>): Promise<number | null> {
    this.peak()
    try {
      writeFileSync(`/proc/${this.#pid}/clear_refs`, '5')
    } catch {
      return null
    }
    const before = this.now()
    await work()
    const high = this.#read('VmHWM')
    this.peak()
    return before === null || high === null ? null : high - before
  }

  #read(name: string): number | null {
    try {
      const status = readFileSync(`/proc/${this.#pid}/status`, 'utf8')
      const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]
      return kilobytes === undefined ? null : Number(kilobytes) / 1024
    } catch {
      return null
    }
  }
}
