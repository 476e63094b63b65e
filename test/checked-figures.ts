import type { PlainSource } from './brute-force-grant.ts'
import { askPerson } from './brute-force-people.ts'
import { type Aggregation, aggregate, type Condition, passes, rank, type Seen } from './brute-force-query.ts'
import { matchesAll, type PlainQuery, searchedTexts, writeQuery } from './brute-force-search.ts'
import { askTimes, timedSources, ZONES } from './brute-force-times.ts'
import { type Client, FIELD, INVALID, kindOf, type Refusal, type World } from './checked-client.ts'
import { checkCorrections, correctionsIn, randomQuery, visibleWords } from './checked-search.ts'

export async function tryAggregate(client: Client): Promise<void> {
  const { stream, sources, beside, due, query } = client.scope()
  const random = client.random
  // A server may precompute the number of records over a stream's own time, so these are tested often.
  const times = sources.flatMap(source => client.fieldsOf(source).filter(field => field === source.timeField))
  const ownTime = random.chance(0.6) ? (times[0] ?? null) : null
  const metric = ownTime ? 'count' : random.pick(['count', 'sum', 'min', 'max', 'count_distinct'] as const)
  const grouping = ownTime ? 'group_by_time' : random.pick(['group_by', 'group_by_time', null] as const)
  const [zone, ahead] = random.chance(0.5) ? ZONES[0] : random.pick(ZONES)
  const asked: Aggregation = {
    metric,
    field:
      metric === 'count'
        ? null
        : random.pick(metric === 'sum' ? ['n', 'x'] : ['n', 'x', 'at', 'day', 'kind']),
    group_by: grouping === 'group_by' ? random.pick(['kind', 'n', 'flag']) : null,
    group_by_time: grouping === 'group_by_time' ? (ownTime ?? random.pick(['at', 'day'])) : null,
    granularity:
      grouping === 'group_by_time'
        ? random.pick(['hour', 'day', 'day', 'week', 'month', 'quarter', 'year'])
        : null,
    ahead,
    limit: random.integer(1, 8),
    order: grouping === 'group_by_time' ? random.pick(['asc', 'asc', 'desc'] as const) : 'asc',
    split_by: grouping !== null && random.chance(0.3) ? random.pick(['kind', 'n', 'flag']) : null,
    split_limit: random.integer(1, 3),
  }
  if (asked.split_by === asked.group_by) asked.split_by = null
  if (asked.order === 'desc') query.set('order', 'desc')
  if (asked.split_by !== null) query.set('split_limit', String(asked.split_limit))
  for (const name of ['metric', 'field', 'group_by', 'group_by_time', 'granularity', 'split_by'] as const) {
    if (asked[name] !== null) query.set(name, asked[name])
  }
  if (grouping !== null) query.set('limit', String(asked.limit))
  const conditions = ownTime ? [] : client.conditions(sources, query, due)
  const narrowed = narrowFigures(client, sources, conditions, query, due, ahead)
  if (zone !== 'UTC' && ['group_by_time', 'q', 'since', 'until'].some(name => query.has(name)))
    query.set('time_zone', zone)
  for (const [field, kind] of [
    [asked.field, metric],
    [asked.group_by, 'group_by'],
    [asked.group_by_time, 'group_by_time'],
    [asked.split_by, 'group_by'],
  ] as const) {
    if (field !== null) due.push(...undeclared(client, sources, narrowed.sources, field, kind))
  }
  const path = `/v1/streams/${stream}/aggregate?${query}`
  const answer = await client.ask(path)
  if (client.refused(answer, due, path)) return
  const { asked: written } = narrowed
  const taken = correctionsIn(answer.body.meta ?? { warnings: [] })
  if (written) checkCorrections(client, written, visibleWords(client, beside), taken, path)
  const words = written && { ...written, words: written.words.map(word => taken.get(word) ?? word) }
  const passing = client
    .seenIn(narrowed.sources)
    .filter(row => passes(conditions, row.data) && narrowed.holds(row))
    .filter(row => !words || matchesAll(words, searchedTexts(row)))
  const summed = answer.body.connections.map(
    (one: { connection_id: string; record_count: number }) => `${one.connection_id} ${one.record_count}`,
  )
  const expected = narrowed.sources.map(({ connection }) => {
    const own = passing.filter(({ source }) => source.connection === connection)
    return `${connection} ${own.length}`
  })
  client.equal(summed.sort(), expected.sort(), path)
  const { value, groups, other_count, other_groups, filtered_record_count } = answer.body
  const extreme = (result: unknown) =>
    asked.field !== null && (metric === 'min' || metric === 'max')
      ? rank(result, kindOf(asked.field))
      : result
  const ranked = (figure: GotFigure) =>
    metric === 'count' ? figure : { ...figure, value: extreme(figure.value) }
  const got =
    grouping === null
      ? { value: extreme(value), filtered_record_count }
      : {
          groups: groups.map(({ splits, ...group }: GotFigure) => ({
            ...ranked(group),
            ...(splits ? { splits: splits.map(ranked) } : {}),
          })),
          other_count,
          other_groups,
          filtered_record_count,
        }
  client.equal(got, aggregate(asked, passing, kindOf), path)
}

