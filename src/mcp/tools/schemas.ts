/** Parts that the schemas of several tools share. They cost tokens, so they are short. */
export const TEXT = { type: 'string' } as const
export const TEXT_OR_NULL = { type: ['string', 'null'] } as const
export const INTEGER = { type: 'integer' } as const
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

/** A ready call: a tool's name and its arguments. */
export const CALL = {
  type: 'object',
  properties: { tool: TEXT, args: { type: 'object' } },
  required: ['tool', 'args'],
} as const

/** Records by the ids that other tools take. */
export const RESULTS = {
  type: 'array',
  items: {
    type: 'object',
    properties: { id: TEXT, title: TEXT, url: TEXT, connection_id: TEXT },
    required: ['id', 'title', 'url'],
  },
} as const

/** Per record the incomplete, matched and binary fields, each with the call that reads on. */
export const LADDER = {
  type: 'object',
  properties: { records: { type: 'array', items: { type: 'object' } } },
} as const

export const DATA = { type: 'object' } as const
