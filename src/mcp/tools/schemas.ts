import type { ObjectSchema } from '../tool.ts'

/** Parts that the schemas of several tools share. They cost tokens, so they are short. */
export const TEXT = { type: 'string' } as const
export const TEXT_OR_NULL = { type: ['string', 'null'] } as const
export const INTEGER = { type: 'integer' } as const
export const FLAG = { type: 'boolean' } as const
export const TEXTS = { type: 'array', items: TEXT } as const

export const CONNECTION_ID = { type: 'string' } as const

export const FILTER = {
  type: 'object',
  description: 'field → value or {gte,gt,lte,lt,contains,in}',
} as const

/** What narrows by sources, people and time. One connection may also be given as a text. */
export const NARROWING = {
  connection_id: TEXTS,
  connector: TEXT,
  person: TEXT,
  since: { type: 'string', description: '2015-08, yesterday, -30d' },
  until: TEXT,
  time_zone: TEXT,
} as const

/** Every member there can be. Types cost tokens: most of these are texts. */
export function members<const Name extends string>(...names: Name[]): Record<Name, object> {
  return Object.fromEntries(names.map(name => [name, {}])) as Record<Name, object>
}

/** An object of this shape and no other. */
export function exactly(properties: Record<string, object>, required: string[] = []) {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  } as const
}

export function listOf(items: object) {
  return { type: 'array', items } as const
}

/** A ready call: a tool's name and its arguments. */
export const CALL = { type: 'object', properties: { tool: TEXT, args: { type: 'object' } } } as const

const RANGE = { start_chars: INTEGER, end_chars: INTEGER } as const
const PARTS = members('connection_id', 'stream', 'record_id')
const RESULT = { id: TEXT, title: TEXT, url: TEXT } as const

/** Records by the ids that other tools take. */
export const RESULTS = listOf(exactly({ ...RESULT, connection_id: {} }, Object.keys(RESULT)))

export const HITS = listOf(
  exactly(
    {
      ...RESULT,
      ...members('snippet', 'field_path', 'status', 'next', 'author', 'source', 'occurred_at', 'local_time'),
      ...RANGE,
      ...PARTS,
    },
    Object.keys(RESULT),
  ),
)

/** Per record the incomplete, matched and binary fields, each with its range and the call that reads on. */
export const LADDER = {
  type: 'object',
  properties: {
    records: listOf({
      properties: {
        fields: listOf({ properties: members('path', 'status', 'start_chars', 'end_chars', 'read') }),
      },
    }),
  },
} as const

/** How dates were understood, what was noted, and why nothing was found. */
export const REMARKS = members('understood', 'remarks', 'nothing_found')

/** The answer of the server, whichever it is, with the members that a program follows. */
export function answer(...names: string[]) {
  return { type: 'object', properties: members(...names) } as const
}

/** What a tool returns, and nothing else. */
export function output(properties: Record<string, object>, required: string[]): ObjectSchema {
  return exactly(properties, required)
}
