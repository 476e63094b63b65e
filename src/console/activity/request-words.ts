import { aggregate } from '../../api/aggregate.ts'
import { readBlob } from '../../api/blobs.ts'
import { readConversation } from '../../api/conversation.ts'
import { fieldWindow, listByTime, listRecords, readRecord } from '../../api/records.ts'
import type { Route } from '../../api/route.ts'
import { search } from '../../api/search.ts'
import { listStreams, readSchema, readStream } from '../../api/streams.ts'
import { counted, number } from '../../model/amounts.ts'
import { humanName, joined } from '../../pages/words.ts'
import { type Disclosure, summed } from '../apps/app-reads.ts'

/** What an app does with these routes, in the singular and the plural. */
interface Act {
  routes: readonly Route[]
  once: string
  often: (n: string) => string
  /** What it wanted if it was refused; a search was made in any case. */
  wanted?: string
  /** What it shows is exactly what was asked for. */
  isAboutOne?: true
}

const ACTS: readonly Act[] = [
  { routes: [search], once: 'searched', often: n => `searched ${n} times` },
  {
    routes: [listRecords, listByTime],
    once: 'listed records',
    often: n => `listed records ${n} times`,
    wanted: 'a list of records',
  },
  {
    routes: [readRecord],
    once: 'opened a record',
    often: n => `opened ${n} records`,
    wanted: 'a record',
    isAboutOne: true,
  },
  {
    routes: [fieldWindow],
    once: 'read a part of a text',
    often: n => `read ${n} parts of texts`,
    wanted: 'a part of a text',
    isAboutOne: true,
  },
  {
    routes: [readConversation],
    once: 'read a conversation',
    often: n => `read ${n} conversations`,
    wanted: 'a conversation',
  },
  {
    routes: [readBlob],
    once: 'downloaded a file',
    often: n => `downloaded ${n} files`,
    wanted: 'a file',
    isAboutOne: true,
  },
  {
    routes: [aggregate],
    once: 'counted records',
    often: () => 'counted records',
    wanted: 'a count of records',
  },
]
const ASKED: Act = {
  routes: [readSchema, listStreams, readStream],
  once: 'asked what it may read',
  often: () => 'asked what it may read',
}

const BY_ROUTE = new Map<string, Act>(
  [...ACTS, ASKED].flatMap(act => act.routes.map(({ method, path }) => [`${method} ${path}`, act] as const)),
)

/** A part of a sentence; words that an app searched for are highlighted. */
export type Said = string | { searched: string }

const MOST_SEARCHES = 3

/** What an app did in some requests, as a sentence without its subject. */
export function doneWords(requests: readonly Disclosure[]): Said[] {
  const allowed = requests.filter(({ status }) => status < 400)
  const acts = Map.groupBy(allowed.length === 0 ? requests : allowed, ({ route }) => BY_ROUTE.get(route))
  const done = ACTS.flatMap(act => {
    const own = acts.get(act)
    return own ? [[...actWords(act, own)]] : []
  })
  if (done.length === 0) return [acts.has(ASKED) ? ASKED.once : `asked ${requests[0]?.route}`]
  return done.flatMap((words, index) =>
    index === 0 ? words : [index === done.length - 1 ? ' and ' : ', ', ...words],
  )
}

function actWords({ once, often, wanted }: Act, requests: readonly Disclosure[]): Said[] {
  if (wanted && requests.every(({ status }) => status >= 400)) return [`asked for ${wanted}`]
  const words = [...new Set(requests.flatMap(each => searchedFor(each) ?? []))].reverse()
  if (words.length === 0) return [requests.length === 1 ? once : often(number(requests.length))]
  const more = words.length - MOST_SEARCHES
  return [
    `${once} `,
    ...words
      .slice(0, MOST_SEARCHES)
      .flatMap((searched, index): Said[] => (index === 0 ? [{ searched }] : [', ', { searched }])),
    ...(more > 0 ? [` and ${more} more`] : []),
  ]
}

/** The words of a search; null if they are not shown. */
function searchedFor({ route, query }: Disclosure): string | null {
  if (!query || BY_ROUTE.get(route)?.routes[0] !== search) return null
  return new URL(query, 'http://footnote.invalid').searchParams.get('q')
}

const TITLES = ['subject', 'title', 'name']

/** What the app was shown: 10 subjects and 3 passages. Empty if nothing, or only what it asked for by name. */
export function seenWords(requests: readonly Disclosure[]): string {
  const broad = requests.filter(({ route }) => !BY_ROUTE.get(route)?.isAboutOne)
  const nouns = new Map<string, Set<string>>()
  for (const { route, shown } of broad)
    for (const { connection_id, stream, record_ids, fields } of shown) {
      if (record_ids.length === 0) continue
      const title = route.endsWith(search.path) ? TITLES.find(field => fields.includes(field)) : undefined
      const noun = title === undefined ? 'record' : humanName(title).toLowerCase()
      const seen = nouns.get(noun) ?? new Set()
      for (const id of record_ids) seen.add(JSON.stringify([connection_id, stream, id]))
      nouns.set(noun, seen)
    }
  const { passages } = summed(broad)
  return joined([
    ...[...nouns].map(([noun, { size }]) => counted(size, noun)),
    ...(passages === 0 ? [] : [counted(passages, 'passage')]),
  ])
}

/** What had no result: refused requests, and searches that found nothing. */
export function failedWords(requests: readonly Disclosure[]): string {
  const refused = requests.filter(({ status }) => status >= 400).length
  const empty = requests.filter(isEmptySearch).length
  return [
    ...(refused === 0 ? [] : [`${counted(refused, 'request')} ${refused === 1 ? 'was' : 'were'} refused.`]),
    ...(empty === 0 ? [] : [`${counted(empty, 'search', 'searches')} found nothing.`]),
  ].join(' ')
}

function isEmptySearch({ route, status, shown }: Disclosure): boolean {
  const isSearch = BY_ROUTE.get(route)?.routes[0] === search
  return isSearch && status < 400 && shown.every(each => each.record_ids.length === 0)
}

/** Why a request was refused; empty if it was not. */
export function refusedWords({ status }: Disclosure): string {
  if (status < 400) return ''
  if (status === 403) return 'It may not read this.'
  if (status === 404) return 'There is no such thing, or it may not read it.'
  if (status === 429) return 'It asked too often.'
  return status < 500 ? 'The request was not valid.' : 'The server could not answer.'
}

/** One request as a sentence without its subject: searched engine, and saw 3 subjects. */
export function requestWords(disclosure: Disclosure): Said[] {
  const done = doneWords([disclosure])
  if (disclosure.status >= 400) return [...done, ', and was refused']
  if (isEmptySearch(disclosure)) return [...done, ', and found nothing']
  const seen = seenWords([disclosure])
  return seen === '' ? done : [...done, `, and saw ${seen}`]
}
