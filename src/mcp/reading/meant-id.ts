import { recordUri } from '../../model/ids/handle.ts'
import { isFieldWindowUri, parseFieldWindowUri } from '../../model/ids/window-uri.ts'
import type { JsonObject } from '../../model/json.ts'
import { text } from '../arguments.ts'
import { compactStreams } from './declared-streams.ts'
import { ProviderError } from './provider-error.ts'
import type { ResourceServerClient } from './resource-server-client.ts'

/** What models copy along with an id, and the passage of an id of `/mcp/research`. Takes linear time. */
const AROUND = /^id[:=]\s*|^[\s[(<"'`]+|(?<![\s\])>"'`.,;])[\s\])>"'`.,;]+$|#[^#]+@\d+$/g
/** A link as Markdown has it. */
const MARKDOWN = /^\s*\[[^\]]*\]\((.+)\)[\s.,;]*$/s
/** An id of this kind of server with other separators, such as the path of a link. */
const SEPARATED = /^(cin_[^/:]+)[/:]([^/:]+)[/:](.+)$/s

/** What comes before an id of this kind of server in a link without its origin, or in a URI that was put together. */
const BEFORE_ID = /^(?:pdpp:\/\/[\w-]+\/|\/?r\/|\/)(?=cin_)/

/** An id with anything else between its parts, such as underscores, which names of streams have too. */
const BETWEEN = /^[\s_.|,;>:-]+(.)/s
const RUN_TOGETHER = /^(cin_[a-z0-9]+)[\s_.|,;>:-]+(.+)$/s

/** Arguments with the id as it was shown, if the given one only has more around it or other separators; else null. */
export async function withMeantId(
  args: JsonObject,
  client: ResourceServerClient,
): Promise<JsonObject | null> {
  const id = text(args, 'id')
  if (id === undefined) return null
  const bare = withoutSurroundings(id).replace(BEFORE_ID, '')
  const meant = /^\w+:\/\//.test(bare)
    ? recordUriOf(bare)
    : separated(bare, RUN_TOGETHER.test(bare) ? await namesOfStreams(client) : [])
  return meant === id || meant === '' ? null : { ...args, id: meant }
}

/** The URI of the record of which a conversation or a window has a URI; another URI as it is. */
function recordUriOf(uri: string): string {
  if (!isFieldWindowUri(uri)) return uri.replace(/^pdpp:\/\/conversation\//, 'pdpp://record/')
  const { connection_id, stream, record_id } = parseFieldWindowUri(uri).record
  return recordUri(connection_id, stream, record_id)
}

export function withoutSurroundings(id: string): string {
  return id.replace(MARKDOWN, '$1').replace(AROUND, '')
}

function separated(id: string, streams: readonly string[]): string {
  const [, connection, rest = ''] = RUN_TOGETHER.exec(id) ?? []
  const stream = streams.find(name => rest.startsWith(name) && BETWEEN.test(rest.slice(name.length)))
  return stream === undefined
    ? id.replace(SEPARATED, '$1/$2:$3')
    : `${connection}/${stream}:${rest.slice(stream.length).replace(BETWEEN, '$1')}`
}

async function namesOfStreams(client: ResourceServerClient): Promise<string[]> {
  const streams = await compactStreams(client).catch(() => [])
  return streams.map(({ stream, name }) => String(stream ?? name))
}

const ADVICE =
  'Pass an id exactly as search or query_records showed it: {connection_id}/{stream}:{record_id}. It is never made up.'

/** The refusal of an unknown record with what to do. It is the same whether the record is hidden or does not exist. */
export function withIdAdvice(error: unknown, args: JsonObject): unknown {
  if (!(error instanceof ProviderError) || error.code !== 'not_found' || args.id === undefined) return error
  const { status, code, message, details } = error
  const advice = /(?:…|\.\.)$/.test(String(args.id)) ? `This id is cut short. ${ADVICE}` : ADVICE
  return new ProviderError(status, { error: { ...details, code, message: `${message} ${advice}` } })
}
