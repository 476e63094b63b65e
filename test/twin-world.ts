import { createHash } from 'node:crypto'
import type { PlainData, PlainGrant, PlainSource } from './brute-force-grant.ts'
import { SELECTABLE, source } from './mailbox.ts'
import type { Random } from './random.ts'

const TEXT = { type: ['string', 'null'] }
const LIST = { type: ['array', 'null'] }
const TIME = { ...TEXT, format: 'date-time' }
const SCHEMAS: Record<string, object> = {
  id: { type: 'string' },
  title: { ...TEXT, x_pdpp_role: 'primary-title' },
  body: { ...TEXT, x_pdpp_role: 'primary-text' },
  extra: TEXT,
  from: { ...TEXT, x_pdpp_role: 'actor' },
  to: { ...LIST, x_pdpp_role: 'recipient' },
  place: { ...TEXT, x_pdpp_role: 'place' },
  thread: TEXT,
  labels: { ...LIST, x_pdpp_role: 'label' },
  n: { type: ['number', 'null'] },
  at: { ...TIME, x_pdpp_role: 'event-time' },
  other_at: TIME,
  shown: { type: ['boolean', 'null'] },
  file: { type: ['object', 'null'], x_pdpp_role: 'attachment' },
  parts: { type: ['array', 'object', 'null'] },
}
export const FIELDS = Object.keys(SCHEMAS)
const TIMES = ['at', 'other_at']
export const STREAMS = ['alpha', 'beta']
/** Some are also names of sources, words of names, numbered names or misspelt. */
export const WORDS =
  `walrus walrusses harbour harbor report reported project snow show receive il6 il 6 gpt4 meeting left right
  漢字 заяц Müller straße the of`.split(/\s+/)
export const RARE_WORDS = ['quokka', 'projet', 'recieve', 'harbuor']
const PEOPLE = ['Ada Lovelace', 'Grace Hopper <grace@x.org>', 'ada@x.org', 'Müller', 'walrus', '漢字名']
export const FILES = ['one', 'two', 'three'].map(text => ({
  text,
  blob_id: `sha256-${createHash('sha256').update(text).digest('hex')}`,
}))
export const RECORD_IDS = [
  ...Array.from({ length: 12 }, (_, no) => `r${no}`),
  'a/b c',
  'ä:1',
  '\u{1F600}',
  'ﬀ',
]
const OPERATORS = ['gte', 'gt', 'lte', 'lt']
const FIRST_DAY = Date.parse('2026-02-01T00:00:00Z')
const HOUR = 3_600_000

export function twinDeclaration(random: Random, key: string) {
  return { ...source(key), streams: STREAMS.map(name => streamOf(random, name)) }
}

/** Some streams describe people, some have events with an end. */
function schemasOf(random: Random): Record<string, object> {
  const title = { ...SCHEMAS.title, x_pdpp_role: ['primary-title', 'participant'] }
  const other_at = { ...SCHEMAS.other_at, x_pdpp_role: 'end-time' }
  return { ...SCHEMAS, ...(random.chance(0.2) ? { title } : {}), ...(random.chance(0.2) ? { other_at } : {}) }
}

/** Of some streams each record stands for a conversation of another stream. */
const RELATED = { name: 'messages', stream: 'beta', foreign_key: 'thread', cardinality: 'has_many' }

type TwinStream = ReturnType<typeof streamOf>

function streamOf(random: Random, name: string) {
  const conversation = {
    ...{ key: random.pick(['thread', 'from']), order: random.pick([['at'], ['at', 'n']]) },
    ...(random.chance(0.5) ? { around: { place: 'place', minutes: 30 } } : {}),
    ...(random.chance(0.3) ? { shown_if: { shown: true } } : {}),
  }
  const isRelated = name !== RELATED.stream && random.chance(0.3)
  return {
    ...{ name, ...SELECTABLE, primary_key: ['id'] },
    ...(isRelated ? { relationships: [RELATED] } : {}),
    schema: {
      type: 'object',
      required: random.chance(0.5) ? ['id'] : [],
      properties: schemasOf(random),
      ...(isRelated ? {} : { x_pdpp_conversation: conversation }),
      ...(random.chance(0.3)
        ? { x_pdpp_own: random.pick<object>([{ shown: true }, { thread: ['t1', 't2'] }]) }
        : {}),
    },
    ...(random.chance(0.85) ? { cursor_field: random.pick(['at', 'n', 'other_at', 'title']) } : {}),
    consent_time_field: random.chance(0.8) ? 'at' : 'other_at',
    query: {
      search: {
        lexical_fields: ['title', 'body', 'extra', 'parts', 'from'].filter(() => random.chance(0.85)),
      },
      range_filters: { at: OPERATORS, n: OPERATORS, other_at: OPERATORS },
      aggregations: {
        ...{ count: true, sum: ['n'], min: ['n', 'at', 'other_at'], max: ['n', 'at'] },
        count_distinct: ['from', 'place', 'n', 'thread'],
        group_by: ['from', 'place', 'n', 'shown', 'thread', 'title'],
        group_by_time: ['at', 'other_at'],
      },
    },
  }
}

