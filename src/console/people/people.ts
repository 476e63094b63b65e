import { listNamed, type NamedPerson, readNamed } from '../../api/owner/people.ts'
import type { ReplyOf } from '../../api/route.ts'
import { authorName } from '../author-name.ts'
import { orNull, type Visit } from '../visit.ts'

export type Person = ReplyOf<typeof readNamed>

/** The person with an address or name, whether or not any record names them. */
export function readPerson(visit: Visit, person: string): Promise<Person> {
  return visit.plain.call(readNamed, { person })
}

/** What a person is called in lists, and the addresses and other names that tell them apart from others. */
export function calledOf({ names, person, members }: Pick<NamedPerson, 'names' | 'person' | 'members'>): {
  name: string
  others: string[]
} {
  const name = authorName(names[0] ?? person)
  const own = name.toLowerCase()
  // A member that is a name with an altered address, which no longer counts as one, is told without the name.
  const told = members.map(each => (each.startsWith(`${own} <`) ? each.slice(own.length + 2, -1) : each))
  // Records say how a name is spelled; what tells people apart has no capitals.
  const spelled = new Map(names.map(each => [each.toLowerCase(), each]))
  return { name, others: told.filter(each => each !== own).map(each => spelled.get(each) ?? each) }
}

const MOST_EXAMINED = 50
const MOST_NAMESAKES = 5

/** Others in the records with the same name: they may be the same person under another address. */
export async function namesakesOf(visit: Visit, person: Person): Promise<NamedPerson[]> {
  const { name } = calledOf(person)
  const query = { q: name.slice(0, 200), limit: MOST_EXAMINED }
  const found = await orNull(visit.plain.call(listNamed, {}, { query }))
  const isNamesake = (each: NamedPerson) =>
    !person.members.includes(each.person) &&
    each.names.some(other => authorName(other).toLowerCase() === name.toLowerCase())
  return (found?.data ?? []).filter(isNamesake).slice(0, MOST_NAMESAKES)
}
