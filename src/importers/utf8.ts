import { isAscii, isUtf8 } from 'node:buffer'
import { wholeCharacters } from '../model/text/code-points.ts'
import { likelyCharset } from './reading/legacy-charset.ts'

const DECIDING_BYTES = 64 * 1024
const LEAST_DECIDING_BYTES = 1024

/**
 * Converts text to UTF-8 without a byte order mark. The text may be UTF-8, UTF-16 with a mark, or in another charset,
 * which is guessed if the first non-ASCII bytes are not UTF-8.
 */
export async function* utf8Of(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let decoder: InstanceType<typeof TextDecoder> | null = null
  let plain: boolean | null = null
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (plain) {
      yield chunk
      continue
    }
    if (decoder) {
      yield Buffer.from(decoder.decode(chunk, { stream: true }))
      continue
    }
    held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk])
    if (held.length < 4) continue
    const encoding = encodingOf(held, false)
    if (encoding === null) continue
    if (encoding === 'ascii') {
      yield withoutMark(held)
      held = Buffer.alloc(0)
      continue
    }
    plain = encoding === 'utf-8'
    if (!plain) decoder = new TextDecoder(encoding)
    yield decoder ? Buffer.from(decoder.decode(held, { stream: true })) : withoutMark(held)
    held = Buffer.alloc(0)
  }
  if (held.length > 0) yield Buffer.from(decodeText(held))
  if (decoder) yield Buffer.from(decoder.decode())
}

/** The same for a whole text in memory. */
export function decodeText(bytes: Buffer): string {
  const encoding = encodingOf(bytes, true) ?? 'windows-1252'
  return encoding === 'ascii' || encoding === 'utf-8'
    ? withoutMark(bytes).toString('utf8')
    : new TextDecoder(encoding).decode(bytes)
}

/** Null if more bytes are needed to decide. */
function encodingOf(bytes: Buffer, whole: boolean): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (isAscii(bytes)) return 'ascii'
  const first = bytes.findIndex(byte => byte > 0x7f)
  if (!whole && bytes.length - first < LEAST_DECIDING_BYTES) return null
  const deciding = wholeCharacters(bytes.subarray(first, first + DECIDING_BYTES))
  return isMostlyUtf8(deciding) ? 'utf-8' : likelyCharset(deciding)
}

/** A few invalid bytes do not change the encoding of a text. */
function isMostlyUtf8(bytes: Buffer): boolean {
  if (isUtf8(bytes)) return true
  const beyond = bytes.toString('utf8').match(/[^\0-\x7f]/gu) ?? []
  const bad = beyond.filter(character => character === '\ufffd').length
  return beyond.length - bad > bad * 10
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

/** Whether the bytes are text: they have no zero bytes, or begin with a UTF-16 byte order mark. */
export function isText(head: Buffer): boolean {
  const marked = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  return marked || !head.includes(0)
}

/** The first bytes of a file as UTF-8, up to about `most`; `whole` if that is the whole file. */
export async function startOf(
  file: { open(): AsyncIterable<Uint8Array> },
  most: number,
): Promise<{ bytes: Buffer; whole: boolean }> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of utf8Of(file.open())) {
    chunks.push(chunk)
    length += chunk.length
    if (length > most) return { bytes: Buffer.concat(chunks).subarray(0, most), whole: false }
  }
  return { bytes: Buffer.concat(chunks), whole: true }
}
