import type { JsonObject } from '../../model/json.ts'
import { textOfHtml } from '../reading/html-text.ts'
import type { SourceFile } from '../source/source.ts'
import { utf8Of } from '../utf8.ts'
import { parseWrittenTime } from '../written-time.ts'

export interface Activity extends JsonObject {
  product: string
  title: string | null
  text: string | null
  occurred_at: string | null
  url: string | null
  details: string[]
  links: string[]
}

const CELL = '<div class="outer-cell'
const MOST_CELL_CHARS = 8 * 1024 * 1024

/** The items of a page, cell by cell, so that a page of any size needs little memory. */
export async function* activityCells(
  file: SourceFile,
): AsyncGenerator<{ activity: Activity; index: number; end: number }> {
  const decoder = new TextDecoder()
  let held = ''
  let end = 0
  let index = -1
  for await (const chunk of utf8Of(file.open())) {
    held += decoder.decode(chunk, { stream: true })
    end += chunk.length
    for (let next = held.indexOf(CELL, CELL.length); next > 0; next = held.indexOf(CELL, CELL.length)) {
      if (held.startsWith(CELL)) yield { activity: activityOf(held.slice(0, next)), index: ++index, end }
      held = held.slice(next)
    }
    if (held.length > MOST_CELL_CHARS) held = held.slice(0, MOST_CELL_CHARS)
  }
  if (held.startsWith(CELL)) yield { activity: activityOf(held), index: ++index, end }
}

function activityOf(cell: string): Activity {
  const header = /<p class="mdl-typography--title">([\s\S]*?)<\/p>/.exec(cell)?.[1] ?? ''
  const content = /<div class="content-cell[^"]*body-1">([\s\S]*?)<\/div>/.exec(cell)?.[1] ?? ''
  const lines = textOfHtml(content.replaceAll('&nbsp;', ' ')).split('\n')
  const at = lines.findIndex(line => timeIn(line) !== null)
  const [title, ...details] = (at < 0 ? lines : lines.slice(0, at)).filter(line => line !== '')
  const hrefs = [...content.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  )
  return {
    product: textOfHtml(header).trim() || 'Google',
    // The address after a link is a field of its own.
    title: title?.replace(/ <https?:[^<>]*>/g, '') ?? null,
    text:
      at < 0
        ? null
        : lines
            .slice(at + 1)
            .join('\n')
            .trim() || null,
    occurred_at: at < 0 ? null : timeIn(lines[at] ?? ''),
    url: hrefs[0] ?? null,
    details,
    links: hrefs.slice(1),
  }
}

/** `Jan 31, 2018, 10:54:50 PM`, with or without a zone. A zone that is only a name is not known. */
function timeIn(line: string): string | null {
  const plain = line
    .replace(/\s+/g, ' ')
    .replace(/GMT(?=[+-])/, '')
    .trim()
  const written = parseWrittenTime(plain, null) ?? parseWrittenTime(plain.replace(/ [A-Z]{2,5}$/, ''), null)
  return written?.precision === 'time' ? written.utc : null
}
