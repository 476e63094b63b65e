import type { Catalog } from '../../model/access/enforce.ts'
import { LONGEST_NAME, nameOf, peopleFields } from '../../model/reading/people.ts'
import { spelledWords } from '../../model/reading/role-test.ts'
import type { Queryable, Value } from '../engine/database.ts'
import { BuiltNames, holdingWords } from './named-records.ts'

/** A person named in records, identified by an address or by a name in lower case. */
export interface NamedPerson {
  person: string
  /** The person's names, the most frequent first. */
  names: string[]
  /** How many records the person wrote. */
  wrote: number
}

interface PeopleQuery {
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

/** Up to this many records that have several of the names are deduplicated one by one. */
const MOST_TOLD_APART = 10_000

interface Asked {
  owner_id: string
  catalog: Pick<Catalog, 'connections'>
  /** Addresses and names of one person. */
  people: readonly string[]
}

/**
 * In how many records of each connection a person is named, as the owner sees it; null if that would have to be counted
 * record by record.
 */
export async function countByConnection(
  database: Queryable,
  { owner_id, catalog, people }: Asked,
): Promise<Map<string, number | null>> {
  const names = new Map<number, { connection_id: string; n: number }>()
  const possible = people.filter(({ length }) => length <= LONGEST_NAME)
  for (const words of possible.map(spelledWords).filter(each => each.length > 0)) {
    const { sql, patterns } = holdingWords(words)
    const rows = await database.all<{ name_no: number; connection_id: string; n: number }>(
      `SELECT name_no, connection_id, n FROM names WHERE owner_id = ? AND ${sql}`,
      [owner_id, ...patterns],
    )
    for (const { name_no, ...row } of rows) names.set(name_no, row)
  }
  const unbuilt = await notBuilt(database, { owner_id, catalog })
  const counts = new Map<string, number | null>()
  const several: number[] = []
  for (const { connection_id } of catalog.connections) {
    const own = [...names].filter(([, name]) => name.connection_id === connection_id)
    const most = own.reduce((sum, [, { n }]) => sum + n, 0)
    const isCounted = !unbuilt.has(connection_id) && (own.length < 2 || most <= MOST_TOLD_APART)
    counts.set(connection_id, isCounted ? most : null)
    if (isCounted && own.length > 1) for (const [name_no] of own) several.push(name_no)
  }
  if (several.length === 0) return counts
  // As an expression it is checked only for the names found: otherwise SQLite would go through the whole list for each
  // of them.
  const told = await database.all<{ connection_id: string; n: number }>(
    `SELECT connection_id, CAST(count(*) AS BIGINT) AS n FROM (
       SELECT DISTINCT n.connection_id, n.stream, r.record_key
       FROM names n JOIN name_records r ON r.owner_id = n.owner_id AND r.name_no = n.name_no
       WHERE n.owner_id = ? AND ${database.oneOf('(n.name_no + 0)', 'bigint')}
     ) AS t GROUP BY connection_id`,
    [owner_id, database.list(several)],
  )
  for (const { connection_id, n } of told) counts.set(connection_id, n)
  return counts
}

/** Connections with a stream whose names are not all written yet. */
async function notBuilt(
  database: Queryable,
  { owner_id, catalog }: Pick<Asked, 'owner_id' | 'catalog'>,
): Promise<Set<string>> {
  const built = await BuiltNames.read(database, owner_id)
  const unbuilt = catalog.connections.filter(({ connection_id, declaration }) =>
    declaration.streams.some(
      stream => built.have(connection_id, stream.name, peopleFields(stream)) === false,
    ),
  )
  return new Set(unbuilt.map(({ connection_id }) => connection_id))
}
