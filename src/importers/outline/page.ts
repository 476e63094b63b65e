import type { JsonObject } from '../../model/json.ts'
import { linksOf } from '../markdown/links.ts'
import { epochIn, objectIn, objectsIn, textIn } from '../reading/json-values.ts'
import { parseWrittenTime } from '../written-time.ts'

/** The names of the members of pages and blocks in a program's export. */
export interface PageLayout {
  /** The key of its source: `roam`. */
  key: string
  id: string
  title: string
  text: string
}

/** A page with all its blocks as one outline in Markdown. */
export function pageOf(
  page: JsonObject,
  layout: PageLayout,
): Omit<JsonObject, 'id'> & { source_id: string | null } {
  const lines: string[] = []
  const times = { first: null as string | null, last: epochIn(page['edit-time'], 'milliseconds') }
  let blocks = 0
  const walk = (children: JsonObject[], depth: number) => {
    for (const block of children) {
      blocks++
      lines.push(...blockLines(block, layout, depth))
      const created = epochIn(block['create-time'], 'milliseconds')
      const edited = epochIn(block['edit-time'], 'milliseconds')
      if (created !== null && (times.first === null || created < times.first)) times.first = created
      if (edited !== null && (times.last === null || edited > times.last)) times.last = edited
      walk(objectsIn(block.children), depth + 1)
    }
  }
  walk(objectsIn(page.children), 0)
  const title = textIn(page[layout.title])
  const text = textIn(lines.join('\n'))
  const { internal, urls, tags } = linksOf(text ?? '')
  const day = dayIn(title)
  return {
    title,
    text,
    is_daily: day !== null,
    noted_at: day ?? epochIn(page['create-time'], 'milliseconds') ?? times.first,
    updated_at: times.last,
    tags,
    links: internal,
    urls,
    block_count: blocks,
    properties: objectIn(page.properties),
    source_id: textIn(page[layout.id]),
  }
}

/** Lines that only hold the program's state. */
const STATE = /^(?:id|collapsed|background-color|heading):: /

function blockLines(block: JsonObject, layout: PageLayout, depth: number): string[] {
  const indent = '  '.repeat(depth)
  const written = (textIn(block[layout.text]) ?? '').split('\n').filter(line => !STATE.test(line))
  return written.map((line, index) => `${indent}${index === 0 ? '- ' : '  '}${line}`.trimEnd())
}

/** The day of a daily page, from its title: `January 1st, 2024`, `Jan 1st, 2024`, `2024-01-01`. */
function dayIn(title: string | null): string | null {
  const written = parseWrittenTime((title ?? '').replaceAll('_', '-'), null)
  return written?.precision === 'day' ? written.utc : null
}
