import type { Section } from '../../model/search/index-row.ts'
import { sizeOfKeys, writeKeys } from '../../model/text/counted-keys.ts'

const BLOCK_BYTES = 64 * 1024

/** The prefix of the index entry for a word in a field. */
export function fieldPrefix(code: number): string {
  return `${code.toString(36)}\u{e002}`
}

const prefixes: Uint8Array[] = []

function prefixOf(code: number): Uint8Array {
  const prefix = prefixes[code] ?? Buffer.from(` ${fieldPrefix(code)}`)
  prefixes[code] = prefix
  return prefix
}

/**
 * Writes the words that rows are found by, in UTF-8 with spaces between them: the form in which they are stored and can
 * be moved to another thread. The rows share a few large blocks.
 */
export class WordBytes {
  readonly #scope: Uint8Array
  #block = new Uint8Array(0)
  #used = 0

  /** `scope` is a word that every row contains. */
  constructor(scope: string) {
    this.#scope = Buffer.from(scope)
  }

  write(sections: readonly Section[]): Uint8Array {
    const start = this.#makeRoom(this.#sizeOf(sections))
    const block = this.#block
    block.set(this.#scope, start)
    let at = start + this.#scope.length
    for (const { code, keys, neighbours } of sections) {
      const prefix = prefixOf(code)
      at = writeKeys(neighbours, prefix, block, writeKeys(keys, prefix, block, at))
    }
    this.#used = at
    return block.subarray(start, at)
  }

  #sizeOf(sections: readonly Section[]): number {
    let size = this.#scope.length
    for (const { code, keys, neighbours } of sections) {
      size += prefixOf(code).length * (keys.length + neighbours.length)
      size += sizeOfKeys(keys) + sizeOfKeys(neighbours)
    }
    return size
  }

  #makeRoom(size: number): number {
    if (this.#used + size > this.#block.length) {
      this.#block = new Uint8Array(Math.max(BLOCK_BYTES, size))
      this.#used = 0
    }
    return this.#used
  }
}
