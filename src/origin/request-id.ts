import { randomFillSync } from 'node:crypto'
import { ServerResponse } from 'node:http'
import { PROTOCOL_VERSION, VERSION_HEADER } from './protocol-version.ts'

const BYTES = 12
const pool = Buffer.alloc(BYTES * 256)
let used = pool.length

/** Random bytes are drawn for many ids at once. */
export function requestId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += BYTES
  return `req_${pool.toString('base64url', used - BYTES, used)}`
}

export const REQUEST_ID = 'Request-Id'

const LASTING = new Set([REQUEST_ID, VERSION_HEADER].map(name => name.toLowerCase()))

/**
 * A response over HTTP. It has the id of its request and the protocol version from the start, whichever part responds.
 */
export class IdentifiedResponse extends ServerResponse {
  constructor(...args: ConstructorParameters<typeof ServerResponse>) {
    super(...args)
    this.setHeader(REQUEST_ID, requestId())
    this.setHeader(VERSION_HEADER, PROTOCOL_VERSION)
  }

  /** Koa removes every header before it responds to one of its own errors; these two stay. */
  override removeHeader(name: string): void {
    if (!LASTING.has(name.toLowerCase())) super.removeHeader(name)
  }
}

/** The request id in a response over HTTP. */
export function requestIdOf(response: Pick<ServerResponse, 'getHeader'>): string {
  return String(response.getHeader(REQUEST_ID))
}
