import { createHash } from 'node:crypto'
import { decodeWords, Headers, type Parametrized, parseParametrized } from './headers.ts'
import { type Attachment, BlobLeaf, type BlobPart, type Leaf, TextLeaf } from './leaf.ts'
import { type LineEnd, LineSplitter } from './lines.ts'
import { type TransferDecoder, transferDecoder } from './transfer.ts'

const MOST_DEPTH = 20
const MOST_PARTS = 1_000
const MOST_PREAMBLE_BYTES = 1024 * 1024
const MOST_MESSAGES_INSIDE = 3

/** A message that was read to its end. */
export interface ParsedMessage {
  headers: Headers
  body: string
  attachments: Attachment[]
  attachmentTexts: string[]
  /** Of the body's lines, however they ended; blank lines at the end do not count. */
  bodyDigest: Buffer
}

interface Container {
  kind: 'container'
  type: string
  boundary: string
  children: Node[]
  preamble: Buffer[]
  preambleBytes: number
}
type Node =
  | Container
  | { kind: 'text'; leaf: TextLeaf }
  | { kind: 'blob'; leaf: BlobLeaf; inner: MessageReader | null }

/** Reads one message from its lines. Large parts leave as they come; nothing else grows with the message. */
export class MessageReader {
  readonly headers = new Headers()
  readonly #emit: (part: BlobPart) => void
  readonly #inside: number
  readonly #digest = new LineDigest()
  #root: Node | null = null
  readonly #open: Container[] = []
  #partHeaders: Headers | null = this.headers
  #decoder: TransferDecoder | null = null
  #leaf: Leaf | null = null
  #parts = 0

  /** `inside`: how many messages this one is attached to, one in the other. */
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
    const attachments: Attachment[] = []
    const attachmentTexts: string[] = []
    const body = this.#root ? gather(this.#root, attachments, attachmentTexts) : ''
    return {
      headers: this.headers,
      body: tidied(body),
      attachments,
      attachmentTexts,
      bodyDigest: this.#digest.end(),
    }
  }

  /** Whether the line is a boundary of an open multipart; then the part before it is over. */
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
    const node = this.#nodeOf(facts)
    if (parent) parent.children.push(node)
    else this.#root = node
    if (node.kind === 'container') {
      this.#open.push(node)
      this.#decoder = null
      return
    }
    this.#leaf = node.leaf
    const inner = node.kind === 'blob' ? node.inner : null
    const splitter = inner && new LineSplitter((line, end, continues) => inner.line(line, end, continues))
    const { leaf } = node
    this.#decoder = transferDecoder(facts.encoding, bytes => {
      splitter?.push(bytes)
      leaf.write(bytes)
    })
    if (splitter) this.#leaf = { write: bytes => leaf.write(bytes), end: () => [splitter.end(), leaf.end()] }
    if (this.#parts >= MOST_PARTS) this.#open.length = 0
  }

  #nodeOf(facts: PartFacts): Node {
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

  /** What stands before the first boundary is kept: where no boundary ever comes, it is the text. */
  #preamble(line: Buffer, end: LineEnd): void {
    const container = this.#open.at(-1)
    if (!container || container.children.length > 0 || container.preambleBytes > MOST_PREAMBLE_BYTES) return
    container.preamble.push(Buffer.from(line), Buffer.from(end))
    container.preambleBytes += line.length + 2
  }
}

interface PartFacts {
  type: string
  charset: string | undefined
  boundary: string | undefined
  encoding: string
  name: string | null
  content_id: string | null
  attached: boolean
}

