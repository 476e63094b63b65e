import { createHash, type Hash, hash } from 'node:crypto'
import { type LineEnd, LineSplitter } from '../lines.ts'
import { decodeWords, factsOf, Headers, type PartFacts } from './headers.ts'
import {
  type Attachment,
  BlobLeaf,
  type BlobPart,
  type Container,
  type Leaf,
  type ParsedMessage,
  type Part,
  type ReadableContent,
  TextLeaf,
} from './part-tree.ts'
import { type TransferDecoder, transferDecoder } from './transfer.ts'

const MOST_DEPTH = 20
const MOST_PARTS = 1_000
const MOST_PREAMBLE_BYTES = 1024 * 1024
const MOST_MESSAGES_INSIDE = 3

/** Reads one message from its lines. Large parts are passed on at once, so memory does not grow with the message. */
export class MessageReader {
  readonly headers = new Headers()
  readonly #emit: (part: BlobPart) => void
  readonly #inside: number
  readonly #digest = new LineDigest()
  #root: Part | null = null
  readonly #open: Container[] = []
  #partHeaders: Headers | null = this.headers
  #decoder: TransferDecoder | null = null
  #leaf: Leaf | null = null
  #parts = 0

  /** `inside`: how many messages enclose this one. */
  constructor(emit: (part: BlobPart) => void, inside = 0) {
    this.#emit = emit
    this.#inside = inside
  }

