import { type LineEnd, LineSplitter } from '../lines.ts'
import { factsOf, Headers, type PartFacts } from './headers.ts'
import { BlobLeaf, type BlobPart, type Leaf, TextLeaf } from './leaf.ts'
import { LineDigest } from './line-digest.ts'
import type { Container, ParsedMessage, Part } from './part-tree.ts'
import { readableOf } from './readable-text.ts'
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
