import { aggregate } from '../../api/aggregate.ts'
import { listByTime, listRecords } from '../../api/records.ts'
import type { QueryOf } from '../../api/route.ts'
import { search } from '../../api/search.ts'
import { isObject, type JsonObject, objectsIn } from '../../model/json.ts'
import type { Condition } from '../../model/reading/filter.ts'
import { nameOf, namesOwner, PEOPLE } from '../../model/reading/people.ts'
import { ROLE_OPERATORS, ROLES_OF, type RoleOperator } from '../../model/reading/role-condition.ts'
import { wordsOf } from '../../model/reading/role-test.ts'
import { someNames } from '../../model/some-names.ts'
import { localTime } from '../../model/time.ts'
import type { Bounds } from '../../model/time-bounds.ts'
import { sourcesCalled } from '../reading/meant-sources.ts'
import { connectionsLeft } from '../reading/narrowing.ts'
import type { ResourceServerClient } from '../reading/resource-server-client.ts'
import { nearestOf, nearestText, VALUE_BYTES } from '../text/nearest.ts'
import { callText, quotedHead, timeText, word } from '../text/quote.ts'
import { countIn, recordsText } from './counts.ts'
import { ownerText } from './owner-names.ts'
import type { Sought } from './sought.ts'
import { reasonOfWords } from './word-reasons.ts'

/** The most reads that are made to find out why. */
const MOST_READS = 10
const MOST_VALUES = 100
const MOST_SOURCES = 3
/** The most hits whose authors are compared with a name. */
const MOST_AUTHORS = 25

/** Examines each part of the request separately. */
export class Reasons {
  readonly #client: ResourceServerClient
  readonly #streams: readonly JsonObject[]
  readonly #sought: Sought
  #reads = MOST_READS

  constructor(client: ResourceServerClient, streams: readonly JsonObject[], sought: Sought) {
    this.#client = client
    this.#streams = streams
    this.#sought = sought
  }

  async ofOperators(): Promise<string[]> {
    const { connection_id, connector, time_zone: _, ...narrowing } = this.#sought.narrowing
    const { words, where } = this.#sought
    const parts = Object.values(narrowing).flat().length
    // A part that was requested alone is already known to match nothing.
    const isAlone = parts === 1 && !words && where.length === 0
    const reasons: string[] = []
    for (const operator of ROLE_OPERATORS) {
      // Attachments have no values to compare with.
      const roles = ROLES_OF[operator].filter(role => role !== 'attachment')
      for (const value of narrowing[operator] ?? []) {
        const named = `${operator}:${quotedHead(value, VALUE_BYTES)}`
        const count = isAlone ? 0 : await this.#countByTime({ connection_id, connector, [operator]: [value] })
        if (count === null) continue
        const matched =
          count > 0 ? `${named} alone matches ${recordsText(count)}.` : `${named} matches no record.`
        // A name can contain the word by chance, but it is not what the owner is called.
        const isHinted = count === 0 || namesOwner(value)
        const timeless = count === 0 ? await this.#withoutTime(value, operator) : []
        if (timeless.length > 0) {
          reasons.push(...timeless)
          continue
        }
        const sources = count === 0 && operator === 'in' ? await this.#sourcesNamed(value) : []
        if (sources.length > 0) {
          const pass = JSON.stringify({ connector: value })
          reasons.push(
            `${matched} It names a source (${someNames(sources, MOST_SOURCES)}): pass ${pass} instead.`,
          )
          continue
        }
        const namesPeople = roles.some(role => PEOPLE.some(each => each === role))
        // Before the nearest values, which need a read for each field: a name finds more than one of its addresses.
        const spelled =
          count === 0 && !namesOwner(value) ? await this.#spelled(value, operator, namesPeople) : ''
        const hint = isHinted ? await this.#nearest(value, operator, roles) : ''
        reasons.push(`${matched}${spelled}${hint}`)
      }
    }
    return reasons
  }