export function twinSource(connection: string, stream: TwinStream): PlainSource {
  const { required } = stream.schema
  const [cursorField, timeField] = [stream.cursor_field ?? null, stream.consent_time_field]
  const searched = stream.query.search.lexical_fields
  return {
    ...{ connection, stream: stream.name, fields: FIELDS, required, cursorField, timeField },
    ...{ anyTime: timeField, searched },
  }
}

/**
 * The grants of one client. Half of the clients have several for the same streams, often without the time, so that
 * what is hidden decides which of them shows a record.
 */
export function twinGrants(random: Random, connections: readonly string[]): PlainGrant[] {
  if (random.chance(0.5))
    return Array.from({ length: random.integer(1, 3) }, () => twinGrant(random, connections))
  const { fields = FIELDS, since: _, until: __, records: ___, ...places } = twinGrant(random, connections)
  const open = random.chance(0.6) ? fields.filter(field => !TIMES.includes(field)) : fields
  return Array.from({ length: random.integer(2, 3) }, () => ({
    ...{ ...places, fields: random.chance(0.5) ? open : random.some(open, 0.8) },
    ...twinBounds(random),
  }))
}

function twinGrant(random: Random, connections: readonly string[]): PlainGrant {
  const share = random.pick([0.5, 0.8, 0.9])
  return {
    ...{ connections: random.some(connections, 0.8), streams: random.some(STREAMS, 0.8) },
    ...(random.chance(0.8) ? { fields: ['id', ...random.some(FIELDS.slice(1), share)] } : {}),
    ...twinBounds(random),
  }
}

function twinBounds(random: Random): PlainGrant {
  const bound = (least: number, most: number) =>
    new Date(FIRST_DAY + random.integer(least, most) * HOUR * random.pick([1, 6])).toISOString()
  return {
    ...(random.chance(0.5) ? { since: bound(-20, 10) } : {}),
    ...(random.chance(0.3) ? { until: bound(11, 40) } : {}),
    ...(random.chance(0.2) ? { records: random.some(RECORD_IDS, 0.5).map(id => `alpha:${id}`) } : {}),
  }
}

function randomWords(random: Random, most: number): string {
  const word = () => random.pick(random.chance(0.05) ? RARE_WORDS : WORDS)
  return Array.from({ length: random.integer(1, most) }, word).join(' ')
}

function randomTime(random: Random): string {
  const at = FIRST_DAY + random.integer(-60, 60) * random.pick([60_000, 6 * HOUR])
  if (random.chance(0.8)) return new Date(at).toISOString()
  return new Date(at + 5.5 * HOUR).toISOString().replace('Z', '+05:30')
}

const VALUES: Record<string, (random: Random) => unknown> = {
  title: random => (random.chance(0.15) ? random.pick(PEOPLE) : randomWords(random, 4)),
  body: longText,
  extra: longText,
  from: random => random.pick(PEOPLE),
  to: random => random.some([...PEOPLE, { name: 'Ada', address: 'a@x.org' }], 0.2),
  place: random => random.pick(['general', 'harbour', 'inbox', '']),
  thread: random => random.pick(['t1', 't2', 't3', 'r1', 'r2', '']),
  labels: random => random.some(['inbox', 'harbour', 'red'], 0.3),
  n: random => random.pick([0, 1, 2, -1.5, 1e20, 7, 7]),
  at: randomTime,
  other_at: randomTime,
  shown: random => random.chance(0.7),
  file: random => {
    const { blob_id, text } = random.pick(FILES)
    const name = random.pick(['plan.pdf', 'a.png'])
    return { blob_id, name, mime_type: 'application/pdf', size_bytes: text.length }
  },
  parts: random =>
    random.chance(0.5)
      ? [randomWords(random, 3), { 'a/b': longText(random) }]
      : { text: randomWords(random, 3), deep: { blob_id: random.pick(FILES).blob_id } },
}

function longText(random: Random): string {
  return randomWords(random, 14).repeat(random.chance(0.08) ? random.pick([500, 1_500]) : 1)
}

export function randomRecord(random: Random, id: string): PlainData {
  const data: PlainData = { id }
  for (const [field, value] of Object.entries(VALUES))
    if (!random.chance(0.1)) data[field] = random.chance(0.1) ? null : value(random)
  return data
}
