import { CodedError } from '../model/errors.ts'

const MOST_FIELD_BYTES = 64 * 1024
const MOST_HEAD_BYTES = 16 * 1024

/** A part of a form: a short field, or a file whose bytes must be read before the next part. */
export type FormPart =
  | { kind: 'field'; name: string; value: string }
  | { kind: 'file'; name: string; filename: string; bytes: AsyncGenerator<Uint8Array> }

/** Reads a form with files part by part, without keeping a file in memory. */
export async function* formParts(request: Request): AsyncGenerator<FormPart> {
  const type = request.headers.get('Content-Type') ?? ''
  const boundary = /^multipart\/form-data;.*\bboundary="?([\w'()+,./:=?-]{1,70})"?/i.exec(type)?.[1]
  if (boundary === undefined)
    throw new CodedError('unsupported_media_type', 'Content-Type must be multipart/form-data.')
  const reader = new Bytes((request.body ?? []) as AsyncIterable<Uint8Array>)
  const end = Buffer.from(`\r\n--${boundary}`)
  await reader.upTo(Buffer.from(`--${boundary}`), MOST_HEAD_BYTES)
  for (;;) {
    const line = (await reader.upTo(Buffer.from('\r\n'), MOST_HEAD_BYTES)).toString()
    if (line.startsWith('--')) return
    const head = (await reader.upTo(Buffer.from('\r\n\r\n'), MOST_HEAD_BYTES)).toString('utf8')
    const name = /\bname="([^"]*)"/i.exec(head)?.[1] ?? ''
    const filename = /\bfilename="([^"]*)"/i.exec(head)?.[1]
    if (filename === undefined) {
      const value = (await reader.upTo(end, MOST_FIELD_BYTES)).toString('utf8')
      yield { kind: 'field', name, value }
      continue
    }
    const bytes = reader.streamTo(end)
    yield { kind: 'file', name, filename, bytes }
    // Skips what the caller did not read.
    for await (const _ of bytes);
  }
}

class Bytes {
  readonly #chunks: AsyncIterator<Uint8Array>
  #held: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  async #more(): Promise<void> {
    const next = await this.#chunks.next()
    if (next.done) throw new CodedError('invalid_request', 'The form ends too early.')
    this.#held = Buffer.concat([this.#held, next.value])
  }

  /** Everything before a mark; the mark itself is skipped. */
  async upTo(mark: Buffer, most: number): Promise<Buffer> {
    for (;;) {
      const at = this.#held.indexOf(mark)
      if (at > most || (at === -1 && this.#held.length > most))
        throw new CodedError('body_too_large', 'A field of the form is too long.')
      if (at !== -1) {
        const found = this.#held.subarray(0, at)
        this.#held = this.#held.subarray(at + mark.length)
        return found
      }
      await this.#more()
    }
  }

  /** The same in chunks, of any length. */
  async *streamTo(mark: Buffer): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = this.#held.indexOf(mark)
      // The mark may begin in the last bytes.
      const safe = at === -1 ? this.#held.length - mark.length + 1 : at
      if (safe > 0) {
        const chunk = this.#held.subarray(0, safe)
        this.#held = this.#held.subarray(safe)
        yield chunk
      }
      if (at !== -1) {
        this.#held = this.#held.subarray(mark.length)
        return
      }
      await this.#more()
    }
  }
}
