import { Tokenizer } from 'htmlparser2'
import { type Attributes, HiddenElement, hasEnd, isHidden } from './hidden-element.ts'

const SKIPPED = new Set(['head', 'script', 'style', 'title', 'template'])
const BLOCKS = new Set(
  `address article aside blockquote center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5
   h6 header hr li main nav ol p pre section table tbody tfoot thead tr ul`.split(/\s+/),
)
const APART = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'table', 'ul', 'ol', 'pre'])
const MOST_CHARS = 16 * 1024 * 1024
const MOST_OPEN_LINKS = 8
const MOST_LINK_CHARS = 200
const MOST_LINK_PARTS = 100
const MOST_STYLE_CHARS = 4_000
const MOST_MARKS = 8

/**
 * The text that a person sees in HTML, in lines. Links keep their address unless it contains their text, and lines that
 * a mail quotes begin with `> `. No tree is built, so the time depends only on the length, at any depth of nesting. A
 * page on which everything is hidden is read as if nothing were.
 */
export function textOfHtml(html: string): string {
  const source = html.slice(0, MOST_CHARS)
  return textOf(source, isHidden) || textOf(source, () => false)
}

function textOf(source: string, hides: (attributes: Attributes) => boolean): string {
  const page = new Page()
  let skipped: string | null = null
  let hidden: HiddenElement | null = null
  let tag = ''
  let attribute = ''
  let value = ''
  const attributes: Attributes = new Map()
  const open = (name: string) => {
    if (hidden?.open(name)) return
    hidden = null
    // A head that is never closed ends where the body begins.
    if (skipped === 'head' && (name === 'body' || BLOCKS.has(name))) skipped = null
    if (skipped === null && SKIPPED.has(name)) skipped = name
    if (skipped !== null) return
    if (hides(attributes)) {
      if (hasEnd(name)) hidden = new HiddenElement(name)
      return
    }
    if (name === 'img') page.add(attributes.get('alt') ?? '')
    if (name === 'br') page.endLine()
    else if (APART.has(name)) page.leaveGap()
    else if (BLOCKS.has(name)) page.breakLine()
    else if ((name === 'td' || name === 'th') && !page.isBlank) page.add('  ')
    if (name === 'ul' || name === 'ol') page.beginList(name === 'ol' ? attributes.get('start') : null)
    if (name === 'li') page.beginItem()
    if (name === 'blockquote') page.beginQuote(isQuote(attributes))
    if (name === 'pre') page.preformatted++
    if (name === 'a') page.openLink(attributes.get('href') ?? '')
  }
  const close = (name: string) => {
    if (hidden) {
      const { isOver, endsIt } = hidden.close(name)
      if (isOver) hidden = null
      if (!isOver || endsIt) return
    }
    if (skipped === name) skipped = null
    if (skipped !== null) return
    if (name === 'a') page.closeLink()
    if (name === 'li') page.endItem()
    if (APART.has(name)) page.leaveGap()
    else if (BLOCKS.has(name)) page.breakLine()
    if (name === 'ul' || name === 'ol') page.endList()
    if (name === 'blockquote') page.endQuote()
    if (name === 'pre') page.preformatted = Math.max(0, page.preformatted - 1)
  }
  const text = (written: string) => {
    if (skipped === null && hidden === null) page.text(written)
  }
  const ignore = () => {}
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        tag = source.slice(start, end).toLowerCase()
        attributes.clear()
      },
      onattribname(start, end) {
        attribute = source.slice(start, end).toLowerCase()
        value = ''
      },
      onattribdata(start, end) {
        const most = attribute === 'style' ? MOST_STYLE_CHARS : MOST_LINK_CHARS
        if (value.length < most) value += source.slice(start, Math.min(end, start + most + 1))
      },
      onattribentity(codepoint) {
        value += String.fromCodePoint(codepoint)
      },
      onattribend() {
        if (READ_ATTRIBUTES.has(attribute)) attributes.set(attribute, value)
      },
      onopentagend: () => open(tag),
      onselfclosingtag: () => open(tag),
      onclosetag: (start, end) => close(source.slice(start, end).toLowerCase()),
      ontext: (start, end) => text(source.slice(start, end)),
      ontextentity: codepoint => text(String.fromCodePoint(codepoint)),
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  )
  tokenizer.write(source)
  tokenizer.end()
  return page.end()
}

