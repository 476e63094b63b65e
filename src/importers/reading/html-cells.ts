import type { SourceFile } from '../source/source.ts'
import { utf8Of } from '../utf8.ts'

const MOST_CELL_CHARS = 8 * 1024 * 1024

/** A part of a page, in its original HTML. */
interface HtmlCell {
  html: string
  index: number
  end: number
}

/** Splits a page at each occurrence of a text, such as `<div class="cell`. A page of any size needs little memory. */
export async function* cellsOf(file: SourceFile, beginning: string): AsyncGenerator<HtmlCell> {
  const decoder = new TextDecoder()
  let held = ''
  /** How much of `held` has been searched for the next cell. */
  let searched = 0
  let end = 0
  let index = -1
  for await (const chunk of utf8Of(file.open())) {
    held += decoder.decode(chunk, { stream: true })
    end += chunk.length
    let from = 0
    for (let next = held.indexOf(beginning, searched); next >= 0; next = held.indexOf(beginning, searched)) {
      if (held.startsWith(beginning, from) && next > from)
        yield { html: held.slice(from, next), index: ++index, end }
      from = next
      searched = next + 1
    }
    held = held.slice(from, from + MOST_CELL_CHARS)
    searched = Math.max(held.startsWith(beginning) ? 1 : 0, held.length - beginning.length)
  }
  if (held.startsWith(beginning)) yield { html: held, index: ++index, end }
}

/** The HTML between an opening tag and the next closing tag; null if there is none. */
export function insideOf(html: string, opening: string, closing: string): string | null {
  const at = html.indexOf(opening)
  const start = at < 0 ? -1 : html.indexOf('>', at + opening.length - 1)
  const end = start < 0 ? -1 : html.indexOf(closing, start)
  return end < 0 ? null : html.slice(start + 1, end)
}
