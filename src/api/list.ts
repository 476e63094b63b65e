import { limit, text, unbound, type Warning } from './parameter.ts'
import { FLAG, listOf, named, object, type Schema, TEXT } from './schema.ts'

/** The parameters of a list that comes in pages. */
export const PAGE = { limit: limit(25, 100), cursor: unbound(text()) }

/** A list, whole or a page of it. */
export interface List<T> {
  object: 'list'
  data: T[]
  has_more: boolean
  next_cursor?: string
  next_changes_since?: string
  meta: { warnings: Warning[]; count?: number }
}

export const WARNINGS: Schema<Warning[]> = listOf(
  named('Warning', object({ code: TEXT, message: TEXT }, { param: TEXT, detail: {} as Schema<unknown> })),
)

type Optional = Readonly<Record<string, Schema<unknown>>>

export function list<T>(item: Schema<T>, page: Optional = {}, meta: Optional = {}): Schema<List<T>> {
  const members = {
    object: { const: 'list' },
    data: listOf(item),
    has_more: FLAG,
    meta: object({ warnings: WARNINGS }, meta),
  }
  return object(members, { next_cursor: TEXT, ...page }) as Schema<never>
}
