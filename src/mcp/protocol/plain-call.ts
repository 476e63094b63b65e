import {
  CLIENT_CAPABILITIES_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server'
import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { written } from '../rendering/fitting-page.ts'
import { bytesOf } from '../text/quote.ts'
import type { CallResult } from './call-tool.ts'

const REVISION = '2026-07-28'
/** A longer call may have more elements than the library accepts. */
const MOST_CHARS = 4_000
const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params'])
const PARAMETERS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta'])

/** A tool call that uses no other feature of the protocol. */
export interface PlainCall {
  id: string | number
  name: string
  args: unknown
  /** What the request says about its client, as text. */
  envelope: string
  /**
   * Whether its protocol version is older than 2026-07-28. Then the response is an event of a stream, and says less.
   */
  isEarlier: boolean
}

/**
 * The plain call in a request; null for everything else. Its headers and body agree, it does not continue an earlier
 * call, and its client cannot be asked anything.
 */
export function plainCallOf({ headers }: Request, text: string, body: unknown): PlainCall | null {
  if (text.length > MOST_CHARS || !hasOnly(body, MEMBERS)) return null
  const { jsonrpc, id, method, params } = body
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !hasOnly(params, PARAMETERS)) return null
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return null
  const { name, arguments: args, _meta: meta } = params
  if (typeof name !== 'string' || (args !== undefined && !isObject(args))) return null
  if (headers.get('Content-Type') !== 'application/json') return null
  const isEarlier = headers.get('MCP-Protocol-Version') !== REVISION
  const envelope = isEarlier ? earlierEnvelopeOf(headers, meta) : envelopeOf(headers, name, meta)
  return envelope === null ? null : { id: id as string | number, name, args, envelope, isEarlier }
}

function envelopeOf(headers: Headers, name: string, meta: Json | undefined): string | null {
  const capabilities = isObject(meta) ? meta[CLIENT_CAPABILITIES_META_KEY] : undefined
  if (!isObject(meta) || !isObject(capabilities) || capabilities.elicitation !== undefined) return null
  const agree =
    meta[PROTOCOL_VERSION_META_KEY] === REVISION &&
    headers.get('Mcp-Method') === 'tools/call' &&
    headers.get('Mcp-Name') === name
  return agree ? JSON.stringify(meta) : null
}

/**
 * Before 2026-07-28 only the first request of a connection identifies the client, and the server does not remember it.
 */
function earlierEnvelopeOf(headers: Headers, meta: Json | undefined): string | null {
  const version = headers.get('MCP-Protocol-Version')
  if (version === null || headers.has('Mcp-Method') || headers.has('Mcp-Name')) return null
  if (meta !== undefined && !(isObject(meta) && Object.entries(meta).every(isIgnored))) return null
  return JSON.stringify([version, headers.get('Accept'), headers.has('Mcp-Session-Id')])
}

/**
 * Members of a call that change nothing: its progress token, because progress is not reported, and texts of its host.
 */
function isIgnored([name, value]: [string, Json]): boolean {
  if (name === 'progressToken') return typeof value === 'string' || Number.isSafeInteger(value)
  return name.includes('/') && !name.startsWith('io.modelcontextprotocol/')
}

function hasOnly(value: unknown, names: ReadonlySet<string>): value is JsonObject {
  return isObject(value) && Object.keys(value).every(name => names.has(name))
}

const EVENT = 'event: message\ndata: '
const END_OF_EVENT = '\n\n'
const JSON_HEADERS = { 'Content-Type': 'application/json' }
const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
}

/** The response to a plain call, as the library writes it. */
export function plainAnswer(
  { id, isEarlier }: PlainCall,
  { content, structuredContent, isError, _meta }: CallResult,
  serverInfo: JsonObject,
): Response {
  const meta = isEarlier ? _meta : { ..._meta, [SERVER_INFO_META_KEY]: serverInfo }
  const members = [
    `"content":${JSON.stringify(content)}`,
    ...(isError === undefined ? [] : [`"isError":${isError}`]),
    ...(isEarlier ? [] : ['"resultType":"complete"']),
    ...(meta ? [`"_meta":${JSON.stringify(meta)}`] : []),
  ]
  const begun = `${isEarlier ? EVENT : ''}{"result":{${members.join(',')}`
  const ended = `},"jsonrpc":"2.0","id":${JSON.stringify(id)}}${isEarlier ? END_OF_EVENT : ''}`
  const parts = structuredContent
    ? [`${begun},"structuredContent":`, written(structuredContent), ended]
    : [begun, ended]
  return new Response(encoded(parts), { headers: isEarlier ? STREAM_HEADERS : JSON_HEADERS })
}

/** Encoded in parts: one character beyond Latin-1 would make encoding the whole text many times slower. */
function encoded(parts: readonly string[]): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + bytesOf(part), 0))
  let end = 0
  for (const part of parts) end += bytes.write(part, end)
  return bytes
}

const MOST_ENVELOPES = 100

/** What clients say about themselves, once the library has accepted it. Each is checked once. */
export class AcceptedEnvelopes {
  readonly #accepted = new Set<string>()

  has({ envelope }: PlainCall): boolean {
    return this.#accepted.has(envelope)
  }

  /** Remembers the envelope if the library answered with a result. */
  async learn({ envelope, isEarlier }: PlainCall, answer: Response): Promise<void> {
    const beginning = `${isEarlier ? EVENT : ''}{"result":`
    if (!answer.ok || !(await answer.clone().text()).startsWith(beginning)) return
    const [oldest] = this.#accepted
    if (this.#accepted.size >= MOST_ENVELOPES && oldest !== undefined) this.#accepted.delete(oldest)
    this.#accepted.add(envelope)
  }
}
