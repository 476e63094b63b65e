import type { PlainData, PlainGrant, PlainSource } from './brute-force-grant.ts'
import { SELECTABLE, source } from './mailbox.ts'
import type { Random } from './random.ts'

/** All possible fields: how their values compare, and their schemas. */
export const FIELDS = {
  id: { kind: 'text', schema: { type: 'string' } },
  title: { kind: 'text', schema: { type: ['string', 'null'], x_pdpp_role: 'primary-title' } },
  body: { kind: 'text', schema: { type: ['string', 'null'], contentMediaType: 'text/plain' } },
  kind: { kind: 'text', schema: { type: ['string', 'null'], x_pdpp_role: 'participant' } },
  to: { kind: 'nested', schema: { type: ['array', 'null'], x_pdpp_role: 'recipient' } },
  when: { kind: 'text', schema: { type: ['string', 'null'] } },
  n: { kind: 'number', schema: { type: ['integer', 'null'] } },
  x: { kind: 'number', schema: { type: ['number', 'null'] } },
  flag: { kind: 'boolean', schema: { type: ['boolean', 'null'] } },
  at: { kind: 'time', schema: { type: ['string', 'null'], format: 'date-time', x_pdpp_role: 'event-time' } },
  day: { kind: 'time', schema: { type: ['string', 'null'], format: 'date' } },
  any: { kind: 'mixed', schema: {} },
  parts: { kind: 'nested', schema: { type: ['array', 'object', 'null'] } },
} as const

export type FieldName = keyof typeof FIELDS
const NAMES = Object.keys(FIELDS) as FieldName[]
const OPERATORS = ['gte', 'gt', 'lte', 'lt']

export interface WorldStream {
  name: string
  semantics: string
  selection: { fields: boolean; resources: boolean }
  schema: { type: 'object'; required?: string[]; properties: Record<string, object> }
  primary_key: ['id']
  cursor_field?: string
  consent_time_field?: string
  query: {
    search: { lexical_fields: string[] }
    range_filters: Record<string, string[]>
    aggregations: { count: true } & Record<string, string[] | true>
  }
}

interface WorldDeclaration extends ReturnType<typeof source> {
  streams: WorldStream[]
}

export interface Line {
  data: PlainData
  emitted_at: string
  op: 'upsert' | 'delete'
}

export function randomDeclaration(random: Random, connector_key: string): WorldDeclaration {
  const names = ['alpha', 'beta', 'gamma'].slice(0, random.integer(2, 3))
  return {
    ...source(connector_key),
    streams: names.map(name => randomStream(random, name)),
  }
}

function randomStream(random: Random, name: string): WorldStream {
  const fields = NAMES.filter(field => field === 'id' || random.chance(0.75))
  const among = (candidates: FieldName[]) => candidates.filter(field => fields.includes(field))
  const cursors = among(['at', 'day', 'n', 'kind', 'when', 'any'])
  const times = among(['at', 'day'])
  const ranged = among(['at', 'day', 'n', 'x'])
  const offered = (candidates: FieldName[]) => among(candidates).filter(() => random.chance(0.85))
  return {
    name,
    ...SELECTABLE,
    schema: {
      type: 'object',
      ...(random.chance(0.5) ? { required: ['id'] } : {}),
      properties: Object.fromEntries(fields.map(field => [field, FIELDS[field].schema])),
    },
    primary_key: ['id'],
    ...(cursors.length > 0 && random.chance(0.85) ? { cursor_field: random.pick(cursors) } : {}),
    ...(times.length > 0 && random.chance(0.75) ? { consent_time_field: random.pick(times) } : {}),
    query: {
      search: { lexical_fields: offered(['title', 'body', 'kind', 'parts']) },
      range_filters: Object.fromEntries(ranged.map(field => [field, random.some(OPERATORS, 0.9)])),
      aggregations: {
        count: true,
        sum: offered(['n', 'x']),
        min: offered(['n', 'x', 'at', 'day']),
        max: offered(['n', 'x', 'at', 'day']),
        count_distinct: offered(['kind', 'n', 'at']),
        group_by: offered(['kind', 'n', 'flag']),
        group_by_time: offered(['at', 'day']),
      },
    },
  }
}

export function sourceOf(connection: string, stream: WorldStream): PlainSource {
  return {
    connection,
    stream: stream.name,
    fields: Object.keys(stream.schema.properties),
    required: stream.schema.required ?? [],
    cursorField: stream.cursor_field ?? null,
    timeField: stream.consent_time_field ?? null,
    anyTime: stream.consent_time_field ?? ['at', 'day'].find(field => field === stream.cursor_field) ?? null,
    searched: stream.query.search.lexical_fields,
  }
}

