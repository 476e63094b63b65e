interface Running {
  chunks: AsyncGenerator<Uint8Array>
  position: number
  /** Bytes that were read beyond the last range. */
  rest: Uint8Array
}

const NOTHING = new Uint8Array()

/**
 * Reads ranges of a stream that can only be read from start to end. A range after the previous one continues from
 * there; an earlier one starts over. Reading files in the order of their archive therefore takes one pass.
 */
export class ForwardReader {
  readonly #open: () => AsyncGenerator<Uint8Array>
  #idle: Running | null = null

  constructor(open: () => AsyncGenerator<Uint8Array>) {
    this.#open = open
  }

  async *read(start: number, length: number): AsyncGenerator<Uint8Array> {
    const running = this.#take(start)
    const end = start + Math.max(0, length)
    try {
      while (running.position < end) {
        if (running.rest.length === 0) {
          const next = await running.chunks.next()
          if (next.done) return
          running.rest = next.value
        }
        const skipped = Math.min(running.rest.length, Math.max(0, start - running.position))
        const wanted = running.rest.subarray(skipped, Math.max(skipped, end - running.position))
        running.position += skipped + wanted.length
        running.rest = running.rest.subarray(skipped + wanted.length)
        if (wanted.length > 0) yield wanted
      }
    } finally {
      await this.#leave(running)
    }
  }

  async close(): Promise<void> {
    await this.#idle?.chunks.return(undefined)
    this.#idle = null
  }

  #take(start: number): Running {
    const idle = this.#idle
    if (idle && idle.position <= start) {
      this.#idle = null
      return idle
    }
    return { chunks: this.#open(), position: 0, rest: NOTHING }
  }

  async #leave(running: Running): Promise<void> {
    const before = this.#idle
    this.#idle = running
    await before?.chunks.return(undefined)
  }
}
