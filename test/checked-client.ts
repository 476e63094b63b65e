import { isDeepStrictEqual } from 'node:util'
import { openedFields, type PlainGrant, type PlainSource } from './brute-force-grant.ts'
import { type Condition, type Kind, type PlainRecord, type Seen, seenOf } from './brute-force-query.ts'
import type { Random } from './random.ts'
import { FIELDS, type FieldName, type WorldStream } from './random-world.ts'
import type { Answer, TestServer } from './test-server.ts'

export interface World {
  server: TestServer
  random: Random
  connections: string[]
  sources: (PlainSource & { declared: WorldStream; connector_key: string })[]
  records: PlainRecord[]
}

export const kindOf = (field: string): Kind => FIELDS[field as FieldName].kind
const ASKABLE = Object.keys(FIELDS).filter(field => !['any', 'parts', 'to'].includes(field))

export type Refusal = [status: number, code: string]
export const STREAM: Refusal = [403, 'grant_stream_not_allowed']
export const FIELD: Refusal = [403, 'field_not_granted']
export const UNKNOWN: Refusal = [400, 'unknown_field']
export const CONNECTION: Refusal = [404, 'connection_not_found']
export const INVALID: Refusal = [400, 'invalid_request']

/** A client with its token and the data that it should see. */
export class Client {
  readonly world: World
  readonly grants: PlainGrant[]
  readonly token: string
  readonly seen: Seen[]
  readonly open: World['sources']

  constructor(world: World, grants: PlainGrant[], token: string) {
    this.world = world
    this.grants = grants
    this.token = token
    this.seen = seenOf(grants, world.records)
    this.open = world.sources.filter(source => this.fieldsOf(source).length > 0)
  }

  get random(): Random {
    return this.world.random
  }

  fieldsOf(source: PlainSource): string[] {
    return [...new Set(this.grants.flatMap(grant => openedFields(grant, source)))]
  }

  async ask(path: string): Promise<Answer> {
    return this.world.server.json(path, { token: this.token })
  }

  explain(path: string): string {
    return `${path}\ngrants ${JSON.stringify(this.grants)}\nsources ${JSON.stringify(this.open.map(({ connection, stream, cursorField, timeField }) => ({ connection, stream, cursorField, timeField })))}`
  }

  equal(actual: unknown, expected: unknown, path: string): void {
    if (isDeepStrictEqual(actual, expected)) return
    throw new Error(`${this.explain(path)}\n${difference(actual, expected)}`)
  }

  /** True if the answer is an expected refusal. */
  refused(answer: Answer, due: Refusal[], path: string): boolean {
    const got = answer.status >= 400 ? [answer.status, answer.body.error.code] : [answer.status]
    if (due.length === 0) {
      this.equal(got, [200], `${path} ${answer.status >= 400 ? answer.body.error.message : ''}`)
      return false
    }
    const expected = due.find(([status, code]) => status === got[0] && code === got[1])
    if (!expected) this.equal(got, due, path)
    return true
  }

  /** A random stream, sometimes with a connection, and the sources that they select or the expected refusal. */
  scope(): {
    stream: string
    query: URLSearchParams
    sources: World['sources']
    /** The sources of all streams of that connection. */
    beside: World['sources']
    due: Refusal[]
  } {
    const random = this.random
    const stream =
      random.chance(0.9) && this.open.length > 0
        ? random.pick(this.open).stream
        : random.pick(['alpha', 'gamma', 'none'])
    const connection = random.chance(0.35) ? random.pick([...this.world.connections, 'cin_nobody']) : null
    return {
      stream,
      sources: this.#sourcesOf(stream, connection),
      beside: this.open.filter(source => connection === null || source.connection === connection),
      due: this.dueOf(stream, connection),
      query: new URLSearchParams(connection === null ? {} : { connection_id: connection }),
    }
  }

  /** The expected refusal if this stream is requested, optionally from one connection. */
  dueOf(stream: string, connection: string | null): Refusal[] {
    const known = connection === null || this.open.some(source => source.connection === connection)
    if (this.#sourcesOf(stream, null).length === 0) return [STREAM]
    if (!known) return [CONNECTION]
    return this.#sourcesOf(stream, connection).length === 0 ? [STREAM] : []
  }

  #sourcesOf(stream: string, connection: string | null): World['sources'] {
    return this.open.filter(
      source => source.stream === stream && (connection === null || source.connection === connection),
    )
  }

