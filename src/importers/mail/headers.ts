import { isUtf8 } from 'node:buffer'
import { decodeText } from './charset.ts'
import { unquoted } from './transfer.ts'

const MOST_BYTES = 512 * 1024
const MOST_LINES = 5_000

/** The headers of a message or a part, as bytes; they are decoded on demand. */
export class Headers {
  readonly #lines: { name: string; value: Buffer[] }[] = []
  #bytes = 0
  #count = 0
  #charset: string | null = null

  /** Adds a line; false if it is not part of a header, so the body began without an empty line. */
  take(line: Buffer, continues: boolean): boolean {
    const last = this.#lines.at(-1)
    const first = line[0]
    this.#bytes += line.length
    // Headers beyond a sensible size are dropped; they still end at the empty line.
    const room = this.#bytes <= MOST_BYTES && this.#count++ < MOST_LINES
    const indented = first === 0x20 || first === 0x09
    if (continues || (indented && last)) {
      if (last && room) last.value.push(continues ? line : Buffer.concat([SPACE, line.subarray(1)]))
      return true
    }
    const colon = line.indexOf(0x3a)
    if (colon <= 0 || colon > 200) return false
    const name = line.toString('latin1', 0, colon).trim().toLowerCase()
    if (!/^[!-9;-~]+$/.test(name)) return false
    if (room) this.#lines.push({ name, value: [line.subarray(colon + 1)] })
    return true
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0
  }

  has(name: string): boolean {
    return this.#lines.some(line => line.name === name)
  }

  /** The first value, raw and unfolded. */
  raw(name: string): Buffer | undefined {
    const found = this.#lines.find(line => line.name === name)
    return found && joined(found.value)
  }

  /** Every value, raw and unfolded, in order. */
  allRaw(name: string): readonly Buffer[] {
    let found: Buffer[] | null = null
    for (const line of this.#lines) {
      if (line.name !== name) continue
      found ??= []
      found.push(joined(line.value))
    }
    return found ?? NONE
  }

  /** The first value as text, trimmed, encoded words still encoded. */
  plain(name: string): string | undefined {
    const raw = this.raw(name)
    return raw && this.#text(raw)
  }

  /** Every value as text, trimmed, encoded words still encoded. */
  allPlain(name: string): string[] {
    return this.allRaw(name).map(raw => this.#text(raw))
  }

  /** Some programs write other characters than ASCII as they are, in the charset of the body. */
  #text(raw: Buffer): string {
    if (isUtf8(raw) && !raw.includes(ESC)) return raw.toString('utf8').trim()
    this.#charset ??= /charset\s*=\s*"?([^\s";]+)/i.exec(String(this.raw('content-type') ?? ''))?.[1] ?? ''
    return decodeText(raw, this.#charset).trim()
  }
}

const NONE: readonly Buffer[] = []
const SPACE = Buffer.from(' ')
const ESC = 0x1b

function joined(parts: Buffer[]): Buffer {
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
}

const ENCODED_WORD = /=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=/g

/**
 * Text of a header with its encoded words decoded (RFC 2047). Adjacent words with the same charset are decoded
 * together.
 */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text
  const out: string[] = []
  let bytes: Buffer[] = []
  let charset = ''
  let at = 0
  const flush = () => {
    if (bytes.length > 0) out.push(decodeText(Buffer.concat(bytes), charset))
    bytes = []
  }
  for (const match of text.matchAll(ENCODED_WORD)) {
    const between = text.slice(at, match.index)
    const next = (match[1] ?? '').toLowerCase().replace(/\*.*$/, '')
    const adjacent = bytes.length > 0 && /^\s*$/.test(between)
    if (!adjacent || next !== charset) flush()
    if (!adjacent) out.push(between)
    charset = next
    bytes.push(wordBytes(match[2] ?? '', match[3] ?? ''))
    at = match.index + match[0].length
  }
  flush()
  out.push(text.slice(at))
  return out.join('')
}

function wordBytes(encoding: string, content: string): Buffer {
  if (encoding.toLowerCase() === 'b') return Buffer.from(content, 'base64')
  return unquoted(Buffer.from(content.replaceAll('_', ' '), 'latin1'))
}

/** A value such as `text/plain; charset=utf-8; name*0*=utf-8''a%20; name*1=b` (RFC 2045, RFC 2231). */
interface Parametrized {
  value: string
  parameters: Map<string, string>
}

