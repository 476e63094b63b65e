import type { JsonObject } from '../../model/json.ts'
import { cellsOf } from '../reading/html-cells.ts'
import { textOfHtml } from '../reading/html-text.ts'
import type { SourceFile } from '../source/source.ts'
import { pageTime } from './page-time.ts'

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

/** What a page lists, and its time as it would be in UTC, which is the same in every zone of the owner. */
interface ListedActivity {
  activity: Activity
  asUtc: string | null
}

export async function* activityCells(
  file: SourceFile,
  timeZone: string | undefined,
): AsyncGenerator<ListedActivity & { index: number; end: number }> {
  for await (const { html, index, end } of cellsOf(file, CELL))
    yield { ...activityOf(html, timeZone), index, end }
}

function activityOf(cell: string, timeZone: string | undefined): ListedActivity {
  const header =
    /<p class="mdl-typography--title">((?:(?!<p class="mdl-)[\s\S])*?)<\/p>/.exec(cell)?.[1] ?? ''
  const content =
    /<div class="content-cell[^"]*body-1">((?:(?!<div class="content-cell)[\s\S])*?)<\/div>/.exec(
      cell,
    )?.[1] ?? ''
  const lines = textOfHtml(content.replaceAll('&nbsp;', ' ')).split('\n')
  const at = lines.findIndex(line => pageTime(line) !== null)
  const [title, ...details] = (at < 0 ? lines : lines.slice(0, at)).filter(line => line !== '')
  const hrefs = [...content.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  )
  const time = lines[at] ?? ''
  const activity = {
    product: textOfHtml(header).trim() || 'Google',
    // The address after a link has its own field.
    title: title?.replace(/ <https?:[^<>]*>/g, '') ?? null,
    text:
      at < 0
        ? null
        : lines
            .slice(at + 1)
            .join('\n')
            .trim() || null,
    occurred_at: pageTime(time, timeZone)?.utc ?? null,
    url: hrefs[0] ?? null,
    details,
    links: hrefs.slice(1),
  }
  return { activity, asUtc: pageTime(time)?.utc ?? null }
}
