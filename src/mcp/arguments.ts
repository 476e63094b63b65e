import { Ajv, type ValidateFunction } from 'ajv'
import { WHOLE_NUMBER } from '../api/parameter.ts'
import { CodedError } from '../model/errors.ts'
import { isObject, isTooDeep, type Json, type JsonObject, jsonOrNull } from '../model/json.ts'
import { roleMeant } from '../model/reading/grouping.ts'
import { EVERYTHING } from '../model/search/search-query.ts'
import { isTime } from '../model/time-bounds.ts'
import { meantFilter, plainCondition } from './meant-filter.ts'
import { meantMetric } from './metric-names.ts'
import { refusal } from './refused-arguments.ts'
import { handleOf } from './text/record-handle.ts'
import type { ObjectSchema, Tool } from './tool.ts'

/** Arguments that hosts add themselves and that tools ignore (ER-4). */
const INJECTED = ['wait_for_previous']
const MOST_LEVELS = 8

const ajv = new Ajv({ allErrors: false, strict: false })

/** What is made once for each tool. */
interface Checks {
  validate: ValidateFunction
  /** Other names of arguments. */
  aliases: Readonly<Record<string, string>>
}

const checks = new WeakMap<Tool, Checks>()

function checksOf(tool: Tool): Checks {
  const known = checks.get(tool)
  if (known) return known
  const made = { validate: ajv.compile(tool.input), aliases: { ...invented(tool), ...tool.aliases } }
  checks.set(tool, made)
  return made
}

/** The arguments of a call, checked against the tool's schema before anything else happens. */
export function checkedArguments(tool: Tool, given: unknown): JsonObject {
  const args = isObject(given ?? {}) ? { ...(given as JsonObject) } : null
  if (!args) throw new CodedError('invalid_request', 'The arguments must be an object.')
  for (const name of INJECTED) delete args[name]
  leaveOutNothing(args)
  const { validate, aliases } = checksOf(tool)
  rename(args, aliases)
  takeWholeId(args)
  takeParts(args, tool.input)
  takeOperators(args, tool.input)
  takeEverything(args, tool.input)
  splitGroups(args, tool.input)
  forgive(args, tool.input)
  if (isTooDeep(args, MOST_LEVELS))
    throw new CodedError('invalid_request', 'The arguments are nested too deeply.')
  if (validate(args)) return args
  throw refusal(tool, args, validate.errors?.[0])
}

/** Names that models invent for an argument, where nothing else can be meant. */
const INVENTED: Readonly<Record<string, readonly string[]>> = {
  query: [
    ...['search_query', 'question', 'search', 'keywords', 'keyword', 'search_terms', 'terms', 'search_text'],
    ...['text', 'input', 'prompt'],
  ],
  limit: ['max_results', 'num_results', 'page_size', 'top_k', 'n', 'size'],
  since: [
    ...[
      'start_date',
      'date_from',
      'from_date',
      'start_time',
      'start',
      'since_date',
      'date_start',
      'time_from',
    ],
    ...['after_date', 'date_after', 'min_date', 'time_min', 'created_after'],
  ],
  until: [
    ...['end_date', 'date_to', 'to_date', 'end_time', 'end', 'until_date', 'date_end', 'time_to'],
    ...['before_date', 'date_before', 'max_date', 'time_max', 'created_before'],
  ],
  person: ['contact', 'who', 'people', 'user'],
  group_by_time: ['time_field', 'date_field'],
  granularity: ['interval', 'period'],
  sort: ['sort_by', 'order_by'],
  order: ['sort_by', 'order_by'],
  filter: ['filters', 'where'],
  connector: ['source', 'sources', 'connectors'],
  stream: ['table', 'collection'],
  metric: ['operation', 'aggregation', 'function'],
  group_by: ['by', 'groupby', 'group'],
}

function invented({ input: { properties } }: Tool): Record<string, string> {
  const known = Object.entries(INVENTED).filter(([name]) => Object.hasOwn(properties, name))
  return Object.fromEntries(known.flatMap(([name, others]) => others.map(other => [other, name])))
}

/** Two names to group by mean that the second splits the groups of the first. */
function splitGroups(args: JsonObject, { properties }: ObjectSchema): void {
  if (!Object.hasOwn(properties, 'split_by') || !Array.isArray(args.group_by)) return
  const [group_by = null, split_by = null, ...others] = args.group_by
  if (split_by !== null && others.length === 0 && args.split_by === undefined)
    Object.assign(args, { group_by, split_by })
}

