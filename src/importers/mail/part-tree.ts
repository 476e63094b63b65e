import { createHash, type Hash } from 'node:crypto'
import { blobIdOf } from '../../model/declaration/blob.ts'
import { wholeCharacters } from '../../model/text/code-points.ts'
import type { LineTaker } from '../lines.ts'
import { mimeTypeOf } from '../reading/attached-files.ts'
import { textOfHtml } from '../reading/html-text.ts'
import { decodeText } from './charset.ts'
import type { Headers, PartFacts } from './headers.ts'

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
interface InnerMessage {
  line: LineTaker
  end(): ParsedMessage
}

export type Part =
  | Container
  | { kind: 'text'; leaf: TextLeaf }
  | { kind: 'blob'; leaf: BlobLeaf; inner: InnerMessage | null }

/** Bytes for the blob store. A large part is emitted in chunks between `open` and `close`. */
export type BlobPart =
  | { part: 'whole'; mime_type: string; blob_id: string; bytes: Buffer }
  | { part: 'open'; mime_type: string }
  | { part: 'bytes'; bytes: Buffer }
  | { part: 'close' }

export interface Attachment {
  blob_id: string
  name: string | null
  mime_type: string
  size_bytes: number
  content_id: string | null
}

/** Takes the decoded bytes of a part. */
export interface Leaf {
  write(bytes: Buffer): void
  end(): void
}

const MOST_BYTES_AT_ONCE = 1024 * 1024
/** A longer body becomes an attachment; its start remains the body. */
const MOST_BODY_BYTES = 8 * 1024 * 1024
const MOST_ATTACHMENT_TEXT_BYTES = 1024 * 1024

type LeafFacts = Pick<PartFacts, 'type' | 'charset' | 'softBreak' | 'name' | 'content_id'>

/** A part that is written to the blob store. */
export class BlobLeaf implements Leaf {
  readonly #facts: LeafFacts
  readonly #emit: (part: BlobPart) => void
  readonly #hash: Hash = createHash('sha256')
  #held: Buffer[] = []
  #size = 0
  #streaming = false
  attachment: Attachment | null = null
  /** The text of a small text file. */
  text: string | null = null

  constructor(facts: LeafFacts, emit: (part: BlobPart) => void) {
    this.#facts = facts
    this.#emit = emit
  }

  write(bytes: Buffer): void {
    this.#hash.update(bytes)
    this.#size += bytes.length
    if (this.#streaming) {
      this.#emit({ part: 'bytes', bytes })
      return
    }
    this.#held.push(bytes)
    if (this.#size <= MOST_BYTES_AT_ONCE) return
    this.#streaming = true
    this.#emit({ part: 'open', mime_type: this.#mimeType })
    for (const held of this.#held) this.#emit({ part: 'bytes', bytes: held })
    this.#held = []
  }

  end(): void {
    const blob_id = blobIdOf(this.#hash)
    const { name, content_id, type, charset } = this.#facts
    if (this.#streaming) this.#emit({ part: 'close' })
    else {
      const bytes = Buffer.concat(this.#held)
      this.#held = []
      if (type.startsWith('text/') && bytes.length <= MOST_ATTACHMENT_TEXT_BYTES)
        this.text = readable(bytes, type, charset)
      this.#emit({ part: 'whole', mime_type: this.#mimeType, blob_id, bytes })
    }
    this.attachment = { blob_id, name, mime_type: this.#mimeType, size_bytes: this.#size, content_id }
  }

  get #mimeType(): string {
    return mimeTypeOf(this.#facts.type)
  }
}

/** A part that is read as text. */
export class TextLeaf implements Leaf {
  readonly facts: LeafFacts
  readonly #emit: (part: BlobPart) => void
  #held: Buffer[] = []
  #size = 0
  #overflow: BlobLeaf | null = null

  constructor(facts: LeafFacts, emit: (part: BlobPart) => void) {
    this.facts = facts
    this.#emit = emit
  }

  write(bytes: Buffer): void {
    this.#size += bytes.length
    if (this.#overflow) {
      this.#overflow.write(bytes)
      return
    }
    this.#held.push(bytes)
    if (this.#size <= MOST_BODY_BYTES) return
    this.#overflow = new BlobLeaf(this.facts, this.#emit)
    const given = this.#held
    // A copy, because the memory of chunks belongs to the reader of the blob.
    this.#held = [wholeLines(Buffer.concat(given))]
    for (const held of given) this.#overflow.write(held)
  }

  end(): void {
    this.#overflow?.end()
  }

  get attachment(): Attachment | null {
    return this.#overflow?.attachment ?? null
  }

  /** The readable text. Can be called once. */
  text(): string {
    const bytes = this.#held.length === 1 ? (this.#held[0] as Buffer) : Buffer.concat(this.#held)
    this.#held = []
    const { type, charset, softBreak } = this.facts
    const written = readable(bytes, type, charset)
    const text = type === 'text/plain' && softBreak !== null ? unflowed(written, softBreak) : written
    return this.#overflow && text.endsWith('\ufffd') ? text.slice(0, -1) : text
  }
}

/**
 * Cuts at a line break in the second half, or else after the last complete UTF-8 character, so that no character is
 * split.
 */
function wholeLines(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(0x0a)
  return end > bytes.length / 2 ? bytes.subarray(0, end) : wholeCharacters(bytes)
}

function readable(bytes: Buffer, type: string, charset: string | undefined): string {
  const declared = charset ?? (type === 'text/html' ? charsetInHtml(bytes) : undefined)
  const text = decodeText(bytes, declared)
  if (type === 'text/html') return textOfHtml(text)
  const plain = text.replace(/\r\n?/g, '\n')
  return type === 'text/enriched' || type === 'text/richtext' ? withoutCommands(plain) : plain
}

function charsetInHtml(bytes: Buffer): string | undefined {
  return /<meta[^>]{1,200}charset=["']?([\w.:-]{1,40})/i.exec(bytes.toString('latin1', 0, 2048))?.[1]
}

/** RFC 1896: commands in angle brackets, `<<` for a bracket, single line breaks are spaces. */
function withoutCommands(text: string): string {
  return text
    .replace(/<<|<[^<>]{1,60}>/g, found => (found === '<<' ? '<' : ''))
    .replace(/(?<!\n)\n(?!\n)/g, ' ')
}

const SIGNATURE = /^(?:- )?-- $/

/** Paragraphs of flowed text as single lines (RFC 3676). Quote marks, signatures and empty lines are kept. */
function unflowed(text: string, softBreak: ' ' | ''): string {
  const parts: string[] = []
  /** The quote depth of the paragraph that the next line may continue. */
  let open: number | null = null
  for (const line of text.split('\n')) {
    const depth = quoteDepth(line)
    const content = line.slice(line[depth] === ' ' ? depth + 1 : depth)
    const standsAlone = SIGNATURE.test(content) || content.trim() === ''
    if (open !== depth || standsAlone) {
      if (parts.length > 0) parts.push('\n')
      if (depth > 0) parts.push(line.slice(0, -content.length || undefined))
    }
    const isSoft = content.endsWith(' ') && !standsAlone
    parts.push(isSoft ? content.slice(0, -1) + softBreak : content)
    open = isSoft ? depth : null
  }
  return parts.join('')
}

function quoteDepth(line: string): number {
  let depth = 0
  while (line[depth] === '>') depth++
  return depth
}
