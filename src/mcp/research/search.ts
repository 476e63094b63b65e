import { search as route } from '../../api/search.ts'
import type { JsonObject } from '../../model/json.ts'
import { MAX_SEARCH_CHARS } from '../../model/search/search-query.ts'
import { text, texts } from '../arguments.ts'
import { isRefusal } from '../reading/every-stream.ts'
import { type Hit, readHit } from '../reading/hit.ts'
import { narrowingOf } from '../reading/narrowing.ts'
import { inAskedOrder } from '../reading/operators.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { exactly, listOf, TEXT } from '../schemas.ts'
import type { Tool, ToolAnswer } from '../tool.ts'
import { passageId, recordId } from './passages.ts'

const LIMIT = 20
const WINDOW_CHARS = 120
/** For a text up to this length, `fetch` of the record itself shows the match. */
const SHORT_CHARS = 1_000

export const search: Tool = {
  name: 'search',
  title: 'Search',
  description:
    'Search the e-mails, chats, messages, notes and documents of the owner. Accepts words, "phrases", prefix* and -word; a whole question works. Each result has an id for fetch; in a long document it opens the matching passage.',
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
  // Such a host cannot ask for an order, so its words have to.
  const reread = await inAskedOrder(args, client)
  const ordered = reread ? await found(reread.args, client).catch(unlessRefused) : []
  const hits = ordered.length > 0 ? ordered : await found(args, client)
  const structured = { results: hits.map(hit => ({ id: idOf(hit), title: hit.title, url: hit.url })) }
  return { text: JSON.stringify(structured), structured }
}

function unlessRefused(error: unknown): Hit[] {
  if (!isRefusal(error)) throw error
  return []
}

async function found(args: JsonObject, client: ResourceServerClient): Promise<Hit[]> {
  const query = text(args, 'query') ?? ''
  const capabilities = await capabilitiesOf(client)
  const windows = capabilities.has('search_windows') ? { windows: 1, window_chars: WINDOW_CHARS } : {}
  const view = capabilities.has('search_view') ? ({ view: 'compact' } as const) : {}
  const { narrowing } = await narrowingOf(args, client, ['since', 'until'])
  const chosen = { ...narrowing, sort: text(args, 'sort'), streams: texts(args, 'streams') }
  const { data } = await client.get(route, {}, { ...chosen, q: query, limit: LIMIT, ...windows, ...view })
  return (Array.isArray(data) ? data : []).map((hit, index) =>
    readHit(hit, index, query, client.provider.url),
  )
}

/** The id of the record, or of the passage if it is not at the start. */
function idOf({ reference, handle, evidence }: Hit): string {
  if (!reference) return handle.id
  const isShort = evidence?.size_chars != null && evidence.size_chars <= SHORT_CHARS
  if (!evidence?.range || isShort) return recordId(reference)
  return passageId(reference, evidence.field_path, evidence.range.start)
}
