import type { JsonObject } from '../../model/json.ts'
import type { Row, Table } from '../engine/table.ts'

/** What is wrong with a line of an export; its number is added where it is known. */
export class Malformed extends Error {}

const TYPES = { text: 'string', bigint: 'number' } as const

/** Columns of a table from the members of a line, which have the same names. */
export function readColumns<T extends Table, Name extends keyof T['columns'] & string>(
  { columns }: T,
  names: readonly Name[],
  line: JsonObject,
): Pick<Row<T>, Name> {
  const entries = names.map(name => {
    const type = (columns[name] ?? 'text') as 'text' | 'text?' | 'bigint' | 'bigint?'
    const value = line[name] ?? null
    const wanted = TYPES[type.replace('?', '') as keyof typeof TYPES]
    if (value === null && !type.endsWith('?')) throw new Malformed(`has no ${name}`)
    if (value !== null && typeof value !== wanted)
      throw new Malformed(`has a ${name} that is not a ${wanted}`)
    return [name, value]
  })
  return Object.fromEntries(entries)
}
