import { readNamed } from '../../api/owner/people.ts'
import type { ReplyOf } from '../../api/route.ts'
import type { Visit } from '../visit.ts'

export type Person = ReplyOf<typeof readNamed>

/** The person with an address or name, whether or not any record names them. */
export function readPerson(visit: Visit, person: string): Promise<Person> {
  return visit.plain.call(readNamed, { person })
}
