import { CodedError } from '../../model/errors.ts'
import { isObject, type JsonObject } from '../../model/json.ts'
import { number, text, texts } from '../arguments.ts'
import { filterQuery } from '../filter.ts'
import { blobLinks, ladderRecord, previewFields } from '../ladder.ts'
import { recordsText } from '../rendering/records-text.ts'
import {
  capabilitiesOf,
  type Query,
  type ResourceServerClient,
  streamPath,
} from '../resource-server-client.ts'
import { type Row, rowOf } from '../row.ts'
import { CONNECTION_ID, DATA, FILTER, LADDER, TEXT, TEXTS } from '../schemas.ts'
import type { Tool, ToolAnswer } from '../tool.ts'

const DEFAULT_LIMIT = 10
const FIELD_CHARS = 200
const MOST_BYTES = 28_000
/** How far values are cut; the first that fits is used. Few rows are cut further rather than made fewer. */
const CUTS = [
  { chars: FIELD_CHARS, nestedBytes: Number.POSITIVE_INFINITY },
  { chars: 80, nestedBytes: 8_000 },
  { chars: 24, nestedBytes: 800 },
]
const FEW_ROWS = 3
const TOO_WIDE = 'One record alone is too wide to be listed. Name the fields you need, or fetch it.'

export const queryRecords: Tool = {
  name: 'query_records',
  title: 'List records',
  description:
    'List records of one stream in order of time, newest first, with filters. Strings are cut at 200 characters; each cut has the call that reads on. changes_since="beginning", then next_changes_since, follows changes.',
  input: {
    type: 'object',
    properties: {
      stream: { type: 'string', minLength: 1, maxLength: 1024 },
      limit: { type: 'integer', minimum: 1, maximum: 25, default: DEFAULT_LIMIT },
      cursor: TEXT,
      order: { type: 'string', enum: ['desc', 'asc'] },
      filter: FILTER,
      fields: { ...TEXTS, minItems: 1, maxItems: 200 },
      changes_since: TEXT,
      count: { type: 'boolean', description: 'also count all that match' },
      connection_id: CONNECTION_ID,
    },
    required: ['stream'],
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: { content_ladder: LADDER, data: DATA },
    required: ['data'],
  },
  run: queryStream,
}

async function queryStream(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  const stream = text(args, 'stream') ?? ''
  const path = `${streamPath(stream)}/records`
  const filter = filterQuery(args)
  const capabilities = await capabilitiesOf(client)
  const query: Query = {
    limit: number(args, 'limit') ?? DEFAULT_LIMIT,
    cursor: text(args, 'cursor'),
    order: text(args, 'order'),
    fields: texts(args, 'fields')?.join(','),
    changes_since: text(args, 'changes_since'),
    count: args.count === true ? 'exact' : undefined,
    connection_id: text(args, 'connection_id'),
    max_field_chars: capabilities.has('max_field_chars') ? FIELD_CHARS : undefined,
    ...filter,
  }
  for (;;) {
    const data = await client.get(path, query)
    const rows = Array.isArray(data.data) ? data.data.length : 0
    let bytes = 0
    for (const cut of CUTS) {
      const made = answer(args, stream, data, client.provider.url, cut)
      const size = Buffer.byteLength(JSON.stringify(made.structured))
      if (size <= MOST_BYTES) return made
      bytes ||= size
      if (rows > FEW_ROWS) break
    }
    if (rows <= 1) throw new CodedError('provider_answer_too_large', TOO_WIDE)
    // Rows this wide: a shorter page, asked anew so that its cursor follows its last row.
    query.limit = Math.max(1, Math.min(rows - 1, Math.floor((rows * MOST_BYTES) / bytes)))
  }
}

function answer(
  args: JsonObject,
  stream: string,
  data: JsonObject,
  providerUrl: string,
  cut: (typeof CUTS)[number],
): ToolAnswer {
  const raw = Array.isArray(data.data) ? data.data : []
  const rows = raw.map(item => rowOf(stream, isObject(item) ? item : {}, cut))
  const rungs = rows.flatMap(({ reference, handle, preview }) => {
    const fields = previewFields(handle, preview, providerUrl)
    return fields.length > 0 ? [ladderRecord(reference, fields)] : []
  })
  return {
    text: recordsText({ args, rows, ...pageFacts(data) }),
    structured: {
      ...(rungs.length > 0 ? { content_ladder: { records: rungs } } : {}),
      data: { ...data, data: rows.map(row => row.record) },
    },
    links: blobLinks(rows.flatMap((row: Row) => row.preview.binaries)),
  }
}

function pageFacts(data: JsonObject) {
  const { next_cursor, next_changes_since, meta } = data
  return {
    next_cursor: typeof next_cursor === 'string' ? next_cursor : null,
    next_changes_since: typeof next_changes_since === 'string' ? next_changes_since : null,
    count: isObject(meta) && typeof meta.count === 'number' ? meta.count : null,
  }
}
