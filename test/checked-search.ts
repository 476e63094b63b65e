import { askPerson } from './brute-force-people.ts'
import { compareTexts, passes, type Seen } from './brute-force-query.ts'
import {
  excludes,
  isAlike,
  isOneEdit,
  loosened,
  matches,
  type PlainQuery,
  plainWords,
  searchedTexts,
  writeQuery,
} from './brute-force-search.ts'
import { askTimes, ZONES } from './brute-force-times.ts'
import { type Client, INVALID, type Refusal, type World } from './checked-client.ts'
import { at } from './checked-reads.ts'
import type { Random } from './random.ts'

const WORDS = ['lorem', 'ipsum', 'needle', 'x', 'заяц', '漢字', 'needlex', 'b', 'nowhere']

/** A minus sign before a single character excludes nothing. */
const EXCLUDED = WORDS.filter(word => word.length > 1)

export function randomQuery(random: Random): PlainQuery {
  const words = random.some(WORDS, 0.2)
  return {
    words,
    prefixes: random.chance(0.15) ? [random.pick(['lor', 'need', 'зая', 'ips'])] : [],
    phrase: random.chance(0.15) ? [random.pick(WORDS), random.pick(WORDS)] : null,
    excluded: random.chance(0.25) ? random.some(EXCLUDED, 0.1).filter(word => !words.includes(word)) : [],
    excludedPhrase: random.chance(0.1) ? [random.pick(WORDS), random.pick(WORDS)] : null,
  }
}

/**
 * Checks every page of a random search: it returns exactly the records that contain the words in visible fields, and
 * the windows are correct.
 */
export async function trySearch(client: Client): Promise<void> {
  const { random } = client
  const { query, streams, sources, due } = searchScope(client)
  const written = randomQuery(random)
  const conditions = client.conditions(sources, query, due)
  if (conditions.length > 0 && streams !== 1) due.push(INVALID)
  const able = sources.filter(source =>
    conditions.every(({ field }) => client.fieldsOf(source).includes(field)),
  )
  const operators: string[] = []
  const person = askPerson(client, able, query, due, operators)
  const [zone, ahead] = random.pick(ZONES)
  if (zone !== 'UTC') query.set('time_zone', zone)
  const times = askTimes(client, query, operators, ahead)
  query.set('q', [writeQuery(written), ...operators].join(' '))
  const sort = random.pick(['relevance', 'newest', 'oldest'])
  if (sort !== 'relevance') query.set('sort', sort)
  const limit = random.pick([2, 5, 100])
  query.set('limit', String(limit))
  const path = `/v1/search?${query}`
  const open = client
    .seenIn(sources)
    .filter(row => times.holds(row) && passes(conditions, row.data) && person.names(row))
  const expectedOf = (asked: PlainQuery) =>
    open
      .filter(row => matches(asked, searchedTexts(row)))
      .filter(row => sort === 'relevance' || (holdsAll(asked, row) && timeOf(client, row) !== null))
  const vocabulary = visibleWords(client, sources)
  const corrections = new Set<string>()
  let expected: Seen[] = []
  const found: string[] = []
  for (let cursor = ''; ; ) {
    const page = `${path}${cursor && `&cursor=${cursor}`}`
    const answer = await client.ask(page)
    if (client.refused(answer, due, page)) return
    const { data, next_cursor, meta } = answer.body
    const taken = correctionsIn(meta)
    corrections.add(JSON.stringify([...taken]))
    client.equal(corrections.size, 1, `${page} takes the same words on each page`)
    checkCorrections(client, written, vocabulary, taken, page)
    const spelled = { ...written, words: written.words.map(word => taken.get(word) ?? word) }
    spelled.alike = [...written.words, ...spelled.words]
    const strict = expectedOf(spelled)
    const asWords = strict.length === 0 && written.phrase !== null
    const asked = asWords ? { ...loosened(spelled), alike: spelled.alike } : spelled
    expected = asWords ? expectedOf(asked) : strict
    const isPlain = asked.prefixes.length === 0 && asked.phrase === null && !excludes(asked)
    const holding = asked.words.length === 0 ? [] : expected.filter(row => holdsAll(asked, row))
    const counted = isPlain ? [holding.length, 'exact'] : [null, 'not_counted']
    client.equal([meta.count, meta.count_accuracy], counted, page)
    const told = meta.warnings.some(({ code }: { code: string }) => code === 'phrase_as_words')
    client.equal(told, asWords, page)
    for (const hit of data as Hit[]) {
      const row = expected.find(
        ({ source, id }) => nameOf(hit) === nameOf({ ...named(source), record_key: id }),
      )
      client.equal(row !== undefined, true, `${page} finds ${nameOf(hit)}`)
      if (row) checkHit(client, row, hit, asked, page)
      found.push(nameOf(hit))
    }
    if (next_cursor === undefined) break
    cursor = next_cursor
  }
  const names = expected.map(nameOfRow)
  if (sort === 'relevance') client.equal(found.sort(), names.sort(), path)
  else client.equal(found, inTurn(client, expected, sort).map(nameOfRow), path)
}

/** The known words. Any other word may be misspelt. */
export function visibleWords(client: Client, sources: World['sources']): Set<string> {
  return new Set(client.seenIn(sources).flatMap(row => searchedTexts(row).flatMap(plainWords)))
}

interface Corrected {
  warnings: { code: string; detail?: { written: string; taken: string } }[]
}

