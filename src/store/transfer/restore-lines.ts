import type { Json } from '../../model/json.ts'

/** What is wrong with a line of an export; its number is added where it is known. */
export class Malformed extends Error {}

/** A member of a line as the column it becomes. */
export function columnValue(
  value: Json | undefined,
  column: string,
  type: 'string' | 'number',
): string | number | null {
  if (value === null || value === undefined) return null
  if (typeof value === type) return value as string | number
  throw new Malformed(`has a ${column} that is no ${type}`)
}
