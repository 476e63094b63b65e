import { aggregate } from '../../api/aggregate.ts'
import { listPeople } from '../../api/owner/people.ts'
import { listByTime, type RecordBody } from '../../api/records.ts'
import type { ReplyOf } from '../../api/route.ts'
import { listStreams, readSchema } from '../../api/streams.ts'
import { fieldsWithRole, type StreamDeclaration } from '../../model/declaration/declaration.ts'
import type { Json } from '../../model/json.ts'
import type { ConsoleEnvironment } from '../environment.ts'
import { orNull, type Visit } from '../visit.ts'

/** So many of the newest records are looked at for who is in them. */
const LATEST = 300
const PAGE = 100
const MOST_WRITERS = 100

export interface Person {
  /** An address, or a name in small letters; for several that are one, the first of them. */
  key: string
  /** What the person is called, the most frequent first. */
  names: string[]
  /** Every address and name that the owner said is this person. */
  members: string[]
  /** The note that says so; null for one address or name. */
  person_id: string | null
  /** How many records the person wrote, where that is counted. */
  wrote: number
}

type Noted = ReplyOf<typeof listPeople>['data'][number]
type Found = Map<string, { names: Map<string, number>; wrote: number }>

/** An address is the same person wherever it occurs; a name without one is the same as itself alone. */
export function keyOf(text: string): string {
  const address = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/.exec(text)?.[0]
  return (address ?? text).trim().toLowerCase()
}

/** `Tilda Brennick <tilda@example.org>` as Tilda Brennick. */
export function nameOf(text: string): string {
  const name = text.replace(/<[^<>\s]*@[^<>\s]*>/g, '').replace(/^["'\s]+|["'\s]+$/g, '')
  return name === '' ? text.trim() : name
}

/** Who wrote most, and everyone in the newest records; with words, everyone in the newest records with such a person. */
export async function readPeople(visit: Visit, words: string): Promise<Person[]> {
  const [{ streams }, { data: noted }] = await Promise.all([
    visit.call(readSchema, {}, { query: { view: 'full' } }),
    visit.call(listPeople, {}),
  ])
  const declared: Declared = new Map(streams.map(each => [each.stream, each as unknown as StreamDeclaration]))
  const { writers, records } = await known(visit, declared)
  const found: Found = structuredClone(writers)
  const others = words === '' ? records : await latest(visit, words)
  for (const record of others) addPeopleOf(record, declared.get(record.stream), found)
  const people = joined(found, noted)
  const wanted = words.toLowerCase().split(/\s+/)
  return people
    .filter(({ names, members }) => {
      const text = [...names, ...members].join(' ').toLowerCase()
      return wanted.every(word => text.includes(word))
    })
    .sort((a, b) => b.wrote - a.wrote || (a.names[0] ?? '').localeCompare(b.names[0] ?? ''))
}

type Declared = ReadonlyMap<string, StreamDeclaration>

interface Known {
  /** What the data was like then; when it changes, everything is read again. */
  state: string
  writers: Found
  records: RecordBody[]
}

const KNOWN = new WeakMap<ConsoleEnvironment, Promise<Known>>()

/** Counting who wrote how much reads every record, so it is done once for each state of the data. */
async function known(visit: Visit, declared: Declared): Promise<Known> {
  const { data } = await visit.call(listStreams, {})
  const state = JSON.stringify(data)
  const before = await KNOWN.get(visit.env)?.catch(() => null)
  if (before?.state === state) return before
  const made = read(visit, declared, state)
  KNOWN.set(visit.env, made)
  return made
}

async function read(visit: Visit, declared: Declared, state: string): Promise<Known> {
  const writers: Found = new Map()
  const [records] = await Promise.all([
    latest(visit, ''),
    ...[...declared].map(([stream, each]) => addWriters(visit, stream, each, writers)),
  ])
  return { state, writers, records }
}

async function latest(visit: Visit, words: string): Promise<RecordBody[]> {
  const records: RecordBody[] = []
  let cursor: string | undefined
  do {
    const person = words === '' ? {} : { person: words }
    const query = { ...person, limit: PAGE, max_field_chars: 500, ...(cursor ? { cursor } : {}) }
    const page = await orNull(visit.call(listByTime, {}, { query }))
    records.push(...(page?.data ?? []))
    cursor = page?.next_cursor
  } while (cursor !== undefined && records.length < LATEST)
  return records
}

/** The exact counts of a stream's writers, for fields that it can be counted by. */
async function addWriters(
  visit: Visit,
  stream: string,
  declared: StreamDeclaration,
  found: Found,
): Promise<void> {
  const countable = declared.query?.aggregations?.group_by ?? []
  const field = fieldsWithRole(declared, ['actor']).find(each => countable.includes(each))
  if (field === undefined) return
  const query = { group_by: field, limit: MOST_WRITERS }
  const figures = await orNull(visit.call(aggregate, { stream }, { query }))
  for (const { key, count = 0 } of figures?.groups ?? [])
    if (typeof key === 'string' && key.trim() !== '') add(found, key).wrote += count
}

function addPeopleOf({ data }: RecordBody, declared: StreamDeclaration | undefined, found: Found): void {
  if (!declared) return
  for (const field of fieldsWithRole(declared, ['actor', 'recipient', 'participant']))
    for (const text of textsOf(data[field])) add(found, text)
}

function add(found: Found, text: string) {
  const key = keyOf(text)
  const person = found.get(key) ?? { names: new Map<string, number>(), wrote: 0 }
  found.set(key, person)
  const name = nameOf(text)
  person.names.set(name, (person.names.get(name) ?? 0) + 1)
  return person
}

function textsOf(value: Json | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf)
  return typeof value === 'string' && value.trim() !== '' && value.length <= 500 ? [value] : []
}

/** Puts those together that the owner said are one. */
function joined(found: Found, noted: readonly Noted[]): Person[] {
  const taken = new Set<string>()
  const together = noted.flatMap(({ person_id, name, members }): Person[] => {
    const own = members.filter(member => found.has(member))
    for (const member of members) taken.add(member)
    if (own.length === 0) return []
    const wrote = own.reduce((sum, member) => sum + (found.get(member)?.wrote ?? 0), 0)
    return [{ key: members[0] ?? '', names: [name], members, person_id, wrote }]
  })
  const alone = [...found].flatMap(([key, { names, wrote }]): Person[] =>
    taken.has(key) ? [] : [{ key, names: byCount(names, key), members: [key], person_id: null, wrote }],
  )
  return [...together, ...alone]
}

/** A name says more than the address that stands for it. */
function byCount(names: ReadonlyMap<string, number>, key: string): string[] {
  const isKey = (name: string) => Number(name.toLowerCase() === key)
  return [...names].sort(([a, n], [b, m]) => isKey(a) - isKey(b) || m - n).map(([name]) => name)
}

/** The person of an address or name, whether or not anything is known of it. */
export async function readPerson(visit: Visit, key: string): Promise<Person> {
  const { data } = await visit.call(listPeople, {})
  const noted = data.find(({ members }) => members.includes(key))
  if (!noted) return { key, names: [key], members: [key], person_id: null, wrote: 0 }
  const { person_id, name, members } = noted
  return { key: members[0] ?? key, names: [name], members, person_id, wrote: 0 }
}
