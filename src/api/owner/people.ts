import { list } from '../list.ts'
import * as p from '../parameter.ts'
import { ownerRoute } from '../route.ts'
import type { Schema, Typed } from '../schema.ts'
import * as s from '../schema.ts'

const PEOPLE = '/v1/owner/people'
const MEMBERS: Schema<string[]> = {
  type: 'array',
  minItems: 1,
  maxItems: 50,
  items: { type: 'string', minLength: 1, maxLength: 500 },
}
const TOLD = { name: s.textUpTo(200), members: MEMBERS }
const PERSON = s.object({ object: s.constant('person'), person_id: s.TEXT, created_at: s.TIME, ...TOLD })

const NAMED = {
  object: s.constant('named_person'),
  /** An address, or a name in lower case; if several were merged into one person, the first of them. */
  person: s.TEXT,
  /** The person's names, the most frequent first; before them the one that the owner gave. */
  names: s.listOf(s.TEXT),
  members: s.listOf(s.TEXT),
  /** The id of the item that merges the members into one person. */
  person_id: s.orNull(s.TEXT),
  /** How many records the person wrote. */
  wrote: s.COUNT,
}
const LISTED = s.object(NAMED)
const IN_SOURCE = s.object({
  connection_id: s.TEXT,
  /** How many of its records name the person; null if that would have to be counted one by one. */
  record_count: s.orNull(s.COUNT),
})

export type NamedPerson = Typed<typeof LISTED>

export const listNamed = ownerRoute('GET', '/v1/owner/named-people', {
  summary: 'The people named in the records; those who wrote most come first',
  parameters: { q: p.text({ max: 200 }), limit: p.limit(100, 500) },
  reply: list(LISTED, {}, { count: s.COUNT }),
})

export const readNamed = ownerRoute('GET', '/v1/owner/named-people/:person', {
  summary: 'How a person is named, and in how many records of each source',
  reply: s.object({ ...NAMED, connections: s.listOf(IN_SOURCE) }),
})

export const listPeople = ownerRoute('GET', PEOPLE, {
  summary: 'The names and addresses that the owner said are one person, and the names that the owner gave',
  reply: list(PERSON),
})

export const joinPeople = ownerRoute('POST', PEOPLE, {
  summary: 'Records that names and addresses are one person, or what to call one; clients never see this',
  body: s.closed(TOLD),
  reply: PERSON,
})

export const separatePeople = ownerRoute('DELETE', `${PEOPLE}/:person_id`, {
  summary: 'Separates names and addresses again, and forgets the name that the owner gave',
})
