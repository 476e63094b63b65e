import type { Declaration } from '../../model/declaration/declaration.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { ImportEvent, Importer } from '../importer.ts'
import { filesWith, findingOf } from '../reading/exported-files.ts'
import { readFileItems } from '../reading/file-items.ts'
import { listedItems, listedObjects } from '../reading/json-objects.ts'
import { textIn } from '../reading/json-values.ts'
import { type Identified, readableItems, versionsIn } from '../reading/versions.ts'
import { recordIdOf } from '../record-id.ts'
import type { SourceFile } from '../source/source.ts'
import { LOGSEQ, ROAM } from './declaration.ts'
import { type PageLayout, pageOf } from './page.ts'

const PAGE_BYTES = 1_500

interface Outliner extends PageLayout {
  label: string
  declaration: Declaration
  isExport(head: string): boolean
  /** The path of the list of pages. */
  list: string[]
}

export const roam = importerOf({
  key: 'roam',
  label: 'Roam Research export',
  declaration: ROAM,
  isExport: head =>
    /^\s*\[\s*\{/.test(head) &&
    /"title"\s*:\s*"/.test(head) &&
    /"(?:string|edit-time)"\s*:/.test(head) &&
    /"(?:uid|edit-time|create-time)"\s*:/.test(head),
  list: [],
  id: 'uid',
  title: 'title',
  text: 'string',
})

export const logseq = importerOf({
  key: 'logseq',
  label: 'Logseq export',
  declaration: LOGSEQ,
  isExport: head => /^\s*\{\s*"version"\s*:\s*\d+\s*,\s*"blocks"\s*:\s*\[/.test(head),
  list: ['blocks'],
  id: 'id',
  title: 'page-name',
  text: 'content',
})

function importerOf(outliner: Outliner): Importer {
  return {
    format: outliner.key,
    label: outliner.label,
    stage: 'export',
    async recognise(source) {
      const files = await filesWith(source.files, /\.json$/i, head => outliner.isExport(head))
      if (files.length === 0) return null
      return findingOf(outliner.declaration, files, PAGE_BYTES, from => readPages(files, outliner, from))
    },
  }
}

async function* readPages(
  files: readonly SourceFile[],
  outliner: Outliner,
  from: Json | null,
): AsyncGenerator<ImportEvent> {
  const versionOf =
    files.length > 1
      ? await versionsIn(() => readableItems(files, file => allPages(file, outliner)))
      : () => null
  const stream = `${outliner.key}_pages`
  yield* readFileItems(files, from, file =>
    listedItems(file, 'page', outliner.list, (value, { place }) => {
      const own = idOf(value, outliner)
      const version = versionOf(own, () => JSON.stringify(value))
      const id = recordIdOf(`${outliner.key} page`, own, ...(version === null ? [] : [version]))
      return [{ kind: 'record', stream, key: id, data: { id, ...pageOf(value, outliner) }, place }]
    }),
  )
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
