import { wholeCharacters } from '../../model/text/code-points.ts'
import type { SourceFile } from '../source/source.ts'
import { decodeText, isText } from '../utf8.ts'

/** What a file begins with: at most 4,096 bytes. */
export interface Head {
  path: string
  /** The bytes, one character each. */
  bytes: string
  /** The text without a byte order mark; empty if the file is not text. */
  text: string
}

/** The head of a file; null if it cannot be read. */
export async function headOf(file: SourceFile): Promise<Head | null> {
  const head = file.size === 0 ? Buffer.alloc(0) : await file.head().catch(() => null)
  if (head === null) return null
  const text = isText(head) ? decodeText(wholeCharacters(head)) : ''
  return { path: file.path, bytes: head.toString('latin1'), text }
}

/** The first characters of a file; empty if it is not text or cannot be read. */
export async function headText(file: SourceFile): Promise<string> {
  return (await headOf(file))?.text ?? ''
}

/** A test of a head. */
export type Sign = (head: Head) => boolean

/** The text matches all of the patterns. */
export function text(...patterns: RegExp[]): Sign {
  return head => patterns.every(pattern => pattern.test(head.text))
}

/** The path matches, and the text matches all of the patterns. */
export function named(path: RegExp, ...patterns: RegExp[]): Sign {
  return head => path.test(head.path) && patterns.every(pattern => pattern.test(head.text))
}

/** The file is named as JSON, and its text matches all of the patterns. */
export function json(...patterns: RegExp[]): Sign {
  return named(/\.json$/i, ...patterns)
}

/** The first bytes are one of these, given as one character each. */
export function magic(...prefixes: string[]): Sign {
  return ({ bytes }) => prefixes.some(prefix => bytes.startsWith(prefix))
}

export function anyOf(...signs: Sign[]): Sign {
  return head => signs.some(sign => sign(head))
}

/** A database of SQLite. */
export const isDatabase = magic('SQLite format 3\0')
