import { builtNames } from '../../model/search/index-version.ts'
import type { Queryable } from '../engine/database.ts'

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
    return new BuiltNames(
      new Map(
        states.map(({ connection_id, stream, version }) => [
          placeOf(connection_id, stream),
          builtNames(version),
        ]),
      ),
    )
  }

  /** Whether all names in these fields of a stream are written; null if the stream has no records. */
  have(connection_id: string, stream: string, fields: readonly string[]): boolean | null {
    const built = this.#fields.get(placeOf(connection_id, stream))
    return built ? fields.every(field => built.includes(field)) : null
  }
}

function placeOf(connection_id: string, stream: string): string {
  return `${connection_id}/${stream}`
}
