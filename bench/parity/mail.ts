import { type PlainMessage, plainTime } from './texts.ts'

const BORDER = /^(?=From \S.*\d{4}$)/m
const HEADERS = /^(From|Return-Path|Received|Delivered-To|Date|Subject|Message-ID|MIME-Version):? /im

/** Whether a file, read byte by byte, is one mail or several. */
export function isMail(bytes: string): boolean {
  return (
    HEADERS.test(bytes.slice(0, 200)) && /^(Date|Subject|From|Content-Type):/im.test(bytes.slice(0, 5_000))
  )
}

export function mailsOf(bytes: string): string[] {
  return bytes.split(BORDER).filter(mail => mail.trim() !== '')
}

export function mailMessage(bytes: string): PlainMessage {
  const { head, body } = partsOf(bytes)
  return {
    subject: decodeWords(header(head, 'Subject')),
    from: decodeWords(header(head, 'From')),
    body: wellFormed(textOf(head, body)),
    received_at: plainTime(Date.parse(header(head, 'Date'))),
  }
}

function partsOf(bytes: string): { head: string; body: string } {
  const end = bytes.indexOf('\n\n')
  if (end === -1) return { head: '', body: bytes }
  return { head: bytes.slice(0, end).replace(/\n[ \t]+/g, ' '), body: bytes.slice(end + 2) }
}

function header(head: string, name: string): string {
  return new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1] ?? ''
}

/** The text parts of a body in their character sets; other parts are left out. */
function textOf(head: string, body: string, depth = 0): string {
  const type = header(head, 'Content-Type')
  const boundary = /boundary="?([^";]+)/i.exec(type)?.[1]
  if (/^multipart\//i.test(type) && boundary && depth < 5) {
    const parts = body
      .split(`--${boundary}`)
      .slice(1)
      .map(part => partsOf(part.replace(/^[^\n]*\n/, '')))
    return parts.map(part => textOf(part.head, part.body, depth + 1)).join('\n')
  }
  if (type !== '' && !/^(text|message)\b/i.test(type)) return ''
  const charset = /charset="?([^";\s]+)/i.exec(type)?.[1] ?? 'utf-8'
  return decode(header(head, 'Content-Transfer-Encoding').trim().toLowerCase(), charset, body)
}

function decode(encoding: string, charset: string, bytes: string): string {
  const plain =
    encoding === 'base64'
      ? Buffer.from(bytes, 'base64')
      : Buffer.from(encoding === 'quoted-printable' ? unquoted(bytes) : bytes, 'latin1')
  try {
    return new TextDecoder(charset).decode(plain)
  } catch {
    return plain.toString('utf8')
  }
}

function unquoted(text: string): string {
  return text
    .replace(/=[ \t]*\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Headers name their character set word by word. */
function decodeWords(value: string): string {
  const words = value.replace(/=\?([^?]+)\?([bq])\?([^?]*)\?=\s*/gi, (_, charset, kind, text) =>
    kind.toLowerCase() === 'b'
      ? decode('base64', charset, text)
      : decode('quoted-printable', charset, text.replaceAll('_', ' ')),
  )
  return wellFormed(words === value ? Buffer.from(value, 'latin1').toString('utf8') : words)
}

function wellFormed(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}
