import { listPeople } from '../../api/owner/people.ts'
import type { Visit } from '../visit.ts'

export interface Person {
  /** An address, or a name in small letters; for several that are one, the first of them. */
  key: string
  /** What the owner called those that are one. */
  name: string | null
  /** Every address and name that the owner said is this person. */
  members: string[]
  /** The note that says so; null for one address or name. */
  person_id: string | null
}

/** The person of an address or name, whether or not anything is known of it. */
export async function readPerson(visit: Visit, key: string): Promise<Person> {
  const { data } = await visit.call(listPeople, {})
  const noted = data.find(({ members }) => members.includes(key))
  if (!noted) return { key, name: null, members: [key], person_id: null }
  const { person_id, name, members } = noted
  return { key: members[0] ?? key, name, members, person_id }
}
