import { listedAs } from './listed-schema.ts'
import type { ObjectSchema } from './tool.ts'

/** Parts that the schemas of several tools share. They cost tokens, so they are short. */
export const TEXT = { type: 'string' } as const
export const TEXT_OR_NULL = { type: ['string', 'null'] } as const
export const INTEGER = { type: 'integer' } as const
export const FLAG = { type: 'boolean' } as const
export const TEXTS = { type: 'array', items: TEXT } as const

export const CONNECTION_ID = { type: 'string' } as const

export const FILTER = { type: 'object', description: 'field → value or {gte,gt,lte,lt,contains,in}' } as const

/** What narrows by sources, people and time. One connection may also be given as a text. */
export const NARROWING = {
  connection_id: TEXTS,
  connector: TEXT,
  person: TEXT,
  since: { type: 'string', description: '2015-08, yesterday, -30d' },
  until: TEXT,
  time_zone: TEXT,
} as const

/** Several members of one shape. */
export function each<const Name extends string>(schema: object, ...names: Name[]): Record<Name, object> {
  return Object.fromEntries(names.map(name => [name, schema])) as Record<Name, object>
}

/** Listed only by name: most of these are texts. */
export function named(schema: object): object {
  return listedAs(schema, {})
}

/** Not listed, because a program that continues reading does not need it. */
export function unlisted(schema: object): object {
  return listedAs(schema, null)
}

/** An object of exactly this shape. */
export function exactly(properties: Record<string, object>, required: string[] = []): ObjectSchema {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

export function listOf(items: object) {
  return { type: 'array', items } as const
}

const LABEL = named(TEXT)
const DETAIL = unlisted(TEXT)

const ARGUMENTS = exactly(
  { ...each(TEXT, 'id', 'connection_id', 'field_path', 'q'), offset_chars: INTEGER, fields: TEXTS },
  ['id'],
)

/** A ready-made call: a tool's name and its arguments. */
export const CALL = listedAs(exactly({ tool: TEXT, args: ARGUMENTS }, ['tool', 'args']), {
  properties: { tool: {}, args: {} },
})

export const RANGE = { start_chars: INTEGER, end_chars: INTEGER } as const
const RESULT = { id: TEXT, title: TEXT, url: TEXT } as const

/** Records by the ids that other tools accept. */
export const RESULTS = listOf(
  exactly({ ...RESULT, ...each(LABEL, 'connection_id', 'occurred_at') }, Object.keys(RESULT)),
)

export const HITS = listOf(
  exactly(
    {
      ...RESULT,
      ...each(LABEL, 'snippet', 'field_path', 'status', 'author', 'source', 'occurred_at'),
      files: unlisted(TEXTS),
      also_at: unlisted(
        exactly({ field_path: TEXT, offset_chars: listOf(INTEGER) }, ['field_path', 'offset_chars']),
      ),
      more_in_conversation: unlisted(INTEGER),
      ...RANGE,
      next: CALL,
      ...each(LABEL, 'connection_id', 'stream', 'record_id'),
    },
    Object.keys(RESULT),
  ),
)

const FIELD = exactly(
  {
    ...each(LABEL, 'path', 'status'),
    ...each(named(INTEGER), 'start_chars', 'end_chars'),
    preview: LABEL,
    read: CALL,
    ...each(DETAIL, 'type', 'mime_type', 'size_grade', 'digest', 'resource', 'export_url'),
    ...each(unlisted(INTEGER), 'size_chars', 'size_bytes'),
    text_like: unlisted(FLAG),
  },
  ['path', 'type', 'text_like', 'status'],
)

/**
 * For each record, the incomplete, matched and binary fields, each with its range and the call that continues reading.
 */
export const LADDER = exactly(
  {
    records: listOf(
      exactly(
        {
          id: LABEL,
          ...each(DETAIL, 'connection_id', 'stream', 'record_id'),
          fields: listOf(FIELD),
          more_fields: unlisted(INTEGER),
          read_more: unlisted(CALL),
        },
        ['id', 'fields'],
      ),
    ),
  },
  ['records'],
)

/** That record text is data, how dates were interpreted, notes, and why nothing was found. */
export const REMARKS = {
  note: named(TEXT),
  understood: named(exactly(each(TEXT, 'since', 'until', 'time_zone'), ['time_zone'])),
  remarks: named(TEXTS),
  nothing_found: named(
    exactly({ searched: TEXTS, searched_more: INTEGER, time_zone: TEXT, reasons: TEXTS, more_at: TEXT }, [
      'searched',
      'time_zone',
      'reasons',
      'more_at',
    ]),
  ),
} as const

/**
 * Members of the server's response that programs use. The response is passed on complete, whichever server it is from.
 */
export function answer(properties: Record<string, object>) {
  return { type: 'object', properties } as const
}
