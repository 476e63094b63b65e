import type { IncomingMessage, ServerResponse } from 'node:http'
import { CodedError, type ErrorCode } from '../model/errors.ts'
import { isObject } from '../model/json.ts'
import type { Condition } from '../model/reading/filter.ts'
import type { Parameter, Value } from './parameter.ts'
import type { Schema } from './schema.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** `client or owner`: a token of either, within its grant. `session`: a signed-in owner. `provider`: OAuth decides. */
export type RouteAccess = 'public' | 'client or owner' | 'owner' | 'session' | 'provider'

type ParameterSet = Readonly<Record<string, Parameter<unknown>>>

/** The contract of a route. Everything that serves, calls or documents it is derived from this. */
export interface Route<
  Path extends string = string,
  P extends ParameterSet = ParameterSet,
  Body = unknown,
  Reply = unknown,
> {
  readonly method: Method
  /** In Hono's syntax. */
  readonly path: Path
  readonly access: RouteAccess
  readonly summary: string
  readonly parameters: P
  /** For each parameter, the parameters that cannot be combined with it. */
  readonly excludes?: { readonly [Name in keyof P]?: readonly (keyof P)[] }
  /** The schema of a JSON body, or the media type of another body; absent if the route accepts none. */
  readonly body?: Schema<Body> | string
  /** The schema of a JSON response, or the media type of another one; absent if the response has no body. */
  readonly reply?: Schema<Reply> | string
  /** Whether the response has an ETag, and is 304 for a client that has the same one. */
  readonly conditional?: true
}

type Details<Path extends string, P extends ParameterSet, Body, Reply> = Omit<
  Route<Path, P, Body, Reply>,
  'method' | 'path' | 'access' | 'parameters'
> & { readonly parameters?: P }

function contract(access: RouteAccess) {
  return <
    const Path extends string,
    P extends ParameterSet = Record<never, never>,
    Body = never,
    Reply = never,
  >(
    method: Method,
    path: Path,
    { parameters, ...details }: Details<Path, P, Body, Reply>,
  ): Route<Path, P, Body, Reply> => ({
    method,
    path,
    access,
    parameters: parameters ?? ({} as P),
    ...details,
  })
}

/** With a client's token, within its grant, or with the owner's. */
export const readRoute = contract('client or owner')
export const ownerRoute = contract('owner')
export const publicRoute = contract('public')

type Names<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** The names in the path of a route, each with its value. */
export type PathOf<R> = R extends Route<infer Path> ? { readonly [Name in Names<Path>]: string } : never
/** The checked query parameters of a route. */
export type ParametersOf<R> =
  R extends Route<string, infer P> ? { readonly [Name in keyof P]: Value<P[Name]> } : never
export type BodyOf<R> = R extends Route<string, ParameterSet, infer Body> ? Body : never
export type ReplyOf<R> = R extends Route<string, ParameterSet, unknown, infer Reply> ? Reply : never
/** What a caller may send in the query of a route. */
export type QueryOf<R> =
  R extends Route<string, infer P>
    ? {
        readonly [Name in keyof P]?:
          | (Value<P[Name]> extends readonly Condition[]
              ? readonly Condition[]
              : string | number | readonly string[])
          | null
          | undefined
      }
    : never

/** The path of a route; refuses names that no path can contain. */
export function pathOf<R extends Route>(route: R, path: PathOf<R>): string {
  const names = path as Record<string, string>
  return route.path.replace(/:(\w+)/g, (_, name: string) => segment(names[name] ?? '', name))
}

type Item = string | number | Condition

/**
 * The path and query of a request to a route; null and undefined values are left out. A list is written the PDPP way,
 * with brackets; a single value without, so that servers that accept only one value understand it too.
 */
export function addressOf<R extends Route>(route: R, path: PathOf<R>, query?: QueryOf<R>): string {
  const filled = pathOf(route, path)
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(
    (query ?? {}) as Record<string, Item | Item[] | null | undefined>,
  )) {
    if (value === null || value === undefined) continue
    const written = route.parameters[name]?.bracketed ? `${name}[]` : name
    for (const item of [value].flat())
      parameters.append(nameOf(written, item), typeof item === 'object' ? item.value : String(item))
  }
  return parameters.size === 0 ? filled : `${filled}?${parameters}`
}

function nameOf(name: string, item: Item): string {
  if (typeof item !== 'object') return name
  return `${name}[${item.field}]${item.operator === 'eq' ? '' : `[${item.operator}]`}`
}

const MISSING: Record<string, ErrorCode> = { stream: 'grant_stream_not_allowed', blob_id: 'blob_not_found' }

/** No URL can contain a segment of only dots and no server accepts U+0000, so nothing has such a name. */
function segment(text: string, name: string): string {
  if (text !== '.' && text !== '..' && !text.includes('\0')) return encodeURIComponent(text.toWellFormed())
  const shown = JSON.stringify(text.slice(0, 100))
  throw new CodedError(MISSING[name] ?? 'not_found', `There is nothing named ${shown}.`)
}

/** The error in the body of a refused request. */
export function refusalIn(body: unknown): CodedError {
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  const { code = 'api_error', message = '', ...details } = error
  return new CodedError(code as ErrorCode, String(message), details)
}

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