function factsOf(headers: Headers, fallback: string): PartFacts {
  const type = parametrized(headers, 'content-type')
  const disposition = parametrized(headers, 'content-disposition')
  const valid = /^[\w.+-]+\/[\w.+-]+$/.test(type.value)
  const name = disposition.parameters.get('filename') || type.parameters.get('name') || null
  return {
    type: valid ? type.value : type.value === 'text' ? 'text/plain' : fallback,
    charset: type.parameters.get('charset'),
    boundary: type.parameters.get('boundary'),
    encoding: headers.plain('content-transfer-encoding') ?? '',
    name: name && cleanName(name),
    content_id: headers.plain('content-id')?.replace(/^<|>$/g, '') || null,
    attached: disposition.value === 'attachment',
  }
}

function parametrized(headers: Headers, name: string): Parametrized {
  return parseParametrized(headers.plain(name) ?? '')
}

/** The last part of a file's name, as it may stand in a list. */
function cleanName(name: string): string | null {
  const last = decodeWords(name)
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .split(/[/\\]/)
    .at(-1)
  return last?.trim().slice(0, 255) || null
}

/** The text that a person reads, and what is attached, in order. */
function gather(node: Node, attachments: Attachment[], texts: string[]): string {
  if (node.kind === 'text') {
    if (node.leaf.attachment) attachments.push(node.leaf.attachment)
    return node.leaf.text()
  }
  if (node.kind === 'blob') {
    if (node.leaf.attachment) attachments.push(node.leaf.attachment)
    const inner = node.inner?.end()
    const subject = inner && decodeWords(inner.headers.plain('subject') ?? '')
    const text = inner
      ? [subject, inner.body, ...inner.attachmentTexts].filter(Boolean).join('\n\n')
      : node.leaf.text
    if (text && text.trim() !== '') texts.push(text.trim())
    return ''
  }
  if (node.children.length === 0) return textOf(node.preamble)
  if (node.type === 'multipart/alternative') return gatherAlternative(node.children, attachments, texts)
  return joinTexts(node.children.map(child => gather(child, attachments, texts)))
}

const STUB_CHARS = 200

/** Of several forms of the same text the plain one, unless it only says that there is another. */
function gatherAlternative(children: Node[], attachments: Attachment[], texts: string[]): string {
  const isPlain = (child: Node) => child.kind === 'text' && child.leaf.facts.type === 'text/plain'
  const plain = joinTexts(children.filter(isPlain).map(child => gather(child, attachments, texts)))
  const others = children.filter(child => !isPlain(child))
  const enough = plain.trim().length >= STUB_CHARS
  // Other forms are converted only when they may be needed; their attachments count in any case.
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
    { type: 'text/plain', charset: undefined, name: null, content_id: null },
    () => {},
  )
  for (const line of lines) leaf.write(line)
  return leaf.text()
}

/** Without blank lines at either end; the first line keeps its indent. */
function tidied(body: string): string {
  const text = body.trimEnd()
  const first = text.search(/\S/)
  return first <= 0 ? text : text.slice(text.lastIndexOf('\n', first) + 1)
}

const SCRATCH_BYTES = 16 * 1024

/** Hashes lines without regard to how they end and to blank lines at the end, in large steps. */
class LineDigest {
  readonly #hash = createHash('sha256')
  readonly #scratch = Buffer.allocUnsafe(SCRATCH_BYTES)
  #used = 0
  #breaks = 0

  line(line: Buffer, end: LineEnd): void {
    if (line.length > 0) {
      for (; this.#breaks > 0; this.#breaks--) this.#add(NEWLINE)
      this.#add(line)
    }
    if (end !== '') this.#breaks++
  }

  end(): Buffer {
    this.#hash.update(this.#scratch.subarray(0, this.#used))
    return this.#hash.digest()
  }

  #add(bytes: Buffer): void {
    if (this.#used + bytes.length > SCRATCH_BYTES) {
      this.#hash.update(this.#scratch.subarray(0, this.#used))
      this.#used = 0
    }
    if (bytes.length > SCRATCH_BYTES) this.#hash.update(bytes)
    else this.#used += bytes.copy(this.#scratch, this.#used)
  }
}

const NEWLINE = Buffer.from('\n')
