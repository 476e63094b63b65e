import { createHash } from 'node:crypto'

/**
 * Tells different items apart that share an id, as in two exports side by side: null for the first version of an id and
 * for equal ones; a mark for any other. All items are read once before, so that a resumed reading decides the same.
 */
export async function versionsIn(
  items: AsyncIterable<{ id: string; content: string }>,
): Promise<(id: string, content: string) => string | null> {
  const first = new Map<string, string>()
  for await (const { id, content } of items) if (!first.has(id)) first.set(id, markOf(content))
  return (id, content) => {
    const mark = markOf(content)
    return (first.get(id) ?? mark) === mark ? null : mark
  }
}

function markOf(content: string): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 16)
}
