import { hash } from 'node:crypto'
import { CodedError } from '../../model/errors.ts'
import { IdPrints } from '../id-prints.ts'
import type { SourceFile } from '../source/source.ts'

/** What to add to an id: nothing for the first item with it and for identical ones, a hash of the content for others. */
export type VersionOf = (id: string, content: () => string) => string[]

/** An item with its id and its content. */
export interface Identified {
  id: string
  content(): string
}

/**
 * Distinguishes different items with the same id, as in two exports side by side. All items are read once in advance,
 * so that a resumed reading gives the same result, and once more if any id repeats. Only repeated ids are remembered.
 */
export async function versionsIn(
  files: readonly SourceFile[],
  itemsOf: (file: SourceFile) => AsyncIterable<Identified>,
): Promise<VersionOf> {
  const repeated = await repeatedIn(readableItems(files, itemsOf))
  if (repeated === null) return () => []
  const first = new IdPrints('ids with marks')
  for await (const { id, content } of readableItems(files, itemsOf))
    if (repeated.has(id)) first.knownOrKeep(id, numberOf(markOf(content())))
  return (id, content) => {
    const known = first.markOf(id)
    if (known === null) return []
    const mark = markOf(content())
    return known === numberOf(mark) ? [] : [mark]
  }
}

/** The items of files. Those of a file that cannot be read are left out; reading it later says why. */
export async function* readableItems<Item>(
  files: readonly SourceFile[],
  itemsOf: (file: SourceFile) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  for (const file of files) {
    try {
      yield* itemsOf(file)
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
    }
  }
}

/** The ids that more than one item has; null if there are none. */
async function repeatedIn(items: AsyncIterable<Identified>): Promise<IdPrints | null> {
  const ids = new IdPrints('ids')
  let repeated: IdPrints | null = null
  for await (const { id } of items) {
    if (ids.knownOrKeep(id) === null) continue
    repeated ??= new IdPrints('ids')
    repeated.knownOrKeep(id)
  }
  return repeated
}

/** The same without reading ahead. Must be called for all items, from the first. */
export function versionsSoFar(): VersionOf {
  const first = new IdPrints('ids with marks')
  return (id, content) => {
    const mark = markOf(content())
    const known = first.knownOrKeep(id, numberOf(mark))
    return known === null || known.mark === numberOf(mark) ? [] : [mark]
  }
}

function markOf(content: string): string {
  return hash('sha256', content, 'base64url').slice(0, 16)
}

/** The first 32 bits of a mark. */
function numberOf(mark: string): number {
  return Buffer.from(mark.slice(0, 8), 'base64url').readUInt32BE()
}
