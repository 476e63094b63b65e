import { search as route } from '../../api/search.ts'
import { isRecordPage } from '../../model/ids/citation.ts'
import type { JsonObject } from '../../model/json.ts'
import { cutText } from '../../model/reading/record.ts'
import { MAX_SEARCH_CHARS } from '../../model/search/search-query.ts'
import { text, texts } from '../arguments.ts'
import { inAskedOrder } from '../asked/reread.ts'
import { isRefusal } from '../reading/every-stream.ts'
import { type Hit, MOST_PLACES, readHit } from '../reading/hit.ts'
import { narrowingOf } from '../reading/narrowing.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { exactly, listOf, TEXT } from '../schemas.ts'
import type { Tool, ToolAnswer } from '../tool.ts'
import { passageId, recordId } from './passages.ts'

const LIMIT = 20
/** With other places of long texts, and within the bytes that hosts accept. */
const MOST_RESULTS = 30
const LABEL_CHARS = 40
const WINDOW_CHARS = 120
/** For a text up to this length, `fetch` of the record itself shows the match. */
const SHORT_CHARS = 1_000

export const search: Tool = {
  name: 'search',
  title: 'Search',
  description:
    'Search the e-mails, chats, messages, notes and documents of the owner. Accepts words, "phrases", prefix*, -word, a whole question, latest or oldest, and from:me from:name to: in:channel on:2025-03 before: after: has:attachment type:pdf. Each result has an id for fetch; in a long document it opens the matching passage. At most 20 records: narrow the query to see others.',
  hint: 'find mail, e-mail, chat, messages, notes, documents, conversation, person; when did, what did I say',
  input: {
    type: 'object',
    properties: { query: { type: 'string', maxLength: MAX_SEARCH_CHARS } },
    required: ['query'],
    additionalProperties: false,
  },
  output: exactly(
    { results: listOf(exactly({ id: TEXT, title: TEXT, url: TEXT }, ['id', 'title', 'url'])) },
    ['results'],
  ),
  aliases: { q: 'query' },
  run: searchPassages,
}

async function searchPassages(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  const ordered = await inAskedOrder(args, client)
  const listed = ordered ? await hitsOf(ordered.args, client).catch(unlessRefused) : []
  // Without hits it may have meant something else.
  const hits = listed.length > 0 ? listed : await hitsOf(args, client)
  const found = hits.map(hit => ({ id: idOf(hit), title: titleOf(hit), url: hit.url }))
  const structured = { results: [...found, ...hits.flatMap(furtherPlaces)].slice(0, MOST_RESULTS) }
  return { text: JSON.stringify(structured), structured }
}

function unlessRefused(error: unknown): Hit[] {
  if (!isRefusal(error)) throw error
  return []
}

async function hitsOf(args: JsonObject, client: ResourceServerClient): Promise<Hit[]> {
  const query = text(args, 'query') ?? ''
  const capabilities = await capabilitiesOf(client)
  const { narrowing, zone } = await narrowingOf(args, client)
  const { data } = await client.get(
    route,
    {},
    {
      q: query,
      limit: LIMIT,
      sort: text(args, 'sort'),
      streams: texts(args, 'streams'),
      ...narrowing,
      // Days in the query are the owner's.
      time_zone: capabilities.has('operators') ? zone.name : undefined,
      ...(capabilities.has('search_windows') ? { windows: 1, window_chars: WINDOW_CHARS } : {}),
      view: capabilities.has('search_view') ? 'compact' : undefined,
      varied: capabilities.has('search_varied') ? 'true' : undefined,
      places: capabilities.has('search_places') ? MOST_PLACES : undefined,
    },
  )
  const hits = Array.isArray(data) ? data : []
  return hits.map((hit, index) => readHit(hit, index, query, client.provider.url, zone))
}

/** The id of the record, or of the passage if it is not at the start. */
function idOf({ reference, handle, evidence }: Hit): string {
  if (!reference) return handle.id
  const isShort = evidence?.size_chars != null && evidence.size_chars <= SHORT_CHARS
  if (!evidence?.range || isShort) return recordId(reference)
  return passageId(reference, evidence.field_path, evidence.range.start)
}

/** On one line, with who, where and when: records of one conversation have the same title. */
function titleOf({ title, author, display_name, connector_key, occurred_at }: Hit): string {
  const name = author?.replace(/ <[^<>]*>$/, '')
  const labels = [name, display_name ?? connector_key, occurred_at?.slice(0, 'YYYY-MM-DD'.length)]
  const known = labels.flatMap(label => (label ? [cutText(label, LABEL_CHARS)] : []))
  return [title.replaceAll(/\s+/g, ' '), ...(known.length > 0 ? [known.join(', ')] : [])].join(' – ')
}

/** The next best matches in a long text, which no other tool here could find. */
function furtherPlaces(hit: Hit) {
  const { reference, also, url } = hit
  if (!reference || !also) return []
  const [page = url] = url.split('?')
  return also.offset_chars.map(offset => ({
    id: passageId(reference, also.field_path, offset),
    title: `${titleOf(hit)} (at ${offset})`,
    url: isRecordPage(page) ? page : url,
  }))
}