const READ_ATTRIBUTES = new Set(['alt', 'class', 'hidden', 'href', 'start', 'style', 'type'])

/** What mail programs write around the message that is answered. Others use a quotation to indent. */
function isQuote(attributes: Attributes): boolean {
  return attributes.get('type')?.toLowerCase() === 'cite' || /quote/i.test(attributes.get('class') ?? '')
}

/** The lines of the text. A line is kept in parts, so that a text without line breaks takes linear time. */
class Page {
  readonly #lines: string[] = []
  #parts: string[] = []
  #endsInSpace = true
  readonly #links: { href: string; from: number }[] = []
  /** The next number of each open list; null if it has none. */
  readonly #lists: (number | null)[] = []
  /** Of each open quotation, whether its lines are marked. */
  readonly #quotes: boolean[] = []
  #marks = 0
  isBlank = true
  preformatted = 0

  add(text: string): void {
    if (text === '') return
    this.#parts.push(text)
    this.#endsInSpace = text.endsWith(' ')
    if (this.isBlank && text.trim() !== '') this.isBlank = false
  }

  text(text: string): void {
    if (this.preformatted > 0) {
      const [first = '', ...rest] = text.split('\n')
      this.add(first)
      for (const next of rest) {
        this.endLine()
        this.add(next)
      }
      return
    }
    const plain = text.replace(/\u034f|\u00ad/g, '').replace(/\s+/g, ' ')
    this.add(this.#endsInSpace ? plain.trimStart() : plain)
  }

  endLine(): void {
    const line = this.#parts.join('')
    const shown = this.preformatted > 0 ? line.trimEnd() : line.trim()
    if (shown !== '' || (this.#lines.length > 0 && this.#lines.at(-1) !== ''))
      this.#lines.push(shown === '' ? '' : '> '.repeat(Math.min(MOST_MARKS, this.#marks)) + shown)
    this.#parts = []
    for (const link of this.#links) link.from = 0
    this.isBlank = true
    this.#endsInSpace = true
  }

  breakLine(): void {
    if (!this.isBlank) this.endLine()
  }

  beginQuote(isMarked: boolean): void {
    this.#quotes.push(isMarked)
    if (isMarked) this.#marks++
  }

  endQuote(): void {
    if (this.#quotes.pop()) this.#marks--
  }

  /** A list with numbers begins with the written one, or with 1. */
  beginList(start: string | null | undefined): void {
    this.#lists.push(start === null ? null : Number.parseInt(start ?? '', 10) || 1)
  }

  endList(): void {
    this.#lists.pop()
  }

  /** The bullet or number alone does not make a line, so that a paragraph in an item begins beside it. */
  beginItem(): void {
    const number = this.#lists.at(-1) ?? null
    if (number !== null) this.#lists[this.#lists.length - 1] = number + 1
    this.#parts = [number === null ? '• ' : `${number}. `]
    this.#endsInSpace = true
  }

  /** An item without text leaves nothing. */
  endItem(): void {
    if (this.isBlank) this.#parts = []
  }

  leaveGap(): void {
    this.breakLine()
    if (this.#lines.length > 0 && this.#lines.at(-1) !== '') this.#lines.push('')
  }

  openLink(href: string): void {
    if (this.#links.length < MOST_OPEN_LINKS) this.#links.push({ href, from: this.#parts.length })
  }

  closeLink(): void {
    const link = this.#links.pop()
    if (!link || link.href.length > MOST_LINK_CHARS || !/^(https?|mailto):/i.test(link.href)) return
    if (this.#parts.length - link.from > MOST_LINK_PARTS) return
    const shown = this.#parts.slice(link.from).join('').trim()
    const target = link.href.replace(/^mailto:/i, '')
    if (shown !== '' && !target.includes(shown)) this.add(` <${target}>`)
  }

  end(): string {
    this.breakLine()
    return this.#lines.join('\n').trim()
  }
}