/** Leaves out what models send for "nothing". */
function leaveOutNothing(args: JsonObject): void {
  for (const [name, value] of Object.entries(args))
    if (
      value === null ||
      (typeof value === 'string' && value.trim() === '') ||
      (Array.isArray(value) && value.length === 0)
    )
      delete args[name]
}

/** An id passed as `record_id`, without connection and stream, which it names itself. */
function takeWholeId(args: JsonObject): void {
  const { id, connection_id, stream, record_id } = args
  if ((id ?? connection_id ?? stream) !== undefined || typeof record_id !== 'string') return
  if (!WHOLE_ID.test(record_id)) return
  delete args.record_id
  args.id = record_id
}

const WHOLE_ID = /^[^/]+\/[^:]+:./

/** Connection and stream that are passed beside the record's own id, as structured content names them. */
function takeParts(args: JsonObject, { properties }: ObjectSchema): void {
  const { id, connection_id = null, stream } = args
  if (typeof id !== 'string' || typeof stream !== 'string' || WHOLE_ID.test(id)) return
  if (Object.hasOwn(properties, 'stream') || (connection_id !== null && typeof connection_id !== 'string'))
    return
  for (const part of ['connection_id', 'stream']) delete args[part]
  Object.assign(args, handleOf({ connection_id, stream, record_id: id }))
}

/** Operators of a query, by the names under which models pass them as arguments. */
const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  from: ['from', 'sender', 'author'],
  to: ['to', 'recipient'],
  with: ['with', 'participant'],
  in: ['in', 'channel', 'folder', 'mailbox', 'label'],
  on: ['on', 'date', 'day', 'month', 'year', 'date_range', 'time_range'],
  before: ['before'],
  after: ['after'],
}

/**
 * Arguments with the conditions of a filter as operators of the query, for a call that names no stream, whose fields they
 * could be; null if others are left. Not for a count, which would count more than the filter says without showing it.
 */
export function withFilterAsOperators({ filter, ...args }: JsonObject, tool: Tool): JsonObject | null {
  const { properties } = tool.input
  const plain = Object.entries(isObject(filter) ? filter : {}).map(
    ([name, condition]) => [name, plainCondition(condition)] as const,
  )
  const isOperator = ([name, value]: (typeof plain)[number]) =>
    Object.values(OPERATORS).flat().includes(name) && args[name] === undefined && value !== undefined
  if (plain.length === 0 || Object.hasOwn(properties, 'metric') || !plain.every(isOperator)) return null
  const changed: JsonObject = { ...args, ...Object.fromEntries(plain as [string, Json][]) }
  takeOperators(changed, tool.input)
  return Object.keys(changed).every(name => Object.hasOwn(properties, name)) ? changed : null
}

/** Adds to the query what was passed beside it although it is an operator: a person, a place or a time. */
function takeOperators(args: JsonObject, { properties }: ObjectSchema): void {
  if (!Object.hasOwn(properties, 'query') || !['string', 'undefined'].includes(typeof args.query)) return
  for (const name of ['has_attachment', 'has_attachments'])
    if (String(args[name]) === 'true') {
      delete args[name]
      args.query = `${args.query ?? ''} has:attachment`.trim()
    }
  for (const [operator, names] of Object.entries(OPERATORS))
    for (const name of names) {
      const all = [args[name] ?? []].flat().map(each => (typeof each === 'number' ? String(each) : each))
      const given = all.join(' OR ')
      if (Object.hasOwn(properties, name) || all.length === 0 || !all.every(isPlain)) continue
      delete args[name]
      const bound = { from: 'since', to: 'until' }[name]
      if (bound !== undefined && args[bound] === undefined && isTime(given)) args[bound] = given
      else args.query = `${args.query ?? ''} ${operator}:"${given.trim()}"`.trim()
    }
}

const isPlain = (value: Json) => typeof value === 'string' && !value.includes('"')

/** Arguments that say which records are meant, so that a search does not need words. */
const SELECTING = ['person', 'since', 'until', 'connector', 'connection_id', 'stream', 'streams', 'filter']

/** A query without words means every record that the other arguments leave. Only search needs to be told. */
function takeEverything(args: JsonObject, { required = [] }: ObjectSchema): void {
  const isWritten = typeof args.query === 'string' && args.query.trim() === EVERYTHING
  if (isWritten) delete args.query
  if (args.query !== undefined || !required.includes('query')) return
  if (isWritten || SELECTING.some(name => args[name] !== undefined)) args.query = EVERYTHING
}