  async ofConditions(): Promise<string[]> {
    const { where, narrowing, streams } = this.#sought
    const [stream] = streams ?? []
    if (stream === undefined) return []
    const { connection_id, connector } = narrowing
    const countOf = (condition: Condition) =>
      this.#read(async () => {
        const query = { connection_id, connector, where: [condition], limit: 1, count: 'exact' }
        return countIn(await this.#client.get(listRecords, { stream }, query))
      })
    const reasons: string[] = []
    for (const condition of where) {
      const { field, operator, value } = condition
      const told = quotedHead(value, VALUE_BYTES)
      const named = `${quotedHead(field, VALUE_BYTES)} ${operator === 'eq' ? '=' : operator} ${told}`
      const count = await countOf(condition)
      if (count === null) continue
      if (count > 0) {
        reasons.push(`The filter ${named} alone matches ${recordsText(count)}.`)
        continue
      }
      const isText = operator === 'eq' || operator === 'in'
      const containing = isText ? await countOf({ field, operator: 'contains', value }) : null
      const hint = containing
        ? ` ${recordsText(containing)} ${containing === 1 ? 'has' : 'have'} a ${quotedHead(field, VALUE_BYTES)} that contains ${told}: use {"contains":…}.`
        : await this.#nearestIn(stream, field, value)
      reasons.push(`The filter ${named} matches no record.${hint}`)
    }
    return reasons
  }

  ofWords(): Promise<string[]> {
    return reasonOfWords(this.#sought, query => this.#read(() => this.#client.get(search, {}, query)))
  }

  async ofTime(): Promise<string[]> {
    const { since, until } = this.#sought.narrowing
    if (since === undefined && until === undefined) return []
    const matches = await this.#read(this.#sought.anyTime)
    const unbound = matches === null ? [] : [`Without the time limits ${matches}.`]
    return [...unbound, ...(await this.#nearestTimes())]
  }

  /** What to do if none of the streams shows a time. */
  ofTimeless(): string[] {
    const { byTime, words } = this.#sought
    const [stream] = this.#streams.map(each => each.stream)
    if (!byTime || typeof stream !== 'string' || this.#streams.some(showsTime)) return []
    const instead = words
      ? 'Search without sort, since and until.'
      : `Name a stream: ${callText({ tool: 'query_records', args: { stream } })}.`
    return [`None of the streams that you may read shows a time. ${instead}`]
  }

  /** When the nearest records before and after the time limits are; with words or filters that is unknown. */
  async #nearestTimes(): Promise<string[]> {
    const { narrowing, words, where, zone, streams } = this.#sought
    if (words || where.length > 0) return []
    const { since, until, ...others } = narrowing
    const nearest = async (bounds: Bounds, order: 'asc' | 'desc', which: string) => {
      const query = { ...others, ...bounds, streams: streams && [...streams], order, limit: 1 }
      const found = await this.#read(() => this.#client.get(listByTime, {}, query))
      const [first] = objectsIn(found?.data)
      const at = typeof first?.occurred_at === 'string' ? localTime(first.occurred_at, zone) : null
      return at === null ? [] : [`The nearest ${which} is of ${timeText(at, VALUE_BYTES)}.`]
    }
    return [
      ...(since === undefined ? [] : await nearest({ until: since }, 'desc', 'before')),
      ...(until === undefined ? [] : await nearest({ since: until }, 'asc', 'after')),
    ]
  }

  async #sourcesNamed(value: string): Promise<string[]> {
    const named = await this.#read(() => sourcesCalled(this.#client, value))
    return (named ?? []).map(name => word(name, VALUE_BYTES))
  }

  /** Streams with matching records that no list by time contains, because they have no time, such as contacts. */
  async #withoutTime(value: string, operator: RoleOperator): Promise<string[]> {
    const { narrowing, streams } = this.#sought
    const { connection_id, connector } = narrowing
    if (streams !== undefined) return []
    const query = { q: wordsOf(value).join(' '), [operator]: [value], connection_id, connector }
    const found = await this.#read(() => this.#client.get(search, {}, query))
    const asked =
      operator === 'person' ? { person: value } : { query: `${operator}:${JSON.stringify(value)}` }
    return [...new Set(objectsIn(found?.data).map(({ stream }) => String(stream)))].map(stream => {
      const call = callText({ tool: 'query_records', args: { stream, ...asked } })
      const named = `${operator}:${quotedHead(value, VALUE_BYTES)}`
      return `${named} matches records of ${word(stream, VALUE_BYTES)} that have no time: ${call}.`
    })
  }

  /**
   * How many records the same name matches as records spell it, if a word of it is misspelt; or, with `orAuthor`, the
   * most similar name among the authors of what its words find.
   */
  async #spelled(value: string, operator: RoleOperator, orAuthor: boolean): Promise<string> {
    const { narrowing, streams } = this.#sought
    const { connection_id, connector } = narrowing
    const words = wordsOf(value)
    const limit = orAuthor ? MOST_AUTHORS : 1
    const query = { q: words.join(' '), streams: streams && [...streams], connection_id, connector, limit }
    const found = await this.#read(() => this.#client.get(search, {}, query))
    const warnings = isObject(found?.meta) && Array.isArray(found.meta.warnings) ? found.meta.warnings : []
    const taken = new Map(
      warnings.flatMap(warning => {
        const detail = isObject(warning) && warning.code === 'word_corrected' ? warning.detail : null
        return isObject(detail) ? [[detail.written, detail.taken] as const] : []
      }),
    )
    const corrected = words.map(word => String(taken.get(word) ?? word)).join(' ')
    const authors = objectsIn(found?.data).flatMap(({ author }) =>
      typeof author === 'string' ? [{ key: nameOf(author) }] : [],
    )
    const [alike] = orAuthor ? nearestOf(value, authors, 1) : []
    for (const name of [...(taken.size > 0 ? [corrected] : []), ...(alike ? [alike.key] : [])]) {
      const count = await this.#countByTime({ connection_id, connector, [operator]: [name] })
      if (count) return ` ${operator}:${quotedHead(name, VALUE_BYTES)} matches ${recordsText(count)}.`
    }
    return ''
  }

  /** Visible values in fields of a role that are most similar to the requested one. */
  async #nearest(value: string, operator: string, roles: readonly string[]): Promise<string> {
    const found = new Map<string, number>()
    for (const declared of this.#streams) {
      const { stream, fields } = declared
      if (connectionsLeft(declared, this.#sought.narrowing).length === 0 || !isObject(fields)) continue
      for (const [field, flags] of Object.entries(fields)) {
        if (!isGrouped(flags) || !roles.some(role => String(flags).split(' ').includes(role))) continue
        for (const { key, count } of await this.#values(String(stream), field))
          found.set(key, (found.get(key) ?? 0) + count)
      }
    }
    const values = [...found].map(([key, count]) => ({ key, count }))
    return namesOwner(value) && roles.includes('actor')
      ? ownerText(operator, values)
      : nearestText(value, values)
  }

  async #nearestIn(stream: string, field: string, value: string): Promise<string> {
    const declared = this.#streams.find(each => each.stream === stream)
    const flags = isObject(declared?.fields) ? declared.fields[field] : undefined
    if (isGrouped(flags)) return nearestText(value, await this.#values(stream, field))
    // A sender that is not grouped has names beside addresses.
    return String(flags).split(' ').includes('actor') ? this.#spelled(value, 'from', true) : ''
  }

  /** The most frequent values of a field. */
  async #values(stream: string, group_by: string): Promise<{ key: string; count: number }[]> {
    const { connection_id } = this.#sought.narrowing
    const found = await this.#read(() =>
      this.#client.get(
        aggregate,
        { stream },
        { metric: 'count', group_by, limit: MOST_VALUES, connection_id },
      ),
    )
    return objectsIn(found?.groups).flatMap(({ key, count }) =>
      typeof key === 'string' && typeof count === 'number' ? [{ key, count }] : [],
    )
  }

  async #countByTime(query: QueryOf<typeof listByTime>): Promise<number | null> {
    const { streams } = this.#sought
    return this.#read(async () =>
      countIn(await this.#client.get(listByTime, {}, { ...query, streams, limit: 1, count: 'exact' })),
    )
  }

  /** A read that only explains: if it fails, the explanation is left out. */
  async #read<T>(ask: () => Promise<T>): Promise<T | null> {
    if (this.#reads-- <= 0) return null
    return ask().catch(() => null)
  }
}

function showsTime({ fields, consent_time_field }: JsonObject): boolean {
  const flags = Object.values(isObject(fields) ? fields : {}).map(String)
  return typeof consent_time_field === 'string' || flags.some(each => each.split(' ').includes('event-time'))
}

function isGrouped(flags: unknown): boolean {
  return typeof flags === 'string' && /(?:^| )a=(?:\S*,)?group_by(?:,|$)/.test(flags)
}
