import { limit, text, texts, time, unbound, type Warning } from './parameter.ts'
import type { Schema, Typed } from './schema.ts'
import * as s from './schema.ts'

/** How many items a page contains. */
export const PAGE_LIMITS = { usual: 25, most: 100 }

/** The parameters of a paged list. */
export const PAGE = { limit: limit(PAGE_LIMITS.usual, PAGE_LIMITS.most), cursor: unbound(text()) }

/** A whole list, or a page of it; `Meta` is what some routes say about it besides warnings. */
export interface List<T, Meta = Record<never, never>> {
  object: 'list'
  /** The requested path. */
  url: string
  data: T[]
  has_more: boolean
  next_cursor?: string
  next_changes_since?: string
  meta: { warnings: Warning[] } & Meta
}

export const WARNINGS: Schema<Warning[]> = s.listOf(
  s.named('Warning', { code: s.TEXT, message: s.TEXT }, { param: s.TEXT, detail: {} as Schema<unknown> }),
)

type Optional = Readonly<Record<string, Schema<unknown>>>

export function list<T, Meta extends Optional = Record<never, never>>(
  item: Schema<T>,
  page: Optional = {},
  meta?: Meta,
): Schema<List<T, { [Name in keyof Meta]?: Typed<Meta[Name]> }>> {
  const members = {
    object: { const: 'list' },
    url: s.TEXT,
    data: s.listOf(item),
    has_more: s.FLAG,
    meta: s.object({ warnings: WARNINGS }, meta),
  }
  return s.object(members, { next_cursor: s.TEXT, ...page }) as Schema<never>
}

/**
 * What narrows a list, a search or a figure by the roles of fields. If several values are given, all must match. The
 * names are those of the operators in a query.
 */
export const NARROWING = {
  person: texts(),
  from: texts(),
  to: texts(),
  with: texts(),
  in: texts(),
  has: texts(),
  type: texts(),
  since: time(),
  until: time(),
}

export const NARROWING_NAMES = Object.keys(NARROWING) as (keyof typeof NARROWING)[]

/** Which sources are read: connections by id, and kinds of sources by name. */
export const SOURCES = { connection_id: texts(), connector: texts() }