export function correctionsIn({ warnings }: Corrected): Map<string, string> {
  const corrected = warnings.filter(({ code }) => code === 'word_corrected')
  return new Map(corrected.map(({ detail }) => [detail?.written ?? '', detail?.taken ?? '']))
}

/** A word is corrected if and only if it is in no visible text and a word one edit away is. */
export function checkCorrections(
  client: Client,
  { words }: PlainQuery,
  vocabulary: ReadonlySet<string>,
  taken: ReadonlyMap<string, string>,
  page: string,
): void {
  const unknown = words.filter(word => /^\p{L}{4,}$/u.test(word) && !vocabulary.has(word)).slice(0, 3)
  for (const word of words) {
    const near = unknown.includes(word) ? [...vocabulary].filter(known => isOneEdit(word, known)) : []
    const one = taken.get(word)
    client.equal(
      [one !== undefined, one === undefined || near.includes(one)],
      [near.length > 0, true],
      `${page} ${word}`,
    )
  }
}

const NOTHING: PlainQuery = {
  words: [],
  prefixes: [],
  phrase: null,
  excluded: [],
  excludedPhrase: null,
  alike: [],
}

function holdsAll({ words, prefixes }: PlainQuery, row: Seen): boolean {
  const each = [
    ...words.map(word => ({ ...NOTHING, words: [word] })),
    ...prefixes.map(one => ({ ...NOTHING, prefixes: [one] })),
  ]
  return each.every(one => matches(one, searchedTexts(row)))
}

/** The time by which a record may be ordered: it must be granted for all records of the source. */
function timeOf(client: Client, { source, data }: Seen): number | null {
  const field = source.anyTime
  if (field === null || !client.opensThroughout(source, field)) return null
  const time = Date.parse(String(data[field]))
  return Number.isNaN(time) ? null : time
}

function inTurn(client: Client, rows: Seen[], sort: string): Seen[] {
  const way = sort === 'oldest' ? 1 : -1
  const byTime = (a: Seen, b: Seen) => (timeOf(client, a) ?? 0) - (timeOf(client, b) ?? 0)
  return rows.toSorted(
    (a, b) =>
      way *
      (byTime(a, b) ||
        compareTexts(a.id, b.id) ||
        compareTexts(a.source.connection, b.source.connection) ||
        compareTexts(a.source.stream, b.source.stream)),
  )
}

function nameOfRow({ source, id }: Seen): string {
  return nameOf({ ...named(source), record_key: id })
}

/** All streams, one or several, sometimes of one connection. */
function searchScope(client: Client) {
  const scopes = Array.from({ length: client.random.pick([0, 1, 1, 1, 2]) }, () => client.scope())
  const [first] = scopes
  if (!first) {
    const query = new URLSearchParams()
    return { query, streams: 0, sources: client.open, due: [] as Refusal[] }
  }
  const connection = first.query.get('connection_id')
  const names = new Set(scopes.map(({ stream }) => stream))
  for (const stream of names) first.query.append('streams', stream)
  const sources = client.open.filter(
    ({ stream, connection: own }) => names.has(stream) && (connection ?? own) === own,
  )
  const due = [...names].flatMap(stream => client.dueOf(stream, connection))
  return { query: first.query, streams: names.size, sources, due }
}

interface Hit {
  stream: string
  connection_id: string
  record_key: string
  emitted_at: string
  matched_fields: string[]
  snippet?: { field: string; text: string }
  title: string | null
  occurred_at: string | null
  match_windows: {
    field_path: string
    start_chars: number
    end_chars: number
    text: string
    text_start_chars: number
  }[]
}

function named({ connection, stream }: Seen['source']) {
  return { connection_id: connection, stream }
}

function nameOf({ connection_id, stream, record_key }: Pick<Hit, 'connection_id' | 'stream' | 'record_key'>) {
  return `${connection_id}/${stream}:${record_key}`
}

function checkHit(
  client: Client,
  { source, data, changed }: Seen,
  hit: Hit,
  asked: PlainQuery,
  page: string,
): void {
  const { declared } = source as World['sources'][number]
  const timed = 'at' in declared.schema.properties ? 'at' : source.anyTime
  client.equal([hit.title, hit.occurred_at], [data.title || null, (timed && data[timed]) ?? null], page)
  client.equal(hit.emitted_at, changed.emitted_at, page)
  const open = declared.query.search.lexical_fields.filter(field => field in data)
  client.equal(hit.matched_fields.length > 0, true, `${page} says where ${nameOf(hit)} matches`)
  client.equal(
    hit.matched_fields.filter(field => !open.includes(field)),
    [],
    page,
  )
  client.equal(hit.matched_fields.includes(hit.snippet?.field ?? ''), true, page)
  client.equal(hit.snippet?.text, hit.match_windows[0]?.text, page)
  client.equal(hit.match_windows.length > 0, true, `${page} proves ${nameOf(hit)}`)
  for (const { field_path, start_chars, end_chars, text, text_start_chars } of hit.match_windows) {
    const whole = Array.from(String(at(data, field_path.startsWith('/') ? field_path : `/${field_path}`)))
    const shown = whole.slice(text_start_chars, text_start_chars + Array.from(text).length).join('')
    const matched = plainWords(whole.slice(start_chars, end_chars).join(''))
    const told = matched.some(
      word =>
        asked.words.includes(word) ||
        (asked.alike ?? asked.words).some(each => isAlike(each, word)) ||
        asked.phrase?.includes(word) ||
        asked.prefixes.some(prefix => word.startsWith(prefix)),
    )
    client.equal([shown, told], [text, true], page)
  }
}
