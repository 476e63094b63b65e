import { placeKey, type Source } from '../../model/access/enforce.ts'
import { recordKey } from '../../model/declaration/keys.ts'
import type { CompiledCondition, SelectedSource } from '../../model/reading/filter.ts'
import type { RoleCondition, SpelledWords } from '../../model/reading/role-test.ts'
import { builtNames } from '../../model/search/index-version.ts'
import { isUnspaced } from '../../model/text/analyzer.ts'
import type { Queryable } from '../engine/database.ts'

/** The names that pass a condition of a source, in fields that the condition examines. */
export interface FoundNames {
  owner_id: string
  numbers: number[]
  /** How many records they have; a record with several of the names is counted several times. */
  records: number
  condition: RoleCondition
}

interface Selected {
  owner_id: string
  parts: readonly SelectedSource[]
}

/** For each part that asks for people, the names to look up; a part is missing if every record has to be read. */
export async function findNames(
  database: Queryable,
  { owner_id, parts }: Selected,
): Promise<Map<Source, FoundNames>> {
  const asking = parts.flatMap(({ source, conditions }) => {
    const condition = conditions.find(asksForPeople)
    return condition ? [{ source, condition }] : []
  })
  const found = new Map<Source, FoundNames>()
  if (asking.length === 0) return found
  const built = await BuiltNames.read(database, owner_id)
  for (const { source, condition } of asking) {
    if (built.have(source.connection_id, source.stream.name, condition.fields))
      found.set(source, await namesHolding(database, owner_id, source, condition))
  }
  return found
}

/** Only the first such condition of a source is looked up. */
export function asksForPeople(condition: CompiledCondition): condition is RoleCondition {
  return 'test' in condition && condition.test === 'words'
}

/** A condition on `words` of a name: it contains each of these words, in one of its spellings. */
export function holdingWords(words: SpelledWords): { sql: string; patterns: string[] } {
  const sql = words.map(spellings => `(${spellings.map(() => 'words LIKE ?').join(' OR ')})`).join(' AND ')
  // Words are letters and digits, which have no special meaning in a pattern.
  const patternOf = (word: string) => (isUnspaced(word) ? `%${word}%` : `% ${word} %`)
  return { sql, patterns: words.flat().map(patternOf) }
}

async function namesHolding(
  database: Queryable,
  owner_id: string,
  { connection_id, stream }: Source,
  condition: RoleCondition,
): Promise<FoundNames> {
  const { fields, anyOf } = condition
  const held = anyOf.map(holdingWords)
  const sql = held.map(each => `(${each.sql})`).join(' OR ')
  const patterns = held.flatMap(each => each.patterns)
  const rows = await database.all<{ name_no: number; n: number }>(
    `SELECT name_no, n FROM names WHERE owner_id = ? AND connection_id = ? AND stream = ?
       AND ${database.oneOf('field', 'text')} AND (${sql})`,
    [owner_id, connection_id, stream.name, database.list(fields.map(recordKey)), ...patterns],
  )
  const records = rows.reduce((sum, { n }) => sum + n, 0)
  return { owner_id, numbers: rows.map(({ name_no }) => name_no), records, condition }
}

/** The fields whose names are written for all records, for each stream of the owner. */
export class BuiltNames {
  readonly #fields: ReadonlyMap<string, readonly string[]>

  private constructor(fields: ReadonlyMap<string, readonly string[]>) {
    this.#fields = fields
  }

  static async read(database: Queryable, owner_id: string): Promise<BuiltNames> {
    const states = await database.all<{ connection_id: string; stream: string; version: string }>(
      'SELECT connection_id, stream, version FROM search_state WHERE owner_id = ?',
      [owner_id],
    )
    const place = ({ connection_id, stream }: (typeof states)[number]) => placeKey(connection_id, stream)
    return new BuiltNames(new Map(states.map(state => [place(state), builtNames(state.version)])))
  }

  /** Whether all names in these fields of a stream are written; null if the stream has no records. */
  have(connection_id: string, stream: string, fields: readonly string[]): boolean | null {
    const built = this.#fields.get(placeKey(connection_id, stream))
    return built ? fields.every(field => built.includes(field)) : null
  }
}
