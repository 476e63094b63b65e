import * as api from '../../api/owner/people.ts'
import { CodedError } from '../../model/errors.ts'
import { spelledWords } from '../../model/reading/role-test.ts'
import {
  countByConnection,
  findPeople,
  listNamed as listStored,
  type NamedPerson,
} from '../../store/names/people.ts'
import { listItems, type OwnerItem } from '../../store/records/owner-items.ts'
import { type RequestContext, serve } from '../request/context.ts'
import { empty, json } from '../request/responses.ts'

export const readPeople = serve(api.listPeople, async context => context.list(await notedPeople(context)))

export const joinPeople = serve(api.joinPeople, async context => {
  const { name, members } = await context.body()
  const content = { name, members: [...new Set(members)] }
  return json(describe(await context.write('keepItem', { kind: 'person', content })), 201)
})

export const separatePeople = serve(api.separatePeople, async context => {
  const item = { kind: 'person', item_id: context.path.person_id } as const
  if (await context.write('dropItem', item)) return empty(204)
  throw new CodedError('not_found', 'There is no such person.')
})

/** The roles in a conversation with an AI, which appear in place of authors. */
const PARTS = ['assistant', 'system', 'tool', 'user']

/** The streams in which every author is a program or the owner: tools and models are not people. */
const WITH_AN_AI = ['chatgpt_messages', 'claude_messages', 'claude_code_messages', 'codex_messages']

/** Everyone named in records. Names that the owner merged are shown as one person. */
export const listNamed = serve(api.listNamed, async context => {
  const { store, owner_id, parameters } = context
  const { q = '', limit } = parameters
  const words = spelledWords(q)
  const notes = await notedPeople(context)
  const members = [...new Set(notes.flatMap(note => note.members))]
  const found = new Map(
    (await findPeople(store.database, owner_id, members)).map(each => [each.person, each]),
  )
  const together = notes.flatMap(note => {
    const own = note.members.flatMap(member => found.get(member) ?? [])
    const texts = [note.name, ...note.members, ...own.flatMap(({ names }) => names)]
    const text = spelledWords(texts.join(' ')).flat().join(' ')
    const isMeant = words.every(spellings => spellings.some(word => text.includes(word)))
    return own.length > 0 && isMeant ? [joined(note, own)] : []
  })
  const query = { owner_id, words, without: [...members, ...PARTS], notIn: WITH_AN_AI, limit }
  const { people, count } = await listStored(store.database, query)
  const all = [...together, ...people.map(alone)].sort(
    (a, b) => b.wrote - a.wrote || (a.person < b.person ? -1 : 1),
  )
  const isAsked = q.trim() === '' || words.length > 0
  return isAsked
    ? context.list(all.slice(0, limit), {}, { count: count + together.length })
    : context.list([], {}, { count: 0 })
})

/** One person, including the names that the owner merged, whether or not a record names them. */
export const readNamed = serve(api.readNamed, async context => {
  const { store, owner_id, catalog, path } = context
  const note = (await notedPeople(context)).find(({ members }) => members.includes(path.person))
  const members = note?.members ?? [path.person]
  const found = await findPeople(store.database, owner_id, members)
  const [only = { person: path.person, names: [], wrote: 0 }] = found
  const counts = await countByConnection(store.database, { owner_id, catalog, people: members })
  const connections = [...counts].map(([connection_id, record_count]) => ({ connection_id, record_count }))
  return json({ ...(note ? joined(note, found) : alone(only)), connections })
})

type Note = ReturnType<typeof describe>

function alone({ person, names, wrote }: NamedPerson): api.NamedPerson {
  return { object: 'named_person', person, names, members: [person], person_id: null, wrote }
}

function joined({ person_id, name, members }: Note, own: readonly NamedPerson[]): api.NamedPerson {
  const wrote = own.reduce((sum, each) => sum + each.wrote, 0)
  const names = [...new Set([name, ...own.flatMap(each => each.names)])]
  return { object: 'named_person', person: members[0] ?? '', names, members, person_id, wrote }
}

async function notedPeople({ store, owner_id }: Pick<RequestContext, 'store' | 'owner_id'>): Promise<Note[]> {
  return (await listItems(store.database, { owner_id, kind: 'person' })).map(describe)
}

function describe({ item_id, created_at, content }: OwnerItem) {
  const { name, members } = content as { name: string; members: string[] }
  return { object: 'person', person_id: item_id, created_at, name, members } as const
}
