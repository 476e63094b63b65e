import { randomFillSync } from 'node:crypto'
import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'
import { CodedError } from '../model/errors.ts'

// What every exchange over HTTP names: the id of its request, and the version of the protocol.

/** Twelve random bytes in base64url. */
const ID_CHARS = 16
const drawn = Buffer.alloc(12 * 256)
let ids = ''
let used = 0

/** Random bytes are drawn and written as text for many ids at once. */
export function requestId(): string {
  if (used === ids.length) {
    ids = randomFillSync(drawn).toString('base64url')
    used = 0
  }
  used += ID_CHARS
  return `req_${ids.slice(used - ID_CHARS, used)}`
}

export const REQUEST_ID = 'Request-Id'

export const VERSION_HEADER = 'PDPP-Version'
/** The only version of the protocol's HTTP interface. */
export const PROTOCOL_VERSION = '2026-04-06'

/** Refuses a request for another version, for any part of the server. */
export function assertVersion({ headers }: Request): void {
  const version = headers.get(VERSION_HEADER)
  if (version === null || version === PROTOCOL_VERSION) return
  const message = `This server speaks ${VERSION_HEADER} ${PROTOCOL_VERSION}. Send that version, or leave the header out.`
  throw new CodedError('unsupported_version', message, { param: VERSION_HEADER })
}

type Head = OutgoingHttpHeaders | OutgoingHttpHeader[]

/**
 * A response over HTTP. Its head always has the id of its request and the protocol version, whichever part responds,
 * and whichever headers that part has set or removed.
 */
export class IdentifiedResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
  readonly request_id = requestId()

  override writeHead(status: number, reason?: string | Head, more?: Head): this {
    const [message, given = {}] = typeof reason === 'string' ? [reason, more] : [undefined, reason ?? more]
    if (message !== undefined) this.statusMessage = message
    const own = { [REQUEST_ID]: this.request_id, [VERSION_HEADER]: PROTOCOL_VERSION }
    if (Array.isArray(given)) return super.writeHead(status, [...given, ...Object.entries(own).flat()])
    const headers: OutgoingHttpHeaders = { ...given, ...own }
    // A part may pass on what another request of this process was answered with.
    if ('request-id' in headers) delete headers['request-id']
    if ('pdpp-version' in headers) delete headers['pdpp-version']
    return super.writeHead(status, headers)
  }
}

/** The request id of a response over HTTP. */
export function requestIdOf(response: ServerResponse): string {
  return response instanceof IdentifiedResponse ? response.request_id : ''
}
