import { createHash } from 'node:crypto'
import type { LineEnd } from '../lines.ts'

const NEWLINE = Buffer.from('\n')
const SCRATCH_BYTES = 16 * 1024

/** Hashes lines in large steps. Line endings, and blank lines at the end, do not count. */
export class LineDigest {
  readonly #hash = createHash('sha256')
  readonly #scratch = Buffer.allocUnsafe(SCRATCH_BYTES)
  #used = 0
  #breaks = 0

  line(line: Buffer, end: LineEnd): void {
    if (line.length > 0) {
      for (; this.#breaks > 0; this.#breaks--) this.#add(NEWLINE)
      this.#add(line)
    }
    if (end !== '') this.#breaks++
  }

  end(): Buffer {
    this.#hash.update(this.#scratch.subarray(0, this.#used))
    return this.#hash.digest()
  }

  #add(bytes: Buffer): void {
    if (this.#used + bytes.length > SCRATCH_BYTES) {
      this.#hash.update(this.#scratch.subarray(0, this.#used))
      this.#used = 0
    }
    if (bytes.length > SCRATCH_BYTES) this.#hash.update(bytes)
    else this.#used += bytes.copy(this.#scratch, this.#used)
  }
}
