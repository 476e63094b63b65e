import { isAscii, isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'
import { RecentlyUsed } from '../../model/recently-used.ts'
import { likelyCharset } from '../reading/legacy-charset.ts'

const ALIASES = new Map(
  Object.entries({
    'utf-8n': 'utf-8',
    cp932: 'shift_jis',
    'ks_c_5601-1987': 'euc-kr',
    euc_jp: 'euc-jp',
    euc_kr: 'euc-kr',
    'win-1251': 'windows-1251',
    'win-1252': 'windows-1252',
    macroman: 'macintosh',
    'unicode-1-1-utf-7': 'utf-7',
  }),
)
/** Names that are often wrong, so the charset is guessed from the bytes. */
const MEANINGLESS =
  /^(|us-ascii|ascii|ansi_x3\.4-1968|646|iso-?8859-?1|latin-?1|windows-1252|cp-?1252|utf-?8|unknown.*|x-unknown|none|default|8bit|7bit)$/
/** Charsets whose bytes all look like ASCII. */
const SHIFTING = /^(iso-2022-|hz|utf-7|utf-16|ucs-2)/

/** Encodings that iconv-lite has beside charsets, or reads slowly. */
const NO_CHARSETS = new Set(['utf7', 'utf7imap', 'base64', 'hex'])

type Decoder = (bytes: Buffer) => string

const MOST_CHARSETS = 200
const decoders = new RecentlyUsed<Decoder>(MOST_CHARSETS)

/** Bytes as text. A wrong or nonsensical charset never fails: the likely one is guessed from the bytes. */
export function decodeText(bytes: Uint8Array, charset = ''): string {
  let decoder = decoders.known(charset)
  if (!decoder) {
    decoder = decoderOf(nameOf(charset))
    decoders.set(charset, decoder)
  }
  return decoder(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

function nameOf(charset: string): string {
  const plain = charset
    .toLowerCase()
    .replace(/^charset=/, '')
    .replace(/[\s"'<>,;].*$|^3d/g, '')
    .replace(/\*.*$/, '')
  const known = ALIASES.get(plain) ?? plain
  return known.replace(/^cp-(\d+)$/, 'cp$1').replace(/^iso8859-?(\d+)$/, 'iso-8859-$1')
}

function decoderOf(name: string): Decoder {
  if (SHIFTING.test(name)) return shiftingDecoder(name)
  const decode = MEANINGLESS.test(name) ? (bytes: Buffer) => likely(bytes, name) : namedDecoder(name)
  return bytes => (isAscii(bytes) ? bytes.toString('latin1') : decode(bytes))
}

function shiftingDecoder(name: string): Decoder {
  if (/^(utf-16|ucs-2)/.test(name)) return bytes => utf16(bytes, name)
  if (/^iso-2022-(jp|kr)/.test(name)) return bytes => decodeIso2022(bytes, plain => likely(plain, ''))
  if (/^hz(-gb-2312)?$/.test(name)) return decodeHz
  return name === 'utf-7' ? decodeUtf7 : namedDecoder(name)
}

function namedDecoder(name: string): Decoder {
  if (name.startsWith('iso-10646-ucs-2')) return bytes => utf16(bytes, name)
  try {
    const decoder = new TextDecoder(name)
    return bytes => decoder.decode(bytes)
  } catch {
    // Not one of the web's encodings; iconv-lite may support it.
    const isCharset = !NO_CHARSETS.has(name.replace(/[^a-z\d]/g, '')) && iconv.encodingExists(name)
    return isCharset ? bytes => iconv.decode(bytes, name) : bytes => likely(bytes, '')
  }
}

/** UTF-8 if the bytes are mostly valid UTF-8; otherwise the charset that they look like. */
function likely(buffer: Buffer, name: string): string {
  if (isUtf8(buffer)) return buffer.toString('utf8').replace(/^\uFEFF/, '')
  if (/^utf-?8$/.test(name)) {
    const text = new TextDecoder('utf-8').decode(buffer)
    const broken = text.split('\uFFFD').length - 1
    const whole = text.match(/[^\p{ASCII}\uFFFD]/gu)?.length ?? 0
    if (whole >= broken) return text
  }
  const charset = likelyCharset(buffer)
  return charset === 'windows-1252' ? WINDOWS_1252.decode(buffer) : namedDecoder(charset)(buffer)
}

/** Mail labelled UTF-16 is often something else, such as ASCII with single characters in UTF-16 after a marker. */
function utf16(buffer: Buffer, name: string): string {
  const sample = buffer.subarray(0, 4096)
  const plain = sample.filter(byte => byte >= 0x20 && byte < 0x7f).length
  const zeros = sample.filter(byte => byte === 0).length
  if (plain > 0.7 * sample.length && zeros < 0.1 * sample.length) {
    const marked = /\xfe\xff([\s\S])([\s\S])/g
    const unit = (_: string, high: string, low: string) =>
      String.fromCharCode(high.charCodeAt(0) * 256 + low.charCodeAt(0))
    const text = buffer.toString('latin1')
    return marked.test(text) ? text.replace(marked, unit) : likely(buffer, '')
  }
  const mark = buffer.length >= 2 ? buffer.readUInt16BE(0) : 0
  if (mark === 0xfeff) return new TextDecoder('utf-16be').decode(buffer)
  if (mark === 0xfffe) return new TextDecoder('utf-16le').decode(buffer)
  const big = name.endsWith('be') || (!name.endsWith('le') && buffer[0] === 0)
  return new TextDecoder(big ? 'utf-16be' : 'utf-16le').decode(buffer)
}

const WINDOWS_1252 = new TextDecoder('windows-1252')

const ESC = 0x1b
const SHIFT_OUT = 0x0e
const SHIFT_IN = 0x0f

const EUC_JP = new TextDecoder('euc-jp')
const EUC_KR = new TextDecoder('euc-kr')
const GBK = new TextDecoder('gbk')
const GREEK = new TextDecoder('iso-8859-7')

/** The character sets that escape sequences select, each as bytes of a charset that the platform supports. */
const SETS: Record<string, ((bytes: Buffer) => string) | 'plain'> = {
  '(B': 'plain',
  '(J': 'plain',
  '(I': bytes => EUC_JP.decode(Buffer.from([...bytes].flatMap(byte => [0x8e, byte | 0x80]))),
  $B: bytes => EUC_JP.decode(high(bytes)),
  '$@': bytes => EUC_JP.decode(high(bytes)),
  $A: bytes => GBK.decode(high(bytes)),
  '$(C': bytes => EUC_KR.decode(high(bytes)),
  '$(D': bytes => EUC_JP.decode(paired(high(bytes), 0x8f)),
  // A character set of Emacs: Unicode from U+0100 in byte pairs.
  '$,1': bytes => fromPairs(bytes),
}

/**
 * ISO-2022-JP with its extensions 1, 2 and 3, and ISO-2022-KR. Bytes that belong to none of the sets are decoded by
 * `plain`, because programs write other charsets there.
 */
function decodeIso2022(bytes: Buffer, plain: (bytes: Buffer) => string): string {
  const out: string[] = []
  let set: (typeof SETS)[string] = 'plain'
  let start = 0
  let single: 'latin' | 'greek' = 'latin'
  const flush = (end: number) => {
    const run = bytes.subarray(start, end)
    if (run.length > 0) out.push(set === 'plain' ? plain(run) : set(run))
  }
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === SHIFT_OUT || byte === SHIFT_IN || byte === 0x0a) {
      flush(at)
      set = byte === SHIFT_OUT ? (SETS['$(C'] as (bytes: Buffer) => string) : 'plain'
      start = byte === 0x0a ? at : at + 1
      continue
    }
    if (byte !== ESC) continue
    const next = bytes.toString('latin1', at + 1, at + 4)
    const called = ['$(C', '$(D', '$,1', '(B', '(J', '(I', '$B', '$@', '$A'].find(name =>
      next.startsWith(name),
    )
    if (next.startsWith('$)C') || next.startsWith('.A') || next.startsWith('.F')) {
      flush(at)
      if (next[0] === '.') single = next[1] === 'F' ? 'greek' : 'latin'
      at += next[0] === '.' ? 2 : 3
    } else if (next.startsWith('N')) {
      flush(at)
      const shown = Buffer.from([(bytes[at + 2] ?? 0x20) | 0x80])
      out.push(single === 'greek' ? GREEK.decode(shown) : shown.toString('latin1'))
      at += 2
    } else if (called !== undefined) {
      flush(at)
      set = SETS[called] ?? 'plain'
      at += called.length
    } else continue
    start = at + 1
  }
  flush(bytes.length)
  return out.join('')
}

/** HZ: pairs of GB 2312 between `~{` and `~}`. */
function decodeHz(bytes: Buffer): string {
  const text = bytes.toString('latin1').replaceAll('~\n', '')
  return text.replace(/~\{([\s\S]*?)(?:~\}|$)|~~/g, (found, pairs: string | undefined) =>
    pairs === undefined ? found.slice(1) : GBK.decode(high(Buffer.from(pairs, 'latin1'))),
  )
}

const PLUS = 0x2b
const MINUS = 0x2d
const NO_LETTER = 64
/** What each byte is worth as a letter of Base64. */
const BASE64 = new Uint8Array(256).fill(NO_LETTER)
for (const [value, letter] of Buffer.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
).entries())
  BASE64[letter] = value

/** UTF-7: ASCII, and units of UTF-16 in Base64 between `+` and `-` or any other character. */
function decodeUtf7(bytes: Buffer): string {
  const units = Buffer.alloc(bytes.length * 2)
  let end = 0
  const add = (unit: number) => {
    units[end++] = unit & 0xff
    units[end++] = unit >> 8
  }
  let letters: number | null = null
  let held = 0
  let bits = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    const value = letters === null ? NO_LETTER : (BASE64[byte] as number)
    if (letters === null && byte === PLUS) {
      letters = 0
      bits = 0
    } else if (letters === null) add(byte < 0x80 ? byte : 0xfffd)
    else if (value !== NO_LETTER) {
      letters++
      held = ((held << 6) | value) & 0x3fffff
      bits += 6
      if (bits < 16) continue
      bits -= 16
      add((held >> bits) & 0xffff)
    } else {
      if (byte !== MINUS) at--
      else if (letters === 0) add(PLUS)
      letters = null
    }
  }
  return units.toString('utf16le', 0, end).replace(/^\uFEFF/, '')
}

function fromPairs(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    text += String.fromCharCode(
      0x100 + ((bytes[at] as number) - 0x20) * 96 + (bytes[at + 1] as number) - 0x20,
    )
  }
  return text
}

function high(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map(byte => (byte > 0x20 ? byte | 0x80 : byte)))
}

function paired(bytes: Buffer, prefix: number): Buffer {
  const out: number[] = []
  for (let at = 0; at < bytes.length; at += 2) out.push(prefix, bytes[at] as number, bytes[at + 1] ?? 0xa1)
  return Buffer.from(out)
}
