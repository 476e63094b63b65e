import { grantsField, type Source } from '../access/enforce.ts'
import { fieldsWithRole, formatOf, type Role, timeField } from '../declaration/declaration.ts'
import { isMadeFromData } from '../declaration/source-id.ts'
import { CodedError, invalidRequest } from '../errors.ts'
import { fold } from '../text/fold.ts'
import type { SelectedSource } from './filter.ts'
import { PEOPLE } from './people.ts'
import { type RoleCondition, spelledWords } from './role-test.ts'
import type { TimeBounds } from './time-bound.ts'

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

/** Readable streams that are not searched, because no field is granted in them that an operator could examine. */
export interface LeftOut {
  operator: string
  streams: number
  /** Whether all streams were left out. */
  all: boolean
}

/** What is left out if only some of the parts can answer. A stream of several connections is one stream. */
export function leftOutOf(
  operator: string,
  parts: readonly SelectedSource[],
  able: readonly SelectedSource[],
): LeftOut[] {
  const answering = new Set(able.map(({ source }) => source))
  const unable = parts.filter(({ source }) => !answering.has(source))
  const streams = new Set(unable.map(({ source }) => source.stream.name)).size
  return streams === 0 ? [] : [{ operator, streams, all: able.length === 0 }]
}

/** Adds the conditions of operators to each source, and drops the sources that cannot answer them. */
export function selectByRoles(
  parts: readonly SelectedSource[],
  requests: readonly RoleRequest[],
  isOwner: boolean,
): { parts: SelectedSource[]; leftOut: LeftOut[] } {
  let selected = [...parts]
  const leftOut: LeftOut[] = []
  for (const request of requests) {
    const { operator } = request
    const able = parts.filter(({ source }) => openFields(source, ROLES_OF[operator]).length > 0)
    if (able.length === 0) assertUndeclared(parts, operator, ROLES_OF[operator], isOwner)
    leftOut.push(...leftOutOf(operator, parts, able))
    selected = selected.flatMap(({ source, conditions }) => {
      const fields = openFields(source, ROLES_OF[operator])
      return fields.length === 0
        ? []
        : [{ source, conditions: [...conditions, conditionOf(request, fields)] }]
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

function openFields(source: Source, roles: readonly Role[]): string[] {
  return fieldsWithRole(source.stream, roles).filter(field => grantsField(source, field))
}

/** If field names are personal data, a field that does not exist looks like a hidden one to a client. */
function assertUndeclared(
  parts: readonly SelectedSource[],
  operator: RoleOperator,
  roles: readonly Role[],
  isOwner: boolean,
): void {
  if (isOwner || parts.length === 0) return
  const isKnown = parts.every(
    ({ source }) => fieldsWithRole(source.stream, roles).length === 0 && !isMadeFromData(source.source_id),
  )
  if (!isKnown) throw notGranted(operator)
}

function notGranted(operator: string): CodedError {
  const message = `The grant opens no field for ${operator}. Repeat the request without it.`
  return new CodedError('field_not_granted', message, { param: operator })
}

function conditionOf({ operator, value }: RoleRequest, fields: string[]): RoleCondition {
  if (operator === 'has') {
    if (!/^(attachments?|files?)$/i.test(value))
      throw invalidRequest('has must be attachment. For one kind of file use type, such as type:pdf.', 'has')
    return { fields, test: 'present', words: [] }
  }
  if (operator === 'type') return { fields, test: 'type', words: [[fold(value).replace(/^\./, '')]] }
  const words = spelledWords(value)
  if (words.length === 0) throw invalidRequest(`${operator} contains no word.`, operator)
  return { fields, test: 'words', words }
}