export async function tryStreams(client: Client): Promise<void> {
  const { stream, due, query, sources } = client.scope()
  const one = `/v1/streams/${stream}?${query}`
  const answer = await client.ask(one)
  if (!client.refused(answer, due, one)) {
    const declared = sources.map(({ declared }) => JSON.stringify(declared.schema))
    client.equal(declared.includes(JSON.stringify(answer.body.schema)), true, one)
  }
  const all = await client.ask('/v1/streams')
  const names = [...new Set(client.open.map(source => source.stream))]
  const expected = names.map(name =>
    tallyOf(
      client,
      name,
      client.open.filter(source => source.stream === name),
    ),
  )
  client.equal(all.body.data.map(tally).sort(byName), expected.sort(byName), '/v1/streams')
}

export async function trySchema(client: Client): Promise<void> {
  const view = client.random.pick(['compact', 'full'])
  const answer = await client.ask(`/v1/schema?view=${view}`)
  const got = answer.body.streams.flatMap((stream: SchemaStream) =>
    stream.connections.map(({ connection_id }) => ({
      connection: connection_id,
      stream: stream.stream,
      fields: Object.keys(view === 'compact' ? stream.fields : stream.schema.properties).sort(),
      named: [stream.cursor_field, stream.consent_time_field, ...stream.primary_key],
      aggregated: view === 'compact' ? null : stream.query.aggregations,
      ranged: view === 'compact' ? null : Object.keys(stream.query.range_filters).sort(),
    })),
  )
  const expected = client.open.map(source => {
    const fields = client.fieldsOf(source)
    const granted = (field: string | null) => (field !== null && fields.includes(field) ? field : null)
    const offered = Object.entries(source.declared.query.aggregations).map(([kind, names]) => [
      kind,
      Array.isArray(names) ? names.filter(granted) : names,
    ])
    return {
      connection: source.connection,
      stream: source.stream,
      fields: fields.toSorted(),
      named: [granted(source.cursorField), granted(source.timeField), ...(granted('id') ? ['id'] : [])],
      aggregated: view === 'compact' ? null : Object.fromEntries(offered),
      ranged:
        view === 'compact' ? null : Object.keys(source.declared.query.range_filters).filter(granted).sort(),
    }
  })
  const place = (a: { connection: string; stream: string }) => `${a.connection} ${a.stream}`
  const byPlace = (a: { connection: string; stream: string }, b: { connection: string; stream: string }) =>
    place(a) < place(b) ? -1 : 1
  client.equal(got.sort(byPlace), expected.sort(byPlace), '/v1/schema')
}

function declares({ declared }: World['sources'][number], kind: string, field: string): boolean {
  const fields = declared.query.aggregations[kind]
  return Array.isArray(fields) && fields.includes(field)
}

interface GotFigure {
  key: unknown
  count?: number
  value?: unknown
  splits?: GotFigure[]
}

