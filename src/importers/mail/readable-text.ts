import { decodeWords } from './headers.ts'
import { type Attachment, TextLeaf } from './leaf.ts'
import type { Part, ReadableContent } from './part-tree.ts'

/** The readable content of a message, given its root part. */
export function readableOf(root: Part | null): ReadableContent {
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
    { type: 'text/plain', charset: undefined, name: null, content_id: null },
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
