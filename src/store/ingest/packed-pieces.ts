import { createHash } from 'node:crypto'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { PIECE_CHARS } from '../../model/text/pieces.ts'

const PIECES_IN_A_BLOCK = 64
const MOST_BYTES_OF_A_CHARACTER = 4
/**
 * What comes after this many bytes of a text is compressed. Most texts are shorter, and are written faster
 * uncompressed.
 */
const PLAIN_BYTES = 4 * 1024 * 1024
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

interface Block {
  bytes: Buffer
  isCompressed: boolean
  /** The length of each piece, in bytes. */
  lengths: number[]
}

/**
 * The pieces of a long text that is being received. They are kept as UTF-8 in a few large blocks outside the heap: many
 * strings would take more memory, and the engine would keep that memory after they are gone.
 */
export class PackedPieces implements Iterable<string> {
  readonly #blocks: Block[] = []
  readonly #digest = createHash('sha256')
  #open = Buffer.allocUnsafeSlow(PIECES_IN_A_BLOCK * PIECE_CHARS * MOST_BYTES_OF_A_CHARACTER)
  #lengths: number[] = []
  #used = 0
  #bytes = 0
  readonly #plainBytes: number

  constructor(plainBytes = PLAIN_BYTES) {
    this.#plainBytes = plainBytes
  }

  /** Adds a piece, which must not contain lone surrogates. */
  add(piece: string): void {
    const length = this.#open.write(piece, this.#used)
    this.#digest.update(this.#open.subarray(this.#used, this.#used + length))
    this.#used += length
    this.#lengths.push(length)
    if (this.#lengths.length === PIECES_IN_A_BLOCK) this.#close()
  }

  /** Must be called once, after the last piece. Returns the digest of the text. */
  end(): string {
    this.#close()
    this.#open = Buffer.alloc(0)
    return `sha256:${this.#digest.digest('hex')}`
  }

  *[Symbol.iterator](): Generator<string> {
    for (const { bytes, isCompressed, lengths } of this.#blocks) {
      const plain = isCompressed ? zstdDecompressSync(bytes) : bytes
      let from = 0
      for (const length of lengths) {
        yield plain.toString('utf8', from, from + length)
        from += length
      }
    }
  }

  #close(): void {
    if (this.#used === 0) return
    const plain = this.#open.subarray(0, this.#used)
    const isCompressed = this.#bytes >= this.#plainBytes
    const bytes = isCompressed ? zstdCompressSync(plain, FAST) : Buffer.from(plain)
    this.#blocks.push({ bytes, isCompressed, lengths: this.#lengths })
    this.#bytes += this.#used
    this.#used = 0
    this.#lengths = []
  }
}
