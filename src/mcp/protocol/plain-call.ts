import {
  CLIENT_CAPABILITIES_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server'
import { isObject, type JsonObject } from '../../model/json.ts'
import type { CallResult } from './call-tool.ts'

const REVISION = '2026-07-28'
/** A longer call may have more elements than the library lets through. */
const MOST_CHARS = 4_000
const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params'])
const PARAMETERS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta'])

/** A call of a tool that asks for nothing else of the protocol. */
export interface PlainCall {
  id: string | number
  name: string
  args: unknown
  /** What the request says about its client, as text. */
  envelope: string
}

/**
 * The plain call that a request of revision 2026-07-28 makes; null for everything else. Its headers and its body agree, it
 * continues no earlier call, and its client cannot be asked anything.
 */
export function plainCallOf({ headers }: Request, text: string, body: unknown): PlainCall | null {
  if (text.length > MOST_CHARS || !hasOnly(body, MEMBERS)) return null
  const { jsonrpc, id, method, params } = body
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !hasOnly(params, PARAMETERS)) return null
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return null
  const { name, arguments: args, _meta: meta } = params
  if (typeof name !== 'string' || !isObject(meta) || (args !== undefined && !isObject(args))) return null
  const capabilities = meta[CLIENT_CAPABILITIES_META_KEY]
  if (!isObject(capabilities) || capabilities.elicitation !== undefined) return null
  const agree =
    meta[PROTOCOL_VERSION_META_KEY] === REVISION &&
    headers.get('Content-Type') === 'application/json' &&
    headers.get('MCP-Protocol-Version') === REVISION &&
    headers.get('Mcp-Method') === method &&
    headers.get('Mcp-Name') === name
  return agree ? { id: id as string | number, name, args, envelope: JSON.stringify(meta) } : null
}

function hasOnly(value: unknown, names: ReadonlySet<string>): value is JsonObject {
  return isObject(value) && Object.keys(value).every(name => names.has(name))
}

/** The answer to a plain call, as the library writes it. */
export function plainAnswer(
  id: string | number,
  { content, structuredContent, isError, _meta }: CallResult,
  serverInfo: JsonObject,
): Response {
  const result = {
    content,
    structuredContent,
    isError,
    resultType: 'complete',
    _meta: { ..._meta, [SERVER_INFO_META_KEY]: serverInfo },
  }
  return Response.json({ result, jsonrpc: '2.0', id })
}

const MOST_ENVELOPES = 100

/** What clients say about themselves, as far as the library has accepted it before. It is checked once. */
export class AcceptedEnvelopes {
  readonly #accepted = new Set<string>()

  has({ envelope }: PlainCall): boolean {
    return this.#accepted.has(envelope)
  }

  /** Remembers what the library answered with a result. */
  async learn({ envelope }: PlainCall, answer: Response): Promise<void> {
    if (!answer.ok || !(await answer.clone().text()).startsWith('{"result":')) return
    const [oldest] = this.#accepted
    if (this.#accepted.size >= MOST_ENVELOPES && oldest !== undefined) this.#accepted.delete(oldest)
    this.#accepted.add(envelope)
  }
}
