import { decodeWords } from './headers.ts'

export interface Address {
  name: string
  /** In lower case; empty if there is none. */
  address: string
}

const MOST_ADDRESSES = 10_000

/** The addresses of a header such as To. Groups are expanded; a comment is the name if there is no other. */
export function parseAddresses(text: string): Address[] {
  const found: Address[] = []
  for (const part of splitList(text)) {
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
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (char === '\\' && (quoted || comment > 0)) {
      part += char + (text[++at] ?? '')
      continue
    }
    if (char === '"' && comment === 0) quoted = !quoted
    else if (!quoted && char === '(') comment++
    else if (!quoted && char === ')' && comment > 0) comment--
    else if (!quoted && comment === 0) {
      if (char === '<') angle = true
      else if (char === '>') angle = false
      else if (char === ':' && !angle && !part.includes('@')) {
        part = ''
        continue
      } else if ((char === ',' && !angle) || char === ';') {
        parts.push(part)
        part = ''
        continue
      }
    }
    part += char
  }
  parts.push(part)
  return parts
}

function parseAddress(part: string): Address | null {
  const comments: string[] = []
  const plain = part.replace(/\(((?:[^()\\]|\\.)*)\)/g, (whole, comment: string) => {
    comments.push(comment.replace(/\\(.)/g, '$1'))
    return whole.length > 0 ? ' ' : ''
  })
  const angle = /^([\s\S]*)<([^<>]*)>?[^<>]*$/.exec(plain)
  const address = clean(angle ? (angle[2] ?? '') : plain).replace(/\s+/g, angle ? '' : ' ')
  const written = angle ? unquote(angle[1] ?? '') : ''
  const name = clean(decodeWords(written === '' ? (comments.join(' ') ?? '') : written))
  if (address === '' && name === '') return null
  // List archives write `ada at example.org` to hide addresses from robots.
  const isAddress = /@|^\S+ at \S+\.\S+$/.test(address)
  if (!isAddress && !angle) return { name: clean(decodeWords(unquote(plain))), address: '' }
  return { name: name.toLowerCase() === address.toLowerCase() ? '' : name, address: address.toLowerCase() }
}

function unquote(text: string): string {
  return text.trim().replace(/"((?:[^"\\]|\\.)*)"?/g, (_, inner: string) => inner.replace(/\\(.)/g, '$1'))
}

function clean(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** An address in readable form. */
export function addressText({ name, address }: Address): string {
  if (name === '') return address
  return address === '' ? name : `${name} <${address}>`
}