  line(line: Buffer, end: LineEnd, continues: boolean): void {
    if (this.#partHeaders !== this.headers) this.#digest.line(line, end)
    if (this.#open.length > 0 && !continues && line[0] === 0x2d && line[1] === 0x2d && this.#boundary(line))
      return
    if (this.#partHeaders) {
      if (line.length === 0 && !continues) {
        this.#beginBody(this.#partHeaders)
        return
      }
      if (this.#partHeaders.take(line, continues)) return
      if (this.#partHeaders === this.headers) this.#digest.line(line, end)
      this.#beginBody(this.#partHeaders)
    }
    if (this.#decoder) this.#decoder.line(line, end)
    else this.#preamble(line, end)
  }

  end(): ParsedMessage {
    if (this.#partHeaders) this.#beginBody(this.#partHeaders)
    this.#closeLeaf()
    return { headers: this.headers, ...readableOf(this.#root), bodyDigest: this.#digest.end() }
  }

  /** Whether the line is a boundary of an open multipart; if so, it ends the part before it. */
  #boundary(line: Buffer): boolean {
    if (line.length > 1024) return false
    const text = line.toString('latin1', 2).trimEnd()
    for (let depth = this.#open.length - 1; depth >= 0; depth--) {
      const { boundary } = this.#open[depth] as Container
      if (!text.startsWith(boundary)) continue
      const rest = text.slice(boundary.length)
      if (rest !== '' && rest !== '--') continue
      if (this.#partHeaders) this.#beginBody(this.#partHeaders)
      this.#closeLeaf()
      this.#open.length = depth + 1
      this.#partHeaders = rest === '' ? new Headers() : null
      return true
    }
    return false
  }

  #beginBody(headers: Headers): void {
    this.#partHeaders = null
    this.#parts++
    const parent = this.#open.at(-1)
    const facts = factsOf(headers, parent?.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain')
    const part = this.#partOf(facts)
    if (parent) parent.children.push(part)
    else this.#root = part
    if (part.kind === 'container') {
      this.#open.push(part)
      this.#decoder = null
      return
    }
    this.#leaf = part.leaf
    const inner = part.kind === 'blob' ? part.inner : null
    const splitter = inner && new LineSplitter((line, end, continues) => inner.line(line, end, continues))
    const { leaf } = part
    this.#decoder = transferDecoder(facts.encoding, bytes => {
      // A copy, because the memory of chunks belongs to the reader of the blob.
      splitter?.push(Buffer.from(bytes))
      leaf.write(bytes)
    })
    if (splitter) this.#leaf = { write: bytes => leaf.write(bytes), end: () => [splitter.end(), leaf.end()] }
    if (this.#parts >= MOST_PARTS) this.#open.length = 0
  }

  #partOf(facts: PartFacts): Part {
    const { type } = facts
    const emit = this.#emit
    if (
      type.startsWith('multipart/') &&
      facts.boundary &&
      this.#open.length < MOST_DEPTH &&
      this.#parts < MOST_PARTS
    ) {
      return {
        kind: 'container',
        type,
        boundary: facts.boundary,
        children: [],
        preamble: [],
        preambleBytes: 0,
      }
    }
    if (type === 'message/rfc822' || type === 'message/global') {
      const deeper = this.#inside < MOST_MESSAGES_INSIDE
      const inner = deeper ? new MessageReader(() => {}, this.#inside + 1) : null
      return { kind: 'blob', leaf: new BlobLeaf(facts, emit), inner }
    }
    const isText = /^text\/(plain|html|enriched|richtext)$/.test(type) || type.startsWith('multipart/')
    if (
      isText &&
      !facts.attached &&
      (facts.name === null || type === 'text/html' || this.#open.length === 0)
    ) {
      return { kind: 'text', leaf: new TextLeaf(facts, emit) }
    }
    return { kind: 'blob', leaf: new BlobLeaf(facts, emit), inner: null }
  }

  #closeLeaf(): void {
    this.#decoder?.end()
    this.#leaf?.end()
    this.#decoder = null
    this.#leaf = null
  }

  /** Text before the first boundary is kept: if no boundary follows, it is the body. */
  #preamble(line: Buffer, end: LineEnd): void {
    const container = this.#open.at(-1)
    if (!container || container.children.length > 0 || container.preambleBytes > MOST_PREAMBLE_BYTES) return
    container.preamble.push(Buffer.from(line), Buffer.from(end))
    container.preambleBytes += line.length + 2
  }
}

const NEWLINE = Buffer.from('\n')
const SCRATCH_BYTES = 16 * 1024
/** Scratch buffers of finished digests, for reuse. */
const spare: Buffer[] = []
const MOST_SPARE = 4
const NONE = Buffer.alloc(0)

/** Hashes lines in large steps, most messages in a single one. Line endings and trailing blank lines are ignored. */
class LineDigest {
  #hash: Hash | null = null
  #scratch = spare.pop() ?? Buffer.allocUnsafeSlow(SCRATCH_BYTES)
  #used = 0
  #breaks = 0

  line(line: Buffer, end: LineEnd): void {
    if (line.length > 0) {
      for (; this.#breaks > 0; this.#breaks--) this.#add(NEWLINE)
      this.#add(line)
    }
    if (end !== '') this.#breaks++
  }

  /** Nothing may be added after this. */
  end(): Buffer {
    const rest = this.#scratch.subarray(0, this.#used)
    const digest = this.#hash ? this.#hash.update(rest).digest() : hash('sha256', rest, 'buffer')
    if (spare.length < MOST_SPARE && this.#scratch !== NONE) spare.push(this.#scratch)
    this.#scratch = NONE
    this.#used = 0
    return digest
  }

  #add(bytes: Buffer): void {
    if (this.#used + bytes.length > SCRATCH_BYTES) {
      this.#hash ??= createHash('sha256')
      this.#hash.update(this.#scratch.subarray(0, this.#used))
      this.#used = 0
    }
    if (bytes.length > SCRATCH_BYTES) this.#hash?.update(bytes)
    else this.#used += bytes.copy(this.#scratch, this.#used)
  }
}

/** The readable content of a message, given its root part. */
function readableOf(root: Part | null): ReadableContent {
  const attachments: Attachment[] = []
  const attachmentTexts: (string | null)[] = []
  const body = root ? gather(root, attachments, attachmentTexts) : ''
  return { body: tidied(body), attachments, attachmentTexts }
}

/** The text of a part; its attachments are added to the lists, in order. */
function gather(part: Part, attachments: Attachment[], texts: (string | null)[]): string {
  if (part.kind === 'text') {
    if (part.leaf.attachment) {
      attachments.push(part.leaf.attachment)
      texts.push(null)
    }
    return part.leaf.text()
  }
  if (part.kind === 'blob') {
    const inner = part.inner?.end()
    const subject = inner && decodeWords(inner.headers.plain('subject') ?? '')
    const text = inner
      ? [subject, inner.body, ...inner.attachmentTexts].filter(Boolean).join('\n\n')
      : part.leaf.text
    if (part.leaf.attachment) {
      attachments.push(part.leaf.attachment)
      texts.push(text?.trim() || null)
    }
    return ''
  }
  if (part.children.length === 0) return textOf(part.preamble)
  if (part.type === 'multipart/alternative') return gatherAlternative(part.children, attachments, texts)
  return joinTexts(part.children.map(child => gather(child, attachments, texts)))
}

const STUB_CHARS = 200

/** Chooses the plain version of a text, unless it is only a stub that refers to another version. */
function gatherAlternative(children: Part[], attachments: Attachment[], texts: (string | null)[]): string {
  const isPlain = (child: Part) => child.kind === 'text' && child.leaf.facts.type === 'text/plain'
  const plain = joinTexts(children.filter(isPlain).map(child => gather(child, attachments, texts)))
  const others = children.filter(child => !isPlain(child))
  const enough = plain.trim().length >= STUB_CHARS
  // Other versions are converted only if they may be needed; their attachments are always kept.
  const other = others
    .map(child => (enough && child.kind === 'text' ? '' : gather(child, attachments, texts)))
    .filter(text => text.trim() !== '')
  const best = other.at(-1) ?? ''
  if (plain.trim() === '') return best
  return !enough && best.trim().length > 5 * plain.trim().length ? best : plain
}

function joinTexts(texts: string[]): string {
  return texts.filter(text => text.trim() !== '').join('\n\n')
}

function textOf(lines: Buffer[]): string {
  const leaf = new TextLeaf(
    { type: 'text/plain', charset: undefined, softBreak: null, name: null, content_id: null },
    () => {},
  )
  for (const line of lines) leaf.write(line)
  return leaf.text()
}

/** Removes blank lines at both ends; the first line keeps its indent. */
function tidied(body: string): string {
  const text = body.trimEnd()
  const first = text.search(/\S/)
  return first <= 0 ? text : text.slice(text.lastIndexOf('\n', first) + 1)
}
