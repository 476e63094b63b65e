import type { QueryOf } from '../../api/route.ts'
import type { search } from '../../api/search.ts'
import { isObject, type JsonObject } from '../../model/json.ts'
import { partText } from '../reading/operators.ts'
import { countIn, recordsText } from './counts.ts'
import type { Sought } from './sought.ts'

/** How many records contain each part of a query of which they must contain everything. */
export async function reasonOfWords(
  { together, narrowing, streams, where, byTime }: Sought,
  read: (query: QueryOf<typeof search>) => Promise<JsonObject | null>,
): Promise<string[]> {
  if (together.length < 2) return []
  const asked = { ...narrowing, streams, where, sort: byTime ? 'newest' : undefined, limit: 1 }
  const alone: { part: string; matches: string | null }[] = []
  for (const q of together) {
    const found = await read({ ...asked, q })
    if (found) alone.push({ part: partText(q), matches: matchesIn(found) })
  }
  if (alone.every(({ matches }) => matches === null)) return []
  const told = alone.map(({ part, matches }) => `${part} ${matches ?? recordsText(0)}`).join(', ')
  return [`No record contains all these words. Alone: ${told}. Leave out words that only ask.`]
}

/** How many records a search matches, as far as it counts them; null if there is none. */
function matchesIn(found: JsonObject): string | null {
  const count = countIn(found)
  const isLeast = isObject(found.meta) && found.meta.count_accuracy === 'lower_bound'
  if (count !== null && count > 0) return `${isLeast ? 'more than ' : ''}${recordsText(count)}`
  return Array.isArray(found.data) && found.data.length > 0 ? 'some records' : null
}