  seenIn(sources: readonly PlainSource[]): Seen[] {
    return this.seen.filter(({ source }) => sources.includes(source as World['sources'][number]))
  }

  opensField(sources: readonly PlainSource[], field: string): boolean {
    return sources.some(source => this.fieldsOf(source).includes(field))
  }

  /** Whether every grant that covers the source covers this field of it. */
  opensThroughout(source: PlainSource, field: string): boolean {
    const opened = this.grants.map(grant => openedFields(grant, source)).filter(fields => fields.length > 0)
    return opened.every(fields => fields.includes(field))
  }

  /** Random conditions. The refusals that they should cause are added to `due`. */
  conditions(sources: World['sources'], query: URLSearchParams, due: Refusal[]): Condition[] {
    const random = this.random
    const conditions: Condition[] = []
    while (random.chance(0.35)) {
      const operator = random.pick([
        'eq',
        'eq',
        'gte',
        'gt',
        'lte',
        'lt',
        'contains',
        'contains',
        'in',
      ] as const)
      const field = operator === 'contains' && random.chance(0.3) ? 'parts' : random.pick(ASKABLE)
      const kind = kindOf(field)
      const values = this.world.records.flatMap(({ versions }) =>
        versions.map(({ data }) => data[field] ?? null),
      )
      const value = String(
        random.pick(
          [...values.filter(one => one !== null), kind === 'text' ? 'r1' : null].filter(one => one !== null),
        ) ?? '',
      )
      if (value.length > 200 || (kind !== 'text' && value === '')) continue
      const asked = operator === 'contains' ? this.partOf(value) : value
      if (asked === '' && operator === 'contains') continue
      due.push(...this.closed(sources, field))
      query.append(operator === 'eq' ? `where[${field}]` : `where[${field}][${operator}]`, asked)
      const same = conditions.find(other => other.field === field && other.operator === 'in')
      if (operator === 'in' && same) same.others.push(asked)
      else conditions.push({ field, kind, operator, value: asked, others: [] })
    }
    const declared = ({ declared: { query } }: World['sources'][number]) =>
      conditions.every(
        ({ field, kind, operator }) =>
          operator === 'eq' ||
          operator === 'in' ||
          (operator === 'contains'
            ? kind === 'text' || kind === 'nested'
            : query.range_filters[field]?.includes(operator)),
      )
    const matching = sources.filter(source =>
      conditions.every(({ field }) => this.fieldsOf(source).includes(field)),
    )
    if (!matching.every(declared)) due.push(INVALID)
    return conditions
  }

  /** A few characters of a text, in random case. */
  partOf(text: string): string {
    const characters = Array.from(text)
    const start = this.random.integer(0, Math.max(0, characters.length - 1))
    const part = characters.slice(start, start + this.random.integer(1, 4)).join('')
    return this.random.chance(0.5) ? part.toUpperCase() : part
  }

  /** The expected refusal for a field that no source grants or declares. */
  closed(sources: readonly PlainSource[], field: string): Refusal[] {
    if (this.opensField(sources, field)) return []
    return [sources.some(({ fields }) => fields.includes(field)) ? FIELD : UNKNOWN]
  }

  askFields(sources: readonly PlainSource[], query: URLSearchParams, due: Refusal[]): string[] | null {
    if (!this.random.chance(0.25)) return null
    const names = this.random.some(Object.keys(FIELDS), 0.15)
    query.set('fields', names.join(','))
    due.push(...names.flatMap(name => this.closed(sources, name)))
    return [...names, ...sources.flatMap(({ required }) => required)]
  }

  maxChars(query: URLSearchParams): number | null {
    if (!this.random.chance(0.2)) return null
    const most = this.random.pick([1, 7, 100, 20_000])
    query.set('max_field_chars', String(most))
    return most
  }
}

/** Both values, from shortly before the first difference. */
function difference(actual: unknown, expected: unknown): string {
  const [got, due] = [JSON.stringify(actual), JSON.stringify(expected)]
  let at = 0
  while (at < got.length && got[at] === due[at]) at++
  const part = (text: string) => `at ${at} of ${text.length}: ${text.slice(Math.max(0, at - 100), at + 200)}`
  return `got      ${part(got)}\nexpected ${part(due)}`
}
