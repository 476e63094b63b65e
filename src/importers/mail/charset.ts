import { isAscii, isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'

const ALIASES: Record<string, string> = {
  'iso-2022-jp-1': 'iso-2022-jp',
  'iso-2022-jp-2': 'iso-2022-jp',
  'iso-2022-jp-ms': 'iso-2022-jp',
  'utf-8n': 'utf-8',
  cp932: 'shift_jis',
  'ks_c_5601-1987': 'euc-kr',
  euc_jp: 'euc-jp',
  euc_kr: 'euc-kr',
  'win-1251': 'windows-1251',
  'win-1252': 'windows-1252',
  macroman: 'macintosh',
  'unicode-1-1-utf-7': 'utf-7',
}
/** Names that say nothing: the bytes decide. */
const MEANINGLESS =
  /^(|us-ascii|ascii|ansi_x3\.4-1968|646|iso-?8859-?1|latin-?1|windows-1252|cp-?1252|utf-?8|unknown.*|x-unknown|none|default|8bit|7bit)$/
/** Charsets whose bytes all look like ASCII. */
const SHIFTING = /^(iso-2022-|hz|utf-7|utf-16|ucs-2)/

const decoders = new Map<string, InstanceType<typeof TextDecoder> | null>()

/** Bytes as text. A wrong or nonsensical charset never fails: the bytes themselves say what is likely. */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const name = nameOf(charset)
  if (!SHIFTING.test(name) && isAscii(buffer)) return buffer.toString('latin1')
  if (MEANINGLESS.test(name)) return likely(buffer, name)
  if (/^(utf-16|ucs-2|iso-10646-ucs-2)/.test(name)) return utf16(buffer, name)
  if (name === 'iso-2022-kr') return decoderOf('euc-kr')?.decode(shifted(buffer)) ?? likely(buffer, '')
  if (/^hz(-gb-2312)?$/.test(name)) return decoderOf('gbk')?.decode(tilded(buffer)) ?? likely(buffer, '')
  const decoder = decoderOf(name)
  if (decoder) return decoder.decode(buffer)
  if (iconv.encodingExists(name)) return iconv.decode(buffer, name)
  return likely(buffer, '')
}

function nameOf(charset: string | undefined): string {
  const plain = (charset ?? '')
    .toLowerCase()
    .replace(/^charset=/, '')
    .replace(/[\s"'<>,;].*$|^3d/g, '')
    .replace(/\*.*$/, '')
  const known = ALIASES[plain] ?? plain
  return known.replace(/^cp-(\d+)$/, 'cp$1').replace(/^iso8859-?(\d+)$/, 'iso-8859-$1')
}

function decoderOf(name: string): InstanceType<typeof TextDecoder> | null {
  const known = decoders.get(name)
  if (known !== undefined) return known
  let decoder: InstanceType<typeof TextDecoder> | null = null
  try {
    decoder = new TextDecoder(name)
  } catch {
    // Not one of the web's encodings; iconv-lite may know it.
  }
  if (decoders.size > 200) decoders.clear()
  decoders.set(name, decoder)
  return decoder
}

/** UTF-8 where the bytes are that, or nearly; else what western mail programs mean when they say nothing. */
function likely(buffer: Buffer, name: string): string {
  if (isUtf8(buffer)) return withoutMark(buffer.toString('utf8'))
  if (/^utf-?8$/.test(name)) {
    const text = new TextDecoder('utf-8').decode(buffer)
    const broken = text.split('\uFFFD').length - 1
    const whole = text.match(/[^\p{ASCII}\uFFFD]/gu)?.length ?? 0
    if (whole >= broken) return text
  }
  return decoderOf('windows-1252')?.decode(buffer) ?? buffer.toString('latin1')
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

/** Mail that says UTF-16 is often something else: real UTF-16 holds zero bytes or a mark. */
function utf16(buffer: Buffer, name: string): string {
  const mark = buffer.length >= 2 ? buffer.readUInt16BE(0) : 0
  if (mark === 0xfeff) return new TextDecoder('utf-16be').decode(buffer)
  if (mark === 0xfffe) return new TextDecoder('utf-16le').decode(buffer)
  if (!buffer.subarray(0, 4096).includes(0)) return likely(buffer, '')
  const big = name.endsWith('be') || (!name.endsWith('le') && buffer[0] === 0)
  return new TextDecoder(big ? 'utf-16be' : 'utf-16le').decode(buffer)
}

/** ISO-2022-KR as EUC-KR: between SO and SI each byte gets its high bit. */
function shifted(buffer: Buffer): Buffer {
  const out: number[] = []
  let high = 0
  for (let i = 0; i < buffer.length; i++) {
    const byte = buffer[i] as number
    if (byte === 0x1b && buffer.toString('latin1', i, i + 4) === '\x1b$)C') i += 3
    else if (byte === 0x0e) high = 0x80
    else if (byte === 0x0f || byte === 0x0a) {
      high = 0
      if (byte === 0x0a) out.push(byte)
    } else out.push(byte > 0x20 ? byte | high : byte)
  }
  return Buffer.from(out)
}

/** HZ as GB 2312: between `~{` and `~}` each byte gets its high bit. */
function tilded(buffer: Buffer): Buffer {
  const out: number[] = []
  let high = 0
  for (let i = 0; i < buffer.length; i++) {
    const pair = buffer.toString('latin1', i, i + 2)
    if (pair === '~{') high = 0x80
    else if (pair === '~}') high = 0
    else if (pair === '~~') out.push(0x7e)
    else if (pair !== '~\n') {
      out.push((buffer[i] as number) | ((buffer[i] as number) > 0x20 ? high : 0))
      continue
    }
    i++
  }
  return Buffer.from(out)
}
