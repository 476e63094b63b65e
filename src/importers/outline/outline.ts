import type { Declaration } from '../../model/declaration/declaration.ts'
import { type JsonObject, objectsIn } from '../../model/json.ts'
import type { Recognise } from '../importer.ts'
import { linksOf } from '../markdown/links.ts'
import { findingOf, type ItemsOf } from '../reading/exported-files.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { epochIn, objectIn, textIn } from '../reading/json-values.ts'
import { type Identified, versionsIn } from '../reading/versions.ts'
import { recordIdOf } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { parseWrittenTime } from '../written-time.ts'
import { LOGSEQ, ROAM } from './declaration.ts'

const PAGE_BYTES = 1_500

interface Outliner extends PageLayout {
  declaration: Declaration
  /** The path of the list of pages. */
  list: string[]
}

const OUTLINERS: readonly Outliner[] = [
  { key: 'roam', declaration: ROAM, list: [], id: 'uid', title: 'title', text: 'string' },
  { key: 'logseq', declaration: LOGSEQ, list: ['blocks'], id: 'id', title: 'page-name', text: 'content' },
]

export const recognise: Recognise = async (files, _, format) => {
  const outliner = OUTLINERS.find(({ key }) => key === format)
  if (!outliner) return null
  return findingOf(outliner.declaration, files, PAGE_BYTES, () => pageReader(files, outliner))
}

async function pageReader(files: readonly SourceFile[], outliner: Outliner): Promise<ItemsOf> {
  const versionOf = files.length > 1 ? await versionsIn(files, file => allPages(file, outliner)) : () => []
  const stream = `${outliner.key}_pages`
  return file =>
    objectItems(listedObjects(file, 'page', outliner.list), (value, { place }) => {
      const own = idOf(value, outliner)
      const id = recordIdOf(`${outliner.key} page`, own, ...versionOf(own, () => JSON.stringify(value)))
      return [{ kind: 'record', stream, key: id, data: { id, ...pageOf(value, outliner) }, place }]
    })
}

async function* allPages(file: SourceFile, outliner: Outliner): AsyncGenerator<Identified> {
  for await (const { value } of listedObjects(file, 'page', outliner.list)) {
    if (value) yield { id: idOf(value, outliner), content: () => JSON.stringify(value) }
  }
}

/** Older exports of Roam have no page ids, but their titles are unique. */
function idOf(page: JsonObject, { id, title }: PageLayout): string {
  return textIn(page[id]) ?? `title ${textIn(page[title]) ?? ''}`
}

/** The names of the members of pages and blocks in a program's export. */
interface PageLayout {
  /** The key of its source: `roam`. */
  key: string
  id: string
  title: string
  text: string
}

/** A page with all its blocks as one outline in Markdown. */
function pageOf(page: JsonObject, layout: PageLayout): Omit<JsonObject, 'id'> & { source_id: string | null } {
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
