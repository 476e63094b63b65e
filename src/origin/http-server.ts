import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { NodeExchange } from '../api/route.ts'
import { originAsked } from '../model/loopback.ts'
import { hostAndPort } from './address.ts'
import { callerOf, type TrustedProxies } from './caller.ts'
import { type Dispatch, IdentifiedResponse, requestIdOf, wantsPage } from './dispatcher.ts'

/** Longer than proxies keep idle connections (nginx: 60 s): if the server closes first, a request on its way fails. */
const IDLE_CONNECTION_MS = 65_000
const HEADERS_MS = 60_000
const STALLED_BODY_MS = 300_000

/**
 * Node ends a request whose body takes longer than five minutes, and a large import takes longer on most lines. This
 * server ends one of whose body nothing has arrived for that long.
 */
export function httpServer(stalledBodyMs = STALLED_BODY_MS): Server {
  const server = createServer({
    ServerResponse: IdentifiedResponse,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    headersTimeout: HEADERS_MS,
    requestTimeout: 0,
  })
  return server.on('request', (request, response) => {
    if (!hasBody(request)) return
    request.setTimeout(stalledBodyMs)
    request.once('end', () => {
      // After the response, the connection already waits for the next request.
      if (!response.writableFinished) request.setTimeout(0)
    })
  })
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

interface Answering {
  publicUrl: string
  /** The host and port that the server listens on. */
  address: string
  proxies: TrustedProxies
  dispatch: Dispatch
}

/**
 * A class, because V8 keeps the getter of an object literal among old objects, and with it the whole request until the
 * next collection of those.
 */
class Exchange implements NodeExchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly #proxies: TrustedProxies

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, proxies: TrustedProxies) {
    this.incoming = incoming
    this.outgoing = outgoing
    this.#proxies = proxies
  }

  get caller(): string {
    return callerOf(this.incoming, this.#proxies)
  }
}

/** Answers the requests of a server. Whoever writes to Node's own response has answered with that. */
export function answerRequests(server: Server, { publicUrl, address, proxies, dispatch }: Answering): void {
  const answer = async (request: Request, { incoming, outgoing }: HttpBindings): Promise<Response> => {
    const elsewhere = pageElsewhere(publicUrl, request)
    if (elsewhere) return elsewhere
    const node = new Exchange(incoming, outgoing, proxies)
    const response = await dispatch(request, { request_id: requestIdOf(outgoing), node })
    return outgoing.headersSent ? RESPONSE_ALREADY_SENT : response
  }
  const listener = getRequestListener((request, node) => answer(request, node as HttpBindings), {
    hostname: address,
  })
  server.on('request', (request, response) => void listener(request, response))
}

/** Pages are shown under only one of this computer's names, because sessions and forms belong to it. */
function pageElsewhere(publicUrl: string, request: Request): Response | null {
  if (!wantsPage(request) || originAsked(publicUrl, request) === publicUrl) return null
  const { pathname, search } = new URL(request.url)
  return new Response(null, { status: 307, headers: { Location: publicUrl + pathname + search } })
}

/** Listens, and returns the host and port. */
export function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      const { port: taken } = server.address() as AddressInfo
      resolve(hostAndPort(host, taken))
    })
  })
}

export function close(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve()
  return new Promise(resolve => {
    // A connection whose body is not read does not keep the process alive, so this timer has to.
    const force = setTimeout(() => server.closeAllConnections(), 3_000)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}
