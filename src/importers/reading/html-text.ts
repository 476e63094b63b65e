import { Tokenizer } from 'htmlparser2'

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

/**
 * The text that a person sees in HTML, in lines. Links keep their address unless it contains their text. No tree is
 * built, so the time depends only on the length, at any depth of nesting.
 */
export function textOfHtml(html: string): string {
  const source = html.slice(0, MOST_CHARS)
  const page = new Page()
  let skipped: string | null = null
  let tag = ''
  let attribute = ''
  let value = ''
  let href = ''
  const open = (name: string) => {
    // A head that is never closed ends where the body begins.
    if (skipped === 'head' && (name === 'body' || BLOCKS.has(name))) skipped = null
    if (skipped === null && SKIPPED.has(name)) skipped = name
    if (skipped !== null) return
    if (name === 'br') page.endLine()
    else if (APART.has(name)) page.leaveGap()
    else if (BLOCKS.has(name)) page.breakLine()
    else if ((name === 'td' || name === 'th') && !page.isBlank) page.add('  ')
    if (name === 'li') page.beginItem()
    if (name === 'pre') page.preformatted++
    if (name === 'a') page.openLink(href)
  }
  const close = (name: string) => {
    if (skipped === name) skipped = null
    if (skipped !== null) return
    if (name === 'a') page.closeLink()
    if (name === 'li') page.endItem()
    if (APART.has(name)) page.leaveGap()
    else if (BLOCKS.has(name)) page.breakLine()
    if (name === 'pre') page.preformatted = Math.max(0, page.preformatted - 1)
  }
  const ignore = () => {}
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        tag = source.slice(start, end).toLowerCase()
        href = ''
      },
      onattribname(start, end) {
        attribute = source.slice(start, end).toLowerCase()
        value = ''
      },
      onattribdata(start, end) {
        if (value.length < MOST_LINK_CHARS)
          value += source.slice(start, Math.min(end, start + MOST_LINK_CHARS + 1))
      },
      onattribentity(codepoint) {
        value += String.fromCodePoint(codepoint)
      },
      onattribend() {
        if (attribute === 'href') href = value
        if (attribute === 'alt' && tag === 'img' && skipped === null) page.add(value)
      },
      onopentagend: () => open(tag),
      onselfclosingtag: () => open(tag),
      onclosetag: (start, end) => close(source.slice(start, end).toLowerCase()),
      ontext(start, end) {
        if (skipped === null) page.text(source.slice(start, end))
      },
      ontextentity(codepoint) {
        if (skipped === null) page.text(String.fromCodePoint(codepoint))
      },
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

/** The lines of the text. A line is kept in parts, so that a text without line breaks takes linear time. */
class Page {
  readonly #lines: string[] = []
  #parts: string[] = []
  #endsInSpace = true
  readonly #links: { href: string; from: number }[] = []
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
    if (shown !== '' || (this.#lines.length > 0 && this.#lines.at(-1) !== '')) this.#lines.push(shown)
    this.#parts = []
    for (const link of this.#links) link.from = 0
    this.isBlank = true
    this.#endsInSpace = true
  }

  breakLine(): void {
    if (!this.isBlank) this.endLine()
  }

  /** The bullet alone does not make a line, so that a paragraph in an item begins beside it. */
  beginItem(): void {
    this.#parts = ['• ']
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
