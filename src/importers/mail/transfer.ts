import type { LineEnd } from '../lines.ts'

/** Decodes the lines of a part into bytes. */
export interface TransferDecoder {
  line(line: Buffer, end: LineEnd): void
  end(): void
}

type Give = (bytes: Buffer) => void

const ENDS: Record<LineEnd, Buffer> = {
  '': Buffer.alloc(0),
  '\n': Buffer.from('\n'),
  '\r\n': Buffer.from('\r\n'),
}
const GATHER_BYTES = 48 * 1024

/** The decoder for a Content-Transfer-Encoding; an unknown one leaves the bytes as they are. */
export function transferDecoder(encoding: string, give: Give): TransferDecoder {
  const name = encoding.toLowerCase().replace(/[;\s"].*$/, '')
  if (name === 'base64') return base64(give)
  if (name === 'quoted-printable') return quotedPrintable(give)
  if (/^(x-)?uu(e|encode)?$/.test(name)) return uuencoded(give)
  return asItIs(give)
}

/** Joins small pieces. */
function gathering(give: Give): { add(bytes: Buffer): void; end(): void } {
  let pieces: Buffer[] = []
  let size = 0
  const flush = () => {
    if (size > 0) give(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces))
    pieces = []
    size = 0
  }
  return {
    add(bytes) {
      if (bytes.length === 0) return
      pieces.push(bytes)
      size += bytes.length
      if (size >= GATHER_BYTES) flush()
    },
    end: flush,
  }
}

function asItIs(give: Give): TransferDecoder {
  const out = gathering(give)
  // The line break before a boundary belongs to the boundary (RFC 2046), so each is held back until the next line.
  let waiting: LineEnd = ''
  return {
    line(line, end) {
      out.add(ENDS[waiting])
      out.add(line)
      waiting = end
    },
    end() {
      out.end()
    },
  }
}

function base64(give: Give): TransferDecoder {
  let held = ''
  const decode = (all: boolean) => {
    // Each run up to its padding is decoded separately: some programs encode a part in several pieces.
    const runs = held.replace(/[^A-Za-z0-9+/=_-]/g, '').split(/=+/)
    const last = runs.pop() ?? ''
    const whole = all ? last.length : last.length - (last.length % 4)
    held = last.slice(whole)
    const decoded = [...runs, last.slice(0, whole)]
      .filter(run => run !== '')
      .map(run => Buffer.from(run, 'base64'))
    if (decoded.length > 0) give(decoded.length === 1 ? (decoded[0] as Buffer) : Buffer.concat(decoded))
  }
  return {
    line(line) {
      held += line.toString('latin1')
      if (held.length >= GATHER_BYTES) decode(false)
    },
    end: () => decode(true),
  }
}

const EQUALS = 0x3d

function quotedPrintable(give: Give): TransferDecoder {
  const out = gathering(give)
  let waiting: LineEnd = ''
  // A very long line arrives in parts, and `=XX` may be split between two of them.
  let cut: Buffer = ENDS['']
  return {
    line(part, end) {
      out.add(ENDS[waiting])
      const line = cut.length === 0 ? part : Buffer.concat([cut, part])
      cut = ENDS['']
      if (end === '') {
        const equals = line.lastIndexOf(EQUALS)
        const whole = equals === -1 || equals < line.length - 2 ? line.length : equals
        cut = Buffer.from(line.subarray(whole))
        out.add(unquoted(line.subarray(0, whole)))
        waiting = ''
        return
      }
      const length = trimmedLength(line)
      const soft = line[length - 1] === EQUALS
      out.add(unquoted(line.subarray(0, soft ? length - 1 : length)))
      waiting = soft ? '' : end
    },
    end() {
      out.add(cut)
      out.end()
    },
  }
}

function trimmedLength(line: Buffer): number {
  let length = line.length
  while (length > 0 && (line[length - 1] === 0x20 || line[length - 1] === 0x09)) length--
  return length
}

/** Replaces `=XX` by its byte; any other equals sign is kept. */
export function unquoted(line: Buffer): Buffer {
  let at = line.indexOf(EQUALS)
  if (at === -1) return line
  const out = Buffer.allocUnsafe(line.length)
  let size = line.copy(out, 0, 0, at)
  for (; at < line.length; at++) {
    const byte = line[at] as number
    const value = byte === EQUALS ? hexAt(line, at + 1) : -1
    out[size++] = value === -1 ? byte : value
    if (value !== -1) at += 2
  }
  return out.subarray(0, size)
}

function hexAt(line: Buffer, at: number): number {
  const high = hexDigit(line[at])
  const low = hexDigit(line[at + 1])
  return high === -1 || low === -1 ? -1 : high * 16 + low
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte & 0xdf
  return letter >= 0x41 && letter <= 0x46 ? letter - 0x37 : -1
}

function uuencoded(give: Give): TransferDecoder {
  const out = gathering(give)
  let inside = false
  return {
    line(line) {
      if (!inside) {
        inside = /^begin [0-7]{3,4} /.test(line.toString('latin1', 0, 20))
        return
      }
      const count = ((line[0] ?? 0x20) - 0x20) & 63
      if (line.length === 0 || count === 0 || line.toString('latin1', 0, 3) === 'end') return
      const bytes = Buffer.alloc(count)
      const six = (i: number) => ((line[i] ?? 0x20) - 0x20) & 63
      for (let i = 0, at = 1; i < count; i += 3, at += 4) {
        const group = (six(at) << 18) | (six(at + 1) << 12) | (six(at + 2) << 6) | six(at + 3)
        for (let k = 0; k < 3 && i + k < count; k++) bytes[i + k] = (group >> (16 - 8 * k)) & 255
      }
      out.add(bytes)
    },
    end: () => out.end(),
  }
}
