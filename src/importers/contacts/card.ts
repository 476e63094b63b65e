import iconv from 'iconv-lite'
import { blobIdOf, type TakenBytes } from '../../model/declaration/blob.ts'

/** A property of a card: `item1.TEL;TYPE=home:+49 30 1234`. */
export interface CardProperty {
  name: string
  /** `item1`, which it shares with its label; null if it has none. */
  group: string | null
  parameters: Map<string, string[]>
  /** As written, with its encoding removed. */
  value: string
}

/** The properties of a card of version 2.1, 3.0 or 4.0. */
export function propertiesOf(lines: readonly string[]): CardProperty[] {
  return unfolded(lines).flatMap(line => {
    const colon = colonIn(line)
    if (colon < 0) return []
    const [written = '', ...rest] = line.slice(0, colon).match(/(?:"[^"]*"|[^;])+/g) ?? []
    const parameters = new Map<string, string[]>()
    for (const parameter of rest) {
      const equals = parameter.indexOf('=')
      // Version 2.1 writes `TEL;HOME` for `TEL;TYPE=HOME`, and the names of encodings alone.
      const bare = parameter.toUpperCase()
      const key =
        equals >= 0 ? bare.slice(0, equals) : /^(QUOTED-PRINTABLE|BASE64|B)$/.test(bare) ? 'ENCODING' : 'TYPE'
      const values = parameter
        .slice(equals + 1)
        .replaceAll('"', '')
        .split(',')
      const known = parameters.get(key)
      if (known) for (const value of values) known.push(value)
      else parameters.set(key, values)
    }
    const [, group = null, name = ''] = /^(?:(.*)\.)?(.*)$/s.exec(written.trim().toUpperCase()) ?? []
    return [{ name, group, parameters, value: decoded(line.slice(colon + 1), parameters) }]
  })
}

/** Joins continued lines: those that begin with a space, and quoted-printable ones that end with `=`. */
function unfolded(lines: readonly string[]): string[] {
  const whole: string[] = []
  for (const line of lines) {
    const last = whole.at(-1)
    if (last !== undefined && /^[ \t]/.test(line)) whole[whole.length - 1] = last + line.slice(1)
    else if (last?.endsWith('=') && /QUOTED-PRINTABLE/i.test(last.split(':')[0] ?? '')) {
      whole[whole.length - 1] = `${last}\n${line}`
    } else whole.push(line)
  }
  return whole
}

function colonIn(line: string): number {
  let isQuoted = false
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted
    else if (line[at] === ':' && !isQuoted) return at
  }
  return -1
}

function decoded(value: string, parameters: CardProperty['parameters']): string {
  if (!parameters.get('ENCODING')?.some(encoding => /^quoted-printable$/i.test(encoding))) return value
  const joined = value.replace(/=\r?\n/g, '')
  const bytes = Buffer.from(
    joined.replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
  const charset = parameters.get('CHARSET')?.[0] ?? 'utf-8'
  return iconv.decode(bytes, iconv.encodingExists(charset) ? charset : 'utf-8')
}

/** `\n`, `\,` and the like as characters. */
export function plain(value: string): string {
  return value.replace(/\\([nN,;:\\])/g, (_, escaped: string) => (/n/i.test(escaped) ? '\n' : escaped)).trim()
}

/** The parts between semicolons or commas that are not escaped. */
export function partsOf(value: string, separator: ';' | ','): string[] {
  const parts =
    value.match(separator === ';' ? /(?:\\.|[^\\;])+|(?<=;|^)(?=;|$)/gs : /(?:\\.|[^\\,])+/gs) ?? []
  return parts.map(plain)
}

/** A picture embedded in the card. */
export function pictureIn({ parameters, value }: CardProperty): TakenBytes | null {
  const inline = /^data:([\w/+.-]+)?;base64,(.*)$/is.exec(value)
  const isEncoded = parameters.get('ENCODING')?.some(encoding => /^(b|base64)$/i.test(encoding)) === true
  const base64 = inline?.[2] ?? (isEncoded ? value : null)
  if (base64 === null) return null
  const bytes = Buffer.from(base64.replace(/\s/g, ''), 'base64')
  if (bytes.length === 0) return null
  const type = (inline?.[1] ?? parameters.get('TYPE')?.[0] ?? 'jpeg').toLowerCase()
  const blob_id = blobIdOf(bytes)
  return { mime_type: type.includes('/') ? type : `image/${type.replace('jpg', 'jpeg')}`, blob_id, bytes }
}
