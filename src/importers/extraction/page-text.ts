import { number } from '../../model/amounts.ts'
import type { Pages, PageUnit } from '../../model/reading/window.ts'
import { countCodePoints } from '../../model/text/code-points.ts'
import { Unreadable } from './extracted.ts'

/** Longer texts are rejected. No document for human readers is this long. */
export const MOST_CHARS = 16 * 1024 * 1024

const BETWEEN_PAGES = '\n\n'

/** Collects the text of a document, page by page. */
export class PageText {
  readonly #unit: PageUnit
  readonly #pages: { name: string | null; parts: string[] }[] = []
  readonly #recognised: number[] = []
  #chars = 0

  constructor(unit: PageUnit) {
    this.#unit = unit
  }

  /** Begins the next page. Text added before the first page becomes a separate page. */
  begin(name: string | null = null): void {
    this.#pages.push({ name, parts: [] })
  }

  add(text: string): void {
    if (text === '') return
    this.#chars += text.length
    if (this.#chars > MOST_CHARS) {
      const most = number(MOST_CHARS)
      throw new Unreadable('text_too_long', `The text has more than ${most} characters.`)
    }
    if (this.#pages.length === 0) this.begin()
    this.#pages.at(-1)?.parts.push(text)
  }

  /** Adds text that was read from a picture of the page, which may not be exact. */
  addRecognised(text: string): void {
    if (text.trim() === '') return
    this.add(text)
    if (this.#recognised.at(-1) !== this.pageCount) this.#recognised.push(this.pageCount)
  }

  /** Whether the page contains only white space. */
  get isPageBlank(): boolean {
    return (this.#pages.at(-1)?.parts ?? []).every(part => part.trim() === '')
  }

  /** Ends the current line, unless it is empty. */
  breakLine(): void {
    const last = this.#pages.at(-1)?.parts.at(-1)
    if (last !== undefined && !last.endsWith('\n')) this.add('\n')
  }

  get pageCount(): number {
    return this.#pages.length
  }

  /** The text with the positions of its pages. A single page is listed only if it has a name or was recognised. */
  end(): { text: string; pages: Pages | null } {
    let text = ''
    let size = 0
    const starts = this.#pages.map(({ parts }) => {
      const page = tidied(parts.join(''))
      if (page === '') return size === 0 ? 0 : size + BETWEEN_PAGES.length
      if (text !== '') {
        text += BETWEEN_PAGES
        size += BETWEEN_PAGES.length
      }
      const start = size
      text += page
      size += countCodePoints(page)
      return start
    })
    const names = this.#pages.map(({ name }) => name)
    const isNamed = names.some(name => name !== null)
    const recognised = this.#recognised
    if (text === '' || (starts.length < 2 && !isNamed && recognised.length === 0))
      return { text, pages: null }
    const within = starts.map(start => Math.min(start, size))
    const pages: Pages = { unit: this.#unit, starts: within }
    if (isNamed) pages.names = names
    if (recognised.length > 0) pages.recognised = recognised
    return { text, pages }
  }
}

/** Removes control characters, trailing spaces and long gaps. */
function tidied(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\v\f]/g, '\n')
    .replace(/(?![\n\t])[\p{Cc}\u00ad]/gu, '')
    .replace(/(?<![ \t])[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+/, '')
    .trimEnd()
}
