import type { LineTaker } from '../lines.ts'
import type { Headers } from './headers.ts'
import type { Attachment, BlobLeaf, TextLeaf } from './leaf.ts'

/** What a person finds in a message: its text, what is attached, and what can be read of that. */
export interface ReadableContent {
  body: string
  attachments: Attachment[]
  attachmentTexts: string[]
}

/** A message that was read to its end. */
export interface ParsedMessage extends ReadableContent {
  headers: Headers
  /** Of the body's lines, however they ended; blank lines at the end do not count. */
  bodyDigest: Buffer
}

/** A multipart with what was found in it. */
export interface Container {
  kind: 'container'
  type: string
  boundary: string
  children: Part[]
  preamble: Buffer[]
  preambleBytes: number
}

/** A message inside another one, which is read like it. */
export interface InnerMessage {
  line: LineTaker
  end(): ParsedMessage
}

/** What a message is made of, as far as it was read. */
export type Part =
  | Container
  | { kind: 'text'; leaf: TextLeaf }
  | { kind: 'blob'; leaf: BlobLeaf; inner: InnerMessage | null }
