import { list } from '../list.ts'
import { ownerRoute } from '../route.ts'
import type { Schema } from '../schema.ts'
import * as s from '../schema.ts'

const PEOPLE = '/v1/owner/people'
const MEMBERS: Schema<string[]> = {
  type: 'array',
  minItems: 2,
  maxItems: 50,
  items: { type: 'string', minLength: 1, maxLength: 500 },
}
const TOLD = { name: s.textUpTo(200), members: MEMBERS }
const PERSON = s.object({ object: s.constant('person'), person_id: s.TEXT, created_at: s.TIME, ...TOLD })

export const listPeople = ownerRoute('GET', PEOPLE, {
  summary: 'The names and addresses that the owner said are one person',
  reply: list(PERSON),
})

export const joinPeople = ownerRoute('POST', PEOPLE, {
  summary: 'Notes that names and addresses are one person; clients never notice',
  body: s.closed(TOLD),
  reply: PERSON,
})

export const separatePeople = ownerRoute('DELETE', `${PEOPLE}/:person_id`, {
  summary: 'Forgets that names and addresses are one person',
})