/** Arguments that name something. A name that begins or ends with white space is given as a URI instead. */
const NAMES = ['id', 'within', 'stream', 'connection_id', 'connector']
const BOUNDS = ['since', 'until']
/** What models call an order of time: the names of one tool in the other, and other words. */
const SAME_ORDERS: readonly (readonly string[])[] = [
  ['newest', 'desc', 'descending', 'latest', 'recent', 'newest_first', 'date'],
  ['oldest', 'asc', 'ascending', 'earliest', 'first', 'oldest_first'],
]

/** Converts what was sent in another type or spelling, if nothing else can be meant. */
function forgive(args: JsonObject, { properties }: ObjectSchema): void {
  for (const [name, given] of Object.entries(args)) {
    if (!Object.hasOwn(properties, name)) continue
    const schema = properties[name] as { type?: unknown; enum?: unknown[] }
    const value =
      name === 'filter'
        ? meantFilter(unwrapped(name, given, schema.type))
        : unwrapped(name, given, schema.type)
    args[name] = value
    if (typeof value !== 'string') continue
    if (NAMES.includes(name)) args[name] = value.trim()
    // Runs of white space would only cost time.
    if (name === 'query') args[name] = value.trim().replace(/\s+/g, ' ')
    // As a time, so that the next page has the same one.
    if (BOUNDS.includes(name) && /^\s*(?:right\s+)?now\s*$/i.test(value))
      args[name] = new Date().toISOString()
    if (schema.type === 'integer' && WHOLE_NUMBER.test(value)) args[name] = Number(value)
    else if (schema.type === 'boolean' && (value === 'true' || value === 'false'))
      args[name] = value === 'true'
    else if (schema.type === 'array') args[name] = [value.trim()]
    else if (name === 'metric') args[name] = meantMetric(value, args)
    else if (schema.enum && !schema.enum.includes(value)) args[name] = meantOf(value, schema.enum)
  }
}

/** A list of one as its item, several words or kinds as one text, and JSON that was sent as a text. */
function unwrapped(name: string, given: Json, type: unknown): Json {
  if (type === 'string' && Array.isArray(given)) {
    if (given.length === 1) return given[0] ?? null
    const separator = { query: ' ', connector: ',' }[name]
    return separator !== undefined && given.every(each => typeof each === 'string')
      ? given.join(separator)
      : given
  }
  const open = type === 'object' ? /^\s*[[{]/ : type === 'array' ? /^\s*\[/ : null
  if (typeof given !== 'string' || !open?.test(given)) return given
  const parsed = jsonOrNull(given)
  return isObject(parsed) || Array.isArray(parsed) ? parsed : given
}

/** The allowed value that is meant by another spelling of it, or by another name of an order of time (`date desc`). */
function meantOf(given: string, allowed: readonly unknown[]): string {
  const value = given.trim().toLowerCase().replaceAll(/[\s-]/g, '_')
  const [, field, direction] = /^(.+)_(asc|ascending|desc|descending)$/.exec(value) ?? []
  const order = field === undefined || isTimeField(field) ? (direction ?? value) : value
  const names = [value, ...(SAME_ORDERS.find(others => others.includes(order)) ?? [])]
  return names.find(name => allowed.includes(name)) ?? given
}

function isTimeField(name: string): boolean {
  return roleMeant(name) === 'event-time' || /_(?:at|time|date)$/.test(name)
}

function rename(args: JsonObject, aliases: Readonly<Record<string, string>>): void {
  for (const [alias, name] of Object.entries(aliases)) {
    const value = args[alias]
    if (value === undefined) continue
    if (args[name] !== undefined && args[name] !== value) {
      const message = `${name} and ${alias} are the same argument. Give one of them.`
      throw new CodedError('invalid_request', message, { param: alias })
    }
    delete args[alias]
    args[name] = value
  }
}

/** The limit of a page, lowered to the maximum; the note says so. */
export function pageLimit(
  args: JsonObject,
  fallback: number,
  most: number,
): { limit: number; notes: string[] } {
  const asked = number(args, 'limit') ?? fallback
  if (asked <= most) return { limit: asked, notes: [] }
  return { limit: most, notes: [`limit ${asked} was lowered to ${most}, the most per page.`] }
}

export function text(args: JsonObject, name: string): string | undefined {
  const value = args[name]
  return typeof value === 'string' ? value : undefined
}

export function number(args: JsonObject, name: string): number | undefined {
  const value = args[name]
  return typeof value === 'number' ? value : undefined
}

export function texts(args: JsonObject, name: string): string[] | undefined {
  const value = args[name]
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.map(String) : undefined
}
