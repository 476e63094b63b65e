import * as p from './parameter.ts'

/**
 * What narrows a list, a search or a figure by the roles of fields. Several values must all hold. The names are those of
 * the operators in a query.
 */
export const NARROWING = {
  person: p.texts(),
  from: p.texts(),
  to: p.texts(),
  with: p.texts(),
  in: p.texts(),
  has: p.texts(),
  type: p.texts(),
  since: p.time(),
  until: p.time(),
}

export const NARROWING_NAMES = Object.keys(NARROWING) as (keyof typeof NARROWING)[]

/** Which sources are read: connections by id, and kinds of sources by name. */
export const SOURCES = { connection_id: p.texts(), connector: p.texts() }
