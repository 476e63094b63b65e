import { decodeWords } from './headers.ts'

interface Address {
  name: string
  /** In lower case; empty if there is none. */
  address: string
}

const MOST_ADDRESSES = 10_000

/** The addresses of headers such as To. Groups are expanded; a comment is the name if there is no other. */
export function parseAddresses(texts: readonly string[]): Address[] {
  const found: Address[] = []
  for (const part of texts.flatMap(splitList)) {
    if (found.length >= MOST_ADDRESSES) break
    const address = parseAddress(part)
    if (address) found.push(address)
  }
  return found
}

/** Splits at commas and semicolons outside quotes, comments and angle brackets; the name of a group is left out. */
function splitList(text: string): string[] {
  const parts: string[] = []
  let part = ''
  let quoted = false
  let comment = 0
  let angle = false
  let hasAt = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    hasAt ||= char === '@'
    if (char === '\\' && (quoted || comment > 0)) {
      const next = text[++at] ?? ''
      part += char + next
      hasAt ||= next === '@'
      continue
    }
    if (char === '"' && comment === 0) quoted = !quoted
    else if (!quoted && char === '(') comment++
    else if (!quoted && char === ')' && comment > 0) comment--
    else if (!quoted && comment === 0) {
      if (char === '<') angle = true
      else if (char === '>') angle = false
      const isGroup = char === ':' && !angle && !hasAt
      const isEnd = (char === ',' && !angle) || char === ';'
      if (isEnd) parts.push(part)
      if (isGroup || isEnd) {
        part = ''
        hasAt = false
        continue
      }
    }
    part += char
  }
  parts.push(part)
  return parts
}

// Anyone can send a mail with headers of any length, so everything here takes time in proportion to the length.

function parseAddress(part: string): Address | null {
  const { plain, comments } = withoutComments(part)
  const angle = inAngles(plain)
  const address = clean(angle ? angle.address : plain).replace(/\s+/g, angle ? '' : ' ')
  const written = angle ? unquote(angle.before) : ''
  const name = clean(decodeWords(written === '' ? comments.join(' ') : written))
  if (address === '' && name === '') return null
  const isAddress = address.includes('@') || isSpelledOut(address)
  if (!isAddress && !angle) return { name: clean(decodeWords(unquote(plain))), address: '' }
  return { name: name.toLowerCase() === address.toLowerCase() ? '' : name, address: address.toLowerCase() }
}

/** Takes out the innermost comments. */
function withoutComments(text: string): { plain: string; comments: string[] } {
  const [kept, comments]: [string[], string[]] = [[], []]
  let [from, open] = [0, -1]
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '\\' && open !== -1) at++
    else if (char === '(') open = at
    else if (char === ')' && open !== -1) {
      comments.push(text.slice(open + 1, at).replace(/\\(.)/g, '$1'))
      kept.push(text.slice(from, open))
      from = at + 1
      open = -1
    }
  }
  return { plain: [...kept, text.slice(from)].join(' '), comments }
}

/** What is inside the last angle brackets, of which the second may be missing; null if more of them close. */
function inAngles(text: string): { before: string; address: string } | null {
  const open = text.lastIndexOf('<')
  const close = text.indexOf('>', open)
  if (open === -1) return null
  if (close === -1) return { before: text.slice(0, open), address: text.slice(open + 1) }
  return text.lastIndexOf('>') > close
    ? null
    : { before: text.slice(0, open), address: text.slice(open + 1, close) }
}

/** List archives write `ada at example.org` to hide addresses from robots. */
function isSpelledOut(address: string): boolean {
  const [, at, host = '', ...more] = address.split(' ', 4)
  return at === 'at' && more.length === 0 && host.slice(1, -1).includes('.')
}

/** Outlook puts an address that stands for a name into apostrophes: `'ada@example.org'`. */
function unquote(text: string): string {
  return text
    .trim()
    .replace(/"((?:[^"\\]|\\.)*)"?/g, (_, inner: string) => inner.replace(/\\(.)/g, '$1'))
    .replace(/^'(.+)'$/, '$1')
}

function clean(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** An address in readable form. */
export function addressText({ name, address }: Address): string {
  if (name === '') return address
  return address === '' ? name : `${name} <${address}>`
}