// Ids beyond the basic plane, above the surrogates, and with characters that a path must escape.
export const RECORD_IDS = ['r1', 'r2', 'r3', 'r10', 'a/b c', 'ä:1', '\u{1F600}', '\uFB00']
const SYLLABLES = ['lorem', 'Ipsum', '\u{1F600}', '漢字', '\r\n', 'x', ' ', 'заяц', 'needle']

const PEOPLE = ['a', 'B <b@x.org>', 'Ada B', '漢字名', '', { name: 'Ada', address: 'a@x.org' }]

/** The name of a field that no stream declares. It is never requested and must never be shown. */
const UNDECLARED = 'undeclared_field'

export function randomLines(random: Random, stream: WorldStream, ids: readonly string[]): Line[] {
  return Array.from({ length: random.integer(0, 14) }, () => {
    const id = random.pick(ids)
    const op = random.chance(0.12) ? 'delete' : 'upsert'
    const fields = Object.keys(stream.schema.properties) as FieldName[]
    const data: PlainData = { id }
    for (const field of fields) {
      if (field === 'id' || random.chance(0.12)) continue
      data[field] = field !== 'any' && random.chance(0.12) ? null : randomValue(random, field)
    }
    if (random.chance(0.3)) data[UNDECLARED] = 'unseen'
    return { data: op === 'delete' ? { id } : data, emitted_at: randomInstant(random, 2027), op }
  })
}

function randomText(random: Random, syllables: number): string {
  return Array.from({ length: syllables }, () => random.pick(SYLLABLES)).join('')
}

function randomValue(random: Random, field: FieldName): unknown {
  switch (field) {
    case 'id':
    case 'title':
      return randomText(random, random.integer(0, 5))
    case 'body':
      return randomText(random, random.chance(0.08) ? random.integer(5_000, 9_000) : random.integer(0, 30))
    case 'kind':
      return random.pick(['a', 'b', 'B', '\u{1F600}', '\uFB00', ''])
    case 'to':
      return Array.from({ length: random.integer(0, 3) }, () => random.pick(PEOPLE))
    case 'when':
      return random.chance(0.2) ? 'some day' : randomTime(random)
    case 'n':
      return random.integer(-3, 12)
    case 'x':
      return random.integer(-8, 8) / 4
    case 'flag':
      return random.chance(0.5)
    case 'at':
      return randomTime(random)
    case 'day':
      return randomInstant(random, 2026).slice(0, 10)
    case 'any':
      return random.pick([-1.5, 2, true, false, 'two', '2', null, ['list'], -20])
    case 'parts':
      return random.chance(0.5)
        ? [randomText(random, 3), { 'a/b': randomText(random, random.chance(0.1) ? 6_000 : 4) }]
        : { text: randomText(random, 3) }
  }
}

/** A few days with few times each, so that bounds and sort keys often coincide. */
function randomInstant(random: Random, year: number): string {
  const part = (value: number) => String(value).padStart(2, '0')
  const [month, date] = [part(random.pick([1, 2])), part(random.integer(1, 3))]
  const time = random.pick(['00:00:00', '00:00:00.001', '12:30:00', '12:30:00.5', '23:59:59.999'])
  return `${year}-${month}-${date}T${time}Z`
}

/** The same instants, some written in another time zone. */
export function randomTime(random: Random): string {
  const instant = randomInstant(random, 2026)
  if (random.chance(0.7)) return instant
  return new Date(Date.parse(instant) + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30')
}

export function randomGrant(random: Random, connections: readonly string[]): PlainGrant {
  const bound = () => (random.chance(0.3) ? randomInstant(random, 2026).slice(0, 10) : randomTime(random))
  return {
    ...(random.chance(0.6) ? { connections: random.some(connections, 0.6) } : {}),
    ...(random.chance(0.5) ? { streams: random.some(['alpha', 'beta', 'gamma'], 0.6) } : {}),
    ...(random.chance(0.6) ? { fields: random.some(NAMES, 0.6) } : {}),
    ...(random.chance(0.35) ? { since: bound() } : {}),
    ...(random.chance(0.35) ? { until: bound() } : {}),
    ...(random.chance(0.2) ? { records: randomRecords(random) } : {}),
  }
}

function randomRecords(random: Random): string[] {
  return random.some(RECORD_IDS, 0.5).map(id => `${random.pick(['alpha', 'alpha', 'beta'])}:${id}`)
}
