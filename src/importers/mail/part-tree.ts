import type { LineTaker } from '../lines.ts'
import type { Headers } from './headers.ts'
import type { Attachment, BlobLeaf, TextLeaf } from './leaf.ts'

/** The text of a message, its attachments and their texts. */
export interface ReadableContent {
  body: string
  attachments: Attachment[]
  /** In the order of the attachments; null for one without text. */
  attachmentTexts: (string | null)[]
}

/** A complete message. */
export interface ParsedMessage extends ReadableContent {
  headers: Headers
  /** The digest of the body's lines, without line endings and trailing blank lines. */
  bodyDigest: Buffer
}

/** A multipart with its parts. */
export interface Container {
  kind: 'container'
  type: string
  boundary: string
  children: Part[]
  preamble: Buffer[]
  preambleBytes: number
}

/** A message inside another one. */
export interface InnerMessage {
  line: LineTaker
  end(): ParsedMessage
}

export type Part =
  | Container
  | { kind: 'text'; leaf: TextLeaf }
  | { kind: 'blob'; leaf: BlobLeaf; inner: InnerMessage | null }
