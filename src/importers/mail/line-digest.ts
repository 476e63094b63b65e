import { createHash, type Hash, hash } from 'node:crypto'
import type { LineEnd } from '../lines.ts'

const NEWLINE = Buffer.from('\n')
const SCRATCH_BYTES = 16 * 1024
/** Scratch buffers of finished digests, for reuse. */
const spare: Buffer[] = []
const MOST_SPARE = 4
const NONE = Buffer.alloc(0)

/** Hashes lines in large steps, most messages in a single one. Line endings and trailing blank lines are ignored. */
export class LineDigest {
  #hash: Hash | null = null
  #scratch = spare.pop() ?? Buffer.allocUnsafeSlow(SCRATCH_BYTES)
  #used = 0
  #breaks = 0

  line(line: Buffer, end: LineEnd): void {
    if (line.length > 0) {
      for (; this.#breaks > 0; this.#breaks--) this.#add(NEWLINE)
      this.#add(line)
    }
    if (end !== '') this.#breaks++
  }

  /** Nothing may be added after this. */
  end(): Buffer {
    const rest = this.#scratch.subarray(0, this.#used)
    const digest = this.#hash ? this.#hash.update(rest).digest() : hash('sha256', rest, 'buffer')
    if (spare.length < MOST_SPARE && this.#scratch !== NONE) spare.push(this.#scratch)
    this.#scratch = NONE
    this.#used = 0
    return digest
  }

  #add(bytes: Buffer): void {
    if (this.#used + bytes.length > SCRATCH_BYTES) {
      this.#hash ??= createHash('sha256')
      this.#hash.update(this.#scratch.subarray(0, this.#used))
      this.#used = 0
    }
    if (bytes.length > SCRATCH_BYTES) this.#hash?.update(bytes)
    else this.#used += bytes.copy(this.#scratch, this.#used)
  }
}