/**
 * Sometimes adds words, a person and bounds of the time to the query. Returns the sources that can answer it and the records that match.
 */
function narrowFigures(
  client: Client,
  sources: World['sources'],
  conditions: Condition[],
  query: URLSearchParams,
  due: Refusal[],
  ahead: number,
): { sources: World['sources']; asked: PlainQuery | null; holds(row: Seen): boolean } {
  const { random } = client
  const opens = (source: World['sources'][number], fields: string[]) =>
    fields.some(field => client.fieldsOf(source).includes(field))
  const able = sources.filter(source => conditions.every(({ field }) => opens(source, [field])))
  const words = random.chance(0.35) ? randomQuery(random) : null
  const written = words ? writeQuery(words) : ''
  const operators: string[] = []
  const person = askPerson(client, able, query, due, operators)
  const times = askTimes(client, query, operators, ahead)
  const timed = timedSources(client, person.sources, times, due)
  const q = [written, ...operators].join(' ').trim()
  if (q !== '') query.set('q', q)
  const asked = words && written !== '' ? words : null
  if (asked && !hasWords(asked)) due.push(INVALID)
  if (asked && !sources.some(source => opens(source, source.searched)))
    due.push(sources.some(({ searched }) => searched.length > 0) ? FIELD : INVALID)
  return {
    sources: timed.filter(source => !asked || opens(source, source.searched)),
    asked,
    holds: row => person.names(row) && times.holds(row),
  }
}

function hasWords({ words, prefixes, phrase }: PlainQuery): boolean {
  return words.length + prefixes.length > 0 || phrase !== null
}

/**
 * The expected refusals for an aggregation that no source opens, or that a source which can match does not declare.
 */
function undeclared(
  client: Client,
  sources: World['sources'],
  able: World['sources'],
  field: string,
  kind: string,
): Refusal[] {
  const closed = client.closed(sources, field)
  if (closed.length > 0) return closed
  const matching = able.filter(source => client.fieldsOf(source).includes(field))
  return matching.every(source => declares(source, kind, field)) ? [] : [INVALID]
}

function tallyOf(client: Client, name: string, sources: readonly PlainSource[]): Tally {
  const connections = sources.map(source => {
    const rows = client.seenIn([source])
    const last = rows.reduce<Seen | null>(
      (best, row) => (best && best.changed.order > row.changed.order ? best : row),
      null,
    )
    return {
      connection_id: source.connection,
      record_count: rows.length,
      last_updated: last ? Date.parse(last.changed.emitted_at) : null,
    }
  })
  const dates = connections.map(({ last_updated }) => last_updated).filter(date => date !== null)
  return {
    name,
    record_count: connections.reduce((sum, { record_count }) => sum + record_count, 0),
    last_updated: dates.length > 0 ? Math.max(...dates) : null,
    connections: connections.sort((a, b) => (a.connection_id < b.connection_id ? -1 : 1)),
  }
}

interface SchemaStream {
  stream: string
  connections: { connection_id: string }[]
  fields: object
  schema: { properties: object }
  query: { aggregations: object; range_filters: object }
  cursor_field: string | null
  consent_time_field: string | null
  primary_key: string[]
}

interface Tally {
  name: string
  record_count: number
  last_updated: number | null
  connections: { connection_id: string; record_count: number; last_updated: number | null }[]
}

// biome-ignore lint/suspicious/noExplicitAny: a body as it came
function tally({ name, record_count, last_updated, connections }: any): Tally {
  const time = (text: string | null) => (text === null ? null : Date.parse(text))
  return {
    name,
    record_count,
    last_updated: time(last_updated),
    connections: connections
      // biome-ignore lint/suspicious/noExplicitAny: a body as it came
      .map((one: any) => ({
        connection_id: one.connection_id,
        record_count: one.record_count,
        last_updated: time(one.last_updated),
      }))
      .sort((a: { connection_id: string }, b: { connection_id: string }) =>
        a.connection_id < b.connection_id ? -1 : 1,
      ),
  }
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1
}