const PARAMETER = /;?\s*([^\s=;"]+)\s*=\s*("(?:[^"\\]|\\[\s\S])*"?|[^;]*)/y

function parseParametrized(text: string): Parametrized {
  const semicolon = text.indexOf(';')
  const value = (semicolon === -1 ? text : text.slice(0, semicolon)).trim().toLowerCase()
  const pieces = new Map<string, { order: number; text: string; encoded: boolean }[]>()
  PARAMETER.lastIndex = semicolon === -1 ? text.length : semicolon
  for (let count = 0; count < 200 && PARAMETER.lastIndex < text.length; count++) {
    const start = PARAMETER.lastIndex
    const match = PARAMETER.exec(text)
    if (!match) {
      const next = text.indexOf(';', start + 1)
      if (next === -1) break
      PARAMETER.lastIndex = next
      continue
    }
    const [, written = '', raw = ''] = match
    const [, name = '', section, star] = /^([^*]*)(?:\*(\d{1,4}))?(\*)?$/.exec(written.toLowerCase()) ?? [
      null,
      written,
    ]
    const list = pieces.get(name) ?? []
    list.push({ order: Number(section ?? 0), text: unescaped(raw.trim()), encoded: star === '*' })
    pieces.set(name, list)
  }
  return { value, parameters: new Map([...pieces].map(([name, list]) => [name, joinPieces(list)])) }
}

function unescaped(raw: string): string {
  if (!raw.startsWith('"')) return raw
  return raw.replace(/^"|"$/g, '').replace(/\\([\s\S])/g, '$1')
}

function joinPieces(list: { order: number; text: string; encoded: boolean }[]): string {
  const sorted = [...list].sort((a, b) => a.order - b.order)
  if (!sorted.some(piece => piece.encoded)) {
    const whole = list.length > 1 && list.every(piece => piece.order === 0) ? list.slice(0, 1) : sorted
    return decodeWords(whole.map(piece => piece.text).join(''))
  }
  const [, charset = '', rest] = /^([^']*)'[^']*'([\s\S]*)$/.exec(sorted[0]?.text ?? '') ?? []
  const bytes = sorted.map((piece, index) => {
    const text = index === 0 && rest !== undefined ? rest : piece.text
    return piece.encoded ? percentDecoded(text) : Buffer.from(text)
  })
  return decodeText(Buffer.concat(bytes), charset)
}

function percentDecoded(text: string): Buffer {
  return unquoted(Buffer.from(text.replaceAll('=', '=3D').replaceAll('%', '='), 'utf8'))
}

/** What the headers of a part say about its bytes. */
export interface PartFacts {
  type: string
  charset: string | undefined
  /** What a soft line break of flowed text stands for; null if no line break is soft. */
  softBreak: ' ' | '' | null
  boundary: string | undefined
  encoding: string
  name: string | null
  content_id: string | null
  attached: boolean
}

export function factsOf(headers: Headers, fallback: string): PartFacts {
  const type = parametrized(headers, 'content-type')
  const disposition = parametrized(headers, 'content-disposition')
  const valid = /^[\w.+-]+\/[\w.+-]+$/.test(type.value)
  const name = disposition.parameters.get('filename') || type.parameters.get('name') || null
  return {
    type: valid ? type.value : type.value === 'text' ? 'text/plain' : fallback,
    charset: type.parameters.get('charset'),
    softBreak: /^flowed$/i.test(type.parameters.get('format') ?? '')
      ? /^yes$/i.test(type.parameters.get('delsp') ?? '')
        ? ''
        : ' '
      : null,
    boundary: type.parameters.get('boundary'),
    encoding: headers.plain('content-transfer-encoding') ?? '',
    name: name && cleanName(name),
    content_id: headers.plain('content-id')?.replace(/^<|>$/g, '') || null,
    attached: disposition.value === 'attachment',
  }
}

function parametrized(headers: Headers, name: string): Parametrized {
  return parseParametrized(headers.plain(name) ?? '')
}

/** The file name without folders and control characters. */
function cleanName(name: string): string | null {
  const last = decodeWords(name)
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .split(/[/\\]/)
    .at(-1)
  return last?.trim().slice(0, 255) || null
}
