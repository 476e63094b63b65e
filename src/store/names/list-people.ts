import { nameOf } from '../../model/reading/people.ts'
import type { Queryable, Value } from '../engine/database.ts'

/** A person named in records, identified by an address or by a name in lower case. */
export interface NamedPerson {
  person: string
  /** The person's names, the most frequent first. */
  names: string[]
  /** How many records the person wrote. */
  wrote: number
}

export interface PeopleQuery {
  owner_id: string
  /** Only people whose texts contain these parts of words, each in one of its spellings. */
  words: readonly (readonly string[])[]
  /** People to leave out. */
  without: readonly string[]
  /** Streams that do not make a name a person's. */
  notIn: readonly string[]
  limit: number
}

/** The people named in the owner's records, those who wrote most first, and how many there are in total. */
export async function listNamed(
  database: Queryable,
  { owner_id, words, without, notIn, limit }: PeopleQuery,
): Promise<{ people: NamedPerson[]; count: number }> {
  const left = `person <> '' AND NOT ${database.oneOf('person', 'text')} AND NOT ${database.oneOf('stream', 'text')}`
  const holding = words
    .map(spellings => ` AND (${spellings.map(() => 'words LIKE ?').join(' OR ')})`)
    .join('')
  const within: Value[] = [database.list(without), database.list(notIn)]
  const matching = `SELECT DISTINCT person FROM names WHERE owner_id = ? AND ${left}${holding}`
  const params = [owner_id, ...within, ...words.flat().map(word => `%${word}%`)]
  const counted = await database.get<{ n: number }>(
    `SELECT CAST(count(*) AS BIGINT) AS n FROM (${matching}) AS m`,
    params,
  )
  const top = await database.all<{ person: string; wrote: number }>(
    `SELECT person, CAST(sum(n * wrote) AS BIGINT) AS wrote FROM names
     WHERE owner_id = ? AND person IN (${matching}) GROUP BY person ORDER BY 2 DESC, 1 LIMIT ?`,
    [owner_id, ...params, limit],
  )
  return { people: await withNames(database, owner_id, top), count: counted?.n ?? 0 }
}

/** Which of these people are named in the owner's records. */
export async function findPeople(
  database: Queryable,
  owner_id: string,
  people: readonly string[],
): Promise<NamedPerson[]> {
  if (people.length === 0) return []
  const found = await database.all<{ person: string; wrote: number }>(
    `SELECT person, CAST(sum(n * wrote) AS BIGINT) AS wrote FROM names
     WHERE owner_id = ? AND ${database.oneOf('person', 'text')} GROUP BY person`,
    [owner_id, database.list(people)],
  )
  return withNames(database, owner_id, found)
}

async function withNames(
  database: Queryable,
  owner_id: string,
  people: readonly { person: string; wrote: number }[],
): Promise<NamedPerson[]> {
  const texts = await database.all<{ person: string; text: string; n: number }>(
    `SELECT person, text, CAST(sum(n) AS BIGINT) AS n FROM names
     WHERE owner_id = ? AND ${database.oneOf('person', 'text')} GROUP BY person, text`,
    [owner_id, database.list(people.map(({ person }) => person))],
  )
  const counts = new Map<string, Map<string, number>>(people.map(({ person }) => [person, new Map()]))
  for (const { person, text, n } of texts) {
    const names = counts.get(person)
    const name = nameOf(text)
    names?.set(name, (names.get(name) ?? 0) + n)
  }
  return people.map(each => ({ ...each, names: byCount(counts.get(each.person) ?? new Map(), each.person) }))
}

/** A name says more than an address used in place of one. */
function byCount(names: ReadonlyMap<string, number>, person: string): string[] {
  const isAddress = (name: string) => Number(name.toLowerCase() === person)
  const sorted = [...names].sort(
    ([a, n], [b, m]) => isAddress(a) - isAddress(b) || m - n || (a < b ? -1 : Number(a > b)),
  )
  return sorted.map(([name]) => name)
}
