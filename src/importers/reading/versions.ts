import { hash } from 'node:crypto'
import { IdPrints } from '../id-prints.ts'

/** Null for the first version of an id and for equal ones; a mark for any other. */
export type VersionOf = (id: string, content: string) => string | null

/**
 * Tells different items apart that share an id, as in two exports side by side. All items are read once before, so that
 * a resumed reading decides the same.
 */
export async function versionsIn(items: AsyncIterable<{ id: string; content: string }>): Promise<VersionOf> {
  const first = new IdPrints('ids with marks')
  for await (const { id, content } of items) first.knownOrKeep(id, numberOf(markOf(content)))
  return (id, content) => {
    const mark = markOf(content)
    return (first.markOf(id) ?? numberOf(mark)) === numberOf(mark) ? null : mark
  }
}

/** The same while the items are read, from the first one on. */
export function versionsSoFar(): VersionOf {
  const first = new IdPrints('ids with marks')
  return (id, content) => {
    const mark = markOf(content)
    const known = first.knownOrKeep(id, numberOf(mark))
    return known === null || known.mark === numberOf(mark) ? null : mark
  }
}

function markOf(content: string): string {
  return hash('sha256', content, 'base64url').slice(0, 16)
}

/** The first 32 bits of a mark. */
function numberOf(mark: string): number {
  return Buffer.from(mark.slice(0, 8), 'base64url').readUInt32BE()
}
