import { grantsField, type Source } from '../access/enforce.ts'
import { fieldsWithRole, formatOf, isMadeFromData, type Role, timeField } from '../declaration/declaration.ts'
import { CodedError, invalidRequest } from '../errors.ts'
import { fold } from '../text/fold.ts'
import type { TimeBounds } from '../time-bounds.ts'
import type { CompiledCondition, SelectedSource } from './filter.ts'
import { declaresOwn, LONGEST_NAME, namesOwner, ownConditions, PEOPLE } from './people.ts'
import { type RoleCondition, spelledWords } from './role-test.ts'

/** The roles that each operator examines. No operator names a field of a particular source. */
export const ROLES_OF = {
  person: PEOPLE,
  from: ['actor'],
  to: ['recipient'],
  with: PEOPLE,
  in: ['place', 'label'],
  has: ['attachment'],
  type: ['attachment'],
} as const satisfies Record<string, readonly Role[]>

export type RoleOperator = keyof typeof ROLES_OF
export const ROLE_OPERATORS = Object.keys(ROLES_OF) as RoleOperator[]

/** An operator and its value, as requested. */
export interface RoleRequest {
  operator: RoleOperator
  value: string
}

/** Who asks, and what records call the owner, as far as the owner has said. */
export interface Asker {
  isOwner: boolean
  ownNames: readonly string[]
}

/** Whether a request means the owner: `from:me`. What the owner received can only be found by name. */
function asksForOwner({ operator, value }: RoleRequest, { ownNames }: Asker): boolean {
  const operators = ownNames.length > 0 ? NAMED_OPERATORS : OWNER_OPERATORS
  return operators.includes(operator) && namesOwner(value)
}

const OWNER_OPERATORS: readonly RoleOperator[] = ['person', 'from', 'with']
const NAMED_OPERATORS: readonly RoleOperator[] = [...OWNER_OPERATORS, 'to']

/** Readable streams that are not searched, because no field is granted in them that an operator could examine. */
export interface LeftOut {
  operator: string
  /** Whether they were left out because they do not say which records are the owner's. */
  own: boolean
  streams: number
  /** Whether all streams were left out. */
  all: boolean
}

/** What is left out if only some of the parts can answer. A stream of several connections is one stream. */
export function leftOutOf(
  operator: string,
  parts: readonly SelectedSource[],
  able: readonly SelectedSource[],
  own = false,
): LeftOut[] {
  const answering = new Set(able.map(({ source }) => source))
  const unable = parts.filter(({ source }) => !answering.has(source))
  const streams = new Set(unable.map(({ source }) => source.stream.name)).size
  return streams === 0 ? [] : [{ operator, own, streams, all: able.length === 0 }]
}

/** Adds the conditions of operators to each source, and drops the sources that cannot answer them. */
export function selectByRoles(
  parts: readonly SelectedSource[],
  requests: readonly RoleRequest[],
  asker: Asker,
): { parts: SelectedSource[]; leftOut: LeftOut[] } {
  let selected = [...parts]
  const leftOut: LeftOut[] = []
  for (const request of requests) {
    const { operator } = request
    const own = asksForOwner(request, asker)
    const able = parts.filter(({ source }) => answerOf(request, source, asker) !== null)
    if (able.length === 0) assertUndeclared(parts, request, asker)
    leftOut.push(...leftOutOf(operator, parts, able, own))
    selected = selected.flatMap(({ source, conditions }) => {
      const answer = answerOf(request, source, asker)
      return answer === null ? [] : [{ source, conditions: [...conditions, ...answer] }]
    })
  }
  return { parts: selected, leftOut }
}

/** Bounds the time of records; `until` is excluded. */
export function selectByTime(
  parts: readonly SelectedSource[],
  { since, until }: TimeBounds,
  isOwner: boolean,
): { parts: SelectedSource[]; leftOut: LeftOut[] } {
  if (since === null && until === null) return { parts: [...parts], leftOut: [] }
  const operator = since === null ? 'until' : 'since'
  const selected = parts.flatMap(({ source, conditions }) => {
    const field = timeField(source.stream)
    if (field === undefined || !grantsField(source, field)) return []
    const format = formatOf(source.stream, field) ?? 'date-time'
    const from = since === null ? [] : [{ field, operator: 'gte' as const, format, ...since }]
    const to = until === null ? [] : [{ field, operator: 'lt' as const, format, ...until }]
    return [{ source, conditions: [...conditions, ...from, ...to] }]
  })
  if (selected.length === 0 && parts.some(({ source }) => timeField(source.stream)) && !isOwner)
    throw notGranted(operator)
  return { parts: selected, leftOut: leftOutOf(operator, parts, selected) }
}

/** The conditions of an operator on a source; null if the source cannot answer it. */
function answerOf(request: RoleRequest, source: Source, asker: Asker): CompiledCondition[] | null {
  const own = asksForOwner(request, asker)
  const declared = own && request.operator !== 'to' ? ownConditions(source) : null
  if (declared) return declared
  const fields = fieldsWithRole(source.stream, ROLES_OF[request.operator])
  const open = fields.filter(field => grantsField(source, field))
  if (open.length === 0) return null
  if (!own) return [conditionOf(request, open)]
  const anyOf = asker.ownNames.map(spelledWords)
  return anyOf.length === 0 ? null : [{ fields: open, test: 'words', anyOf }]
}

/** If field names are personal data, a field that does not exist looks like a hidden one to a client. */
function assertUndeclared(parts: readonly SelectedSource[], request: RoleRequest, asker: Asker): void {
  if (asker.isOwner || parts.length === 0) return
  const own = asksForOwner(request, asker)
  const byName = !own || asker.ownNames.length > 0
  const isDeclared = ({ stream }: Source) =>
    (own && declaresOwn(stream)) || (byName && fieldsWithRole(stream, ROLES_OF[request.operator]).length > 0)
  const isKnown = parts.every(({ source }) => !isDeclared(source) && !isMadeFromData(source.source_id))
  if (!isKnown) throw notGranted(request.operator)
}

function notGranted(operator: string): CodedError {
  const message = `The grant opens no field for ${operator}. Repeat the request without it.`
  return new CodedError('field_not_granted', message, { param: operator })
}

function conditionOf({ operator, value }: RoleRequest, fields: string[]): RoleCondition {
  if (operator === 'has') {
    if (!/^(attachments?|files?)$/i.test(value))
      throw invalidRequest('has must be attachment. For one kind of file use type, such as type:pdf.', 'has')
    return { fields, test: 'present', anyOf: [] }
  }
  // Splitting takes time that grows with the square of the length.
  if (value.length > LONGEST_NAME)
    throw invalidRequest(`${operator} has at most ${LONGEST_NAME} characters.`, operator)
  const alternatives = value.split(/\s+OR\s+/)
  if (operator === 'type')
    return { fields, test: 'type', anyOf: alternatives.map(type => [[fold(type).replace(/^\./, '')]]) }
  if (alternatives.length > 1 && alternatives.some(namesOwner))
    throw invalidRequest(`${operator}:me cannot be an alternative. Ask for it by itself.`, operator)
  const anyOf = alternatives.map(spelledWords)
  if (anyOf.some(({ length }) => length === 0))
    throw invalidRequest(`${operator} contains no word.`, operator)
  return { fields, test: 'words', anyOf }
}
