import type { Declaration } from '../../model/declaration/declaration.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Recognise } from '../importer.ts'
import { findingOf } from '../reading/exported-files.ts'
import type { ItemsOf } from '../reading/file-items.ts'
import { listedObjects, objectItems } from '../reading/json-objects.ts'
import { textIn } from '../reading/json-values.ts'
import { type Identified, versionsIn } from '../reading/versions.ts'
import { recordIdOf } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { LOGSEQ, ROAM } from './declaration.ts'
import { type PageLayout, pageOf } from './page.ts'

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
