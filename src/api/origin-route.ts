import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Method, RouteAccess } from './route.ts'

/** A route of the origin, ready to serve, whichever part of the server it belongs to. */
export interface OriginRoute {
  readonly method: Method | 'OPTIONS'
  /** In Hono's syntax. A route for GET also serves HEAD. */
  readonly path: string
  readonly access: RouteAccess
  /** Whether a request without a token stores something in the database. */
  readonly keeps?: true
  /** Returns the response, or throws: the part that the route belongs to turns the error into a response. */
  readonly handle: Handle
}

export type Handle = (request: Request, context: OriginContext) => Promise<Response> | Response

export interface OriginContext {
  readonly path: Readonly<Record<string, string>>
  readonly request_id: string
  /** Aborted when a caller in this process no longer waits; other requests have a signal of their own. */
  readonly signal?: AbortSignal
  /** For a part that uses Node's own HTTP. */
  readonly node?: NodeExchange
}

export interface NodeExchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** The address or network that the request came from. */
  readonly caller: string
}

/** Routes whose errors have the same form. */
export interface OriginPart {
  readonly routes: readonly OriginRoute[]
  /** Handles methods that no route of a path accepts; without it they are refused with 405. */
  readonly otherMethods?: Handle
  /** Set on the part that also refuses what a browser asks for and no route matches, because it refuses with pages. */
  readonly refusesBrowsers?: true
  /** Turns an error into a response. */
  refuse(error: unknown, request: Request, context: OriginContext): Promise<Response> | Response
}

const texts = new WeakMap<Response, string>()

/** Remembers the text of a response for callers inside this process, which then need not read a stream. */
export function withKnownText(response: Response, text: string): Response {
  texts.set(response, text)
  return response
}

/** The text of a response, if known. */
export function knownText(response: Response): string | undefined {
  return texts.get(response)
}
