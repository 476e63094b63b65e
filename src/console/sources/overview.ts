import { aggregate } from '../../api/aggregate.ts'
import { listConnections, readConnection } from '../../api/owner/catalog.ts'
import { listImports, SAMPLE_PREFIX } from '../../api/owner/imports.ts'
import type { ReplyOf } from '../../api/route.ts'
import { listStreams, readSchema } from '../../api/streams.ts'
import { CodedError } from '../../model/errors.ts'
import { inWaves } from '../../pages/in-waves.ts'
import { orNull, type Visit } from '../visit.ts'

export type ImportRun = ReplyOf<typeof listImports>['data'][number]

/** A kind of record that a source has. */
export interface Kind {
  stream: string
  label: string
  count: number
}

/** A source as its owner sees it. */
export interface SourceOverview {
  connection_id: string
  name: string
  created_at: string
  kinds: Kind[]
  count: number
  /** The first and the last year of its records, if they have times. */
  years: [first: string, last: string] | null
  /** Its newest import. */
  run: ImportRun | null
  rejected: number
}

/** How many records there are in each year or month. */
export interface Timeline {
  unit: 'month' | 'year'
  counts: Map<string, number>
}

export interface Overview {
  sources: SourceOverview[]
  count: number
  timeline: Timeline
}

/** Longer periods are counted by year: an aggregate has at most 100 groups. */
const MOST_YEARS_BY_MONTH = 8
const MOST_GROUPS = 100
const RUNS_OF_A_PAGE = 100
/** Of more imports, only the newest are looked at. */
const MOST_RUNS = 1_000

/** Every source, or only one of them. */
export async function readOverview(visit: Visit, only?: string): Promise<Overview> {
  const [connections, streams, schema, imports] = await Promise.all([
    visit.call(listConnections, {}),
    visit.call(listStreams, {}),
    visit.call(readSchema, {}, { query: { view: 'compact' } }),
    readImports(visit, { connection_id: only, most: MOST_RUNS }),
  ])
  const isAsked = ({ connection_id }: { connection_id: string }) =>
    only === undefined || connection_id === only
  const timed = schema.streams.flatMap(({ stream, consent_time_field, connections }) =>
    consent_time_field === null
      ? []
      : connections
          .filter(isAsked)
          .map(({ connection_id }) => ({ stream, field: consent_time_field, connection_id })),
  )
  const counted = await inWaves(timed, async part => ({ ...part, ...(await countsOf(visit, part)) }))
  const sources = connections.data
    .filter(isAsked)
    .map(({ connection_id, display_name, created_at }): SourceOverview => {
      const kinds = kindsOf(streams, connection_id)
      const years = counted.flatMap(part =>
        part.connection_id === connection_id ? [...part.years.keys()] : [],
      )
      const runs = imports.filter(run => run.connection_id === connection_id)
      return {
        connection_id,
        name: display_name,
        created_at,
        kinds,
        count: kinds.reduce((sum, kind) => sum + kind.count, 0),
        years: ends(years),
        run: runs[0] ?? null,
        rejected: rejectedOf(runs),
      }
    })
  return {
    sources,
    count: sources.reduce((sum, source) => sum + source.count, 0),
    timeline: timelineOf(counted),
  }
}

/** How many items were rejected. A file that was imported again counts once, as the newest import read it. */
function rejectedOf(runs: readonly ImportRun[]): number {
  const newest = new Map(runs.toReversed().map(run => [run.source, run.rejected]))
  return [...newest.values()].reduce((total, rejected) => total + rejected, 0)
}

/** The imports, newest first: of one source or of all. */
export async function readImports(
  visit: Visit,
  {
    connection_id,
    most = Number.POSITIVE_INFINITY,
  }: { connection_id?: string | undefined; most?: number } = {},
): Promise<ImportRun[]> {
  const runs: ImportRun[] = []
  let cursor: string | undefined
  do {
    const query = { limit: RUNS_OF_A_PAGE, connection_id, cursor }
    const { data, next_cursor } = await visit.call(listImports, {}, { query })
    runs.push(...data)
    cursor = next_cursor
  } while (cursor !== undefined && runs.length < most)
  return runs
}

/** The source that the path of the page names. */
export async function readSource(visit: Visit): Promise<SourceOverview> {
  const { connection_id = '' } = visit.path
  await visit.call(readConnection, { connection_id })
  const { sources } = await readOverview(visit, connection_id)
  const source = sources.find(each => each.connection_id === connection_id)
  if (!source) throw new CodedError('connection_not_found', 'There is no such source.')
  return source
}

export function isSample({ run }: Pick<SourceOverview, 'run'>): boolean {
  return run?.source.startsWith(SAMPLE_PREFIX) ?? false
}

/** The kinds of records that a source has; those without records come last. */
export function kindsOf({ data }: ReplyOf<typeof listStreams>, connection_id: string): Kind[] {
  const kinds = data.flatMap(({ name, label, connections }) => {
    const own = connections.find(each => each.connection_id === connection_id)
    return own ? [{ stream: name, label, count: own.record_count }] : []
  })
  return kinds.sort((a, b) => Number(a.count === 0) - Number(b.count === 0))
}

function ends(years: string[]): [string, string] | null {
  const [first] = years.sort()
  return first === undefined ? null : [first, years.at(-1) ?? first]
}

interface TimedPart {
  stream: string
  field: string
  connection_id: string
}

interface Counts {
  years: Map<string, number>
  /** Empty if there are too many. */
  months: Map<string, number>
}

/** Years are sums of months if there are few enough months for one response. */
async function countsOf(visit: Visit, part: TimedPart): Promise<Counts> {
  const months = await countsBy(visit, part, 'month')
  if (months === null) return { years: (await countsBy(visit, part, 'year')) ?? new Map(), months: new Map() }
  const years = sum([...months].map(([month, n]) => new Map([[month.slice(0, 4), n]])))
  return { years, months }
}

/** Null if there are more groups than a response can have. */
async function countsBy(
  visit: Visit,
  { stream, field, connection_id }: TimedPart,
  granularity: Timeline['unit'],
): Promise<Map<string, number> | null> {
  const query = { connection_id, group_by_time: field, granularity, limit: MOST_GROUPS }
  // A stream that does not declare such a figure has none to show.
  const figures = await orNull(visit.call(aggregate, { stream }, { query }))
  if (granularity === 'month' && (figures?.other_groups ?? 0) > 0) return null
  const groups = figures?.groups ?? []
  return new Map(groups.flatMap(({ key, count = 0 }) => (typeof key === 'string' ? [[key, count]] : [])))
}

function timelineOf(counted: readonly Counts[]): Timeline {
  const years = ends(counted.flatMap(part => [...part.years.keys()]))
  if (!years || Number(years[1]) - Number(years[0]) >= MOST_YEARS_BY_MONTH)
    return { unit: 'year', counts: sum(counted.map(part => part.years)) }
  return { unit: 'month', counts: sum(counted.map(part => part.months)) }
}

function sum(parts: readonly Map<string, number>[]): Map<string, number> {
  const total = new Map<string, number>()
  for (const part of parts) for (const [key, n] of part) total.set(key, (total.get(key) ?? 0) + n)
  return total
}

export function spanText(years: SourceOverview['years']): string {
  if (!years) return ''
  return years[0] === years[1] ? years[0] : `${years[0]} to ${years[1]}`
}
