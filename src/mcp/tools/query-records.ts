import { listByTime, listRecords, ORDERS } from '../../api/records.ts'
import { pathOf, type QueryOf } from '../../api/route.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject, type JsonObject } from '../../model/json.ts'
import { pageLimit, text, texts } from '../arguments.ts'
import { matchText } from '../nothing-found/counts.ts'
import { type Nothing, nothingContent, whyNothing } from '../nothing-found/nothing-found.ts'
import { assertChanges } from '../reading/changes.ts'
import { fieldsOfEachStream } from '../reading/meant-fields.ts'
import {
  assertFilters,
  conditionsOf,
  narrowingOf,
  type Understood,
  understoodOf,
} from '../reading/narrowing.ts'
import { narrowedByQuery, operatorsOf } from '../reading/operators.ts'
import { capabilitiesOf, fieldList, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { cutFurther, type Row, rowOf } from '../reading/row.ts'
import { type MediaTypes, mediaTypesOf, shapeOf } from '../reading/stream-shape.ts'
import { exceeds, fittingPage, MOST_STRUCTURED_BYTES } from '../rendering/fitting-page.ts'
import { blobLinks, ladderRecord, previewFields, type Reach } from '../rendering/ladder.ts'
import { type RecordsPage, recordsText } from '../rendering/records-text.ts'
import { warningsOf } from '../rendering/warnings.ts'
import {
  answer,
  each,
  exactly,
  FILTER,
  LADDER,
  listOf,
  NARROWING,
  REMARKS,
  RESULTS,
  TEXT,
  TEXTS,
} from '../schemas.ts'
import { DATA_NOTE } from '../text/quote.ts'
import type { Tool, ToolAnswer } from '../tool.ts'

const DEFAULT_LIMIT = 10
const MOST_LIMIT = 25
const FIELD_CHARS = 600
interface Cut {
  chars: number
  nestedBytes: number
  /** A page with more bytes is cut further. */
  bytes: number
}

/**
 * How far values are cut; the first variant that fits is used. A page with few rows is cut further instead of
 * shortened.
 */
const CUTS: [Cut, ...Cut[]] = [
  { chars: FIELD_CHARS, nestedBytes: Number.POSITIVE_INFINITY, bytes: 16_000 },
  { chars: 200, nestedBytes: Number.POSITIVE_INFINITY, bytes: MOST_STRUCTURED_BYTES },
]
const CUTS_OF_FEW: [Cut, ...Cut[]] = [
  ...CUTS,
  { chars: 80, nestedBytes: 8_000, bytes: MOST_STRUCTURED_BYTES },
  { chars: 24, nestedBytes: 800, bytes: MOST_STRUCTURED_BYTES },
]
const FEW_ROWS = 3

export const queryRecords: Tool = {
  name: 'query_records',
  title: 'List records',
  description:
    'List messages, e-mails, notes or other records of one stream or all, newest first; a line each, with time and author. Cut text names the call that continues it. To follow changes, pass changes_since="beginning", then next_changes_since.',
  hint: 'list latest mail, messages, notes by date',
  input: {
    type: 'object',
    properties: {
      stream: TEXT,
      query: { type: 'string', description: 'operators: from:me in: on:' },
      limit: { type: 'integer', minimum: 1, default: DEFAULT_LIMIT, description: `at most ${MOST_LIMIT}` },
      cursor: TEXT,
      order: { type: 'string', enum: ORDERS },
      filter: FILTER,
      fields: TEXTS,
      changes_since: TEXT,
      count: { type: 'boolean', description: 'also count all matches' },
      ...NARROWING,
    },
    additionalProperties: false,
  },
  output: exactly(
    {
      results: RESULTS,
      ...REMARKS,
      content_ladder: LADDER,
      data: answer({
        data: listOf({ properties: each({}, 'id', 'author', 'occurred_at', 'data') }),
        ...each({}, 'next_cursor', 'next_changes_since'),
      }),
    },
    ['results', 'data'],
  ),
  aliases: { sort: 'order', streams: 'stream' },
  run: queryStream,
}

async function queryStream(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  const stream = text(args, 'stream')
  if (stream !== undefined) pathOf(listRecords, { stream })
  else if (args.filter !== undefined) throw needsStream('filter needs a stream.')
  await assertChanges(args, client)
  operatorsOf(args)
  const where = conditionsOf(args)
  const capabilities = await capabilitiesOf(client)
  assertFilters(where, capabilities)
  if (stream === undefined && !capabilities.has('records_by_time'))
    throw needsStream('This resource server lists one stream at a time.')
  const understood = narrowedByQuery(args, await narrowingOf(args, client), capabilities)
  const named = texts(args, 'fields')
  const fields = named && stream === undefined ? await fieldsOfEachStream(client, named) : named
  const query: QueryOf<typeof listByTime> = {
    ...understood.narrowing,
    cursor: text(args, 'cursor'),
    order: text(args, 'order'),
    fields: fields && fieldList(fields, capabilities),
    count: args.count === true ? 'exact' : undefined,
    max_field_chars: capabilities.has('max_field_chars') ? FIELD_CHARS : undefined,
  }
  const ask = (limit: number, change: Partial<typeof query> = {}): Promise<JsonObject> =>
    stream === undefined
      ? client.get(listByTime, {}, { ...query, ...change, limit })
      : client.get(
          listRecords,
          { stream },
          { ...query, ...change, limit, where, changes_since: text(args, 'changes_since') },
        )
  const { limit: most, notes } = pageLimit(args, DEFAULT_LIMIT, MOST_LIMIT)
  const asked: Asked = {
    args,
    stream: stream ?? '',
    reach: { url: client.provider.url, json: capabilities.has('field_window_json') },
    understood: {
      ...understood,
      notes: [...notes, ...understood.notes, ...(await endNotes(client, stream, understood))],
    },
  }
  const page = await fittingPage(most, MOST_STRUCTURED_BYTES, async limit => {
    const data = await ask(limit)
    const rows = Array.isArray(data.data) ? data.data.length : 0
    const [usual, ...further] = rows > FEW_ROWS ? CUTS : CUTS_OF_FEW
    let made = presented(asked, data, usual)
    // The text has its own limit, so it starts from what the server sent.
    const { page } = made
    let allowed = usual.bytes
    for (const cut of further) {
      if (!exceeds(made.structured, allowed)) break
      // The server reports the media types of what it cuts itself; from here on the adapter cuts more.
      asked.mediaTypes ??= capabilities.has('operators') ? await mediaTypesOf(client, stream) : new Map()
      made = { ...presented(asked, data, cut, page.rows), page }
      allowed = cut.bytes
    }
    return { answer: made, rows }
  })
  if (page.page.rows.length === 0 && page.page.next_cursor === null && !query.cursor && !args.changes_since) {
    const nothing = await whyNothing(client, {
      narrowing: understood.narrowing,
      streams: stream === undefined ? undefined : [stream],
      where,
      words: false,
      together: [],
      byTime: stream === undefined,
      zone: understood.zone,
      async anyTime() {
        const { meta } = await ask(1, { since: undefined, until: undefined, count: 'exact' })
        return isObject(meta) && typeof meta.count === 'number' ? matchText(meta.count) : null
      },
    })
    if (nothing) return withNothing(page, nothing)
  }
  return withText(page, async shown => {
    const part = await ask(shown)
    const whole = Array.isArray(part.data) && part.data.length === shown
    return whole && typeof part.next_cursor === 'string' ? part.next_cursor : null
  })
}

/** Records that last are found by their start; the note says how to find those that began before `since`. */
async function endNotes(
  client: ResourceServerClient,
  stream: string | undefined,
  { narrowing: { since, until } }: Understood,
): Promise<string[]> {
  if (stream === undefined || since === undefined) return []
  const { endField } = await shapeOf(client, { stream, connection_id: null, record_id: '' })
  if (endField === null) return []
  const filter = `filter=${JSON.stringify({ [endField]: { gt: since } })}`
  const passed = until === undefined ? filter : `until=${JSON.stringify(until)} and ${filter}`
  return [
    `Found by their start. To include what began earlier and had not ended, pass ${passed} instead of since or on:.`,
  ]
}

function needsStream(reason: string): CodedError {
  return new CodedError('invalid_request', `${reason} Name one; schema shows them.`, { param: 'stream' })
}

interface Asked {
  args: JsonObject
  /** Empty for all streams. */
  stream: string
  reach: Reach
  understood: Understood
  /** By the name of the stream, if the adapter itself cuts texts. */
  mediaTypes?: ReadonlyMap<string, MediaTypes>
}

function withNothing({ page, structured }: Presented, nothing: Nothing): ToolAnswer {
  const { text } = recordsText({ ...page, nothing })
  return { text, structured: { ...structured, ...nothingContent(nothing) } }
}

interface Presented extends Pick<ToolAnswer, 'structured' | 'links'> {
  page: RecordsPage
}

/** Adds the text. If it shows fewer rows than there are, its cursor continues after the last one shown. */
async function withText(
  { page, structured, links }: Presented,
  cursorAfter: (shown: number) => Promise<string | null>,
): Promise<ToolAnswer> {
  const { text, shown } = recordsText(page)
  if (shown === page.rows.length) return { text, structured, links }
  const next_cursor = await cursorAfter(shown)
  return { text: recordsText({ ...page, next_cursor, most: shown }).text, structured, links }
}

/** A page as it is shown; `roomier` are its rows with longer values. */
function presented(asked: Asked, data: JsonObject, cut: Cut, roomier?: readonly Row[]): Presented {
  const { args, stream, reach, understood, mediaTypes } = asked
  const { zone, notes, narrowing } = understood
  const raw = Array.isArray(data.data) ? data.data : []
  const around = { ...reach, zone, ...(mediaTypes && { mediaTypes }) }
  const rows = raw.map((item, index) => {
    const record = isObject(item) ? item : {}
    const row = roomier?.[index]
    return row ? cutFurther(row, record, cut, around) : rowOf(stream, record, cut, around)
  })
  const rungs = rows.flatMap(({ reference, handle, preview }) => {
    const fields = previewFields(handle, preview, reach)
    return fields.length > 0 ? [ladderRecord(reference, fields, reach)] : []
  })
  return {
    page: {
      args,
      rows,
      notes: [...notes, ...warningsOf(data, { args, isEmpty: rows.length === 0 })],
      ...pageFacts(data),
    },
    structured: {
      results: rows
        .filter(({ deleted }) => !deleted)
        .map(({ handle, title, url, shown_at }) => ({
          ...handle,
          title,
          url,
          ...(shown_at === null ? {} : { occurred_at: shown_at }),
        })),
      note: DATA_NOTE,
      ...understoodOf(narrowing, zone),
      ...(notes.length > 0 ? { remarks: notes } : {}),
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
