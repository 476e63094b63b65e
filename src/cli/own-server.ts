import {
  addressOf,
  type BodyOf,
  type Method,
  type PathOf,
  type QueryOf,
  type ReplyOf,
  type Route,
  refusalIn,
} from '../api/route.ts'
import { parseJson } from '../model/json.ts'
import type { TimeZone } from '../model/time.ts'
import { originFor } from '../origin/address.ts'
import { type InsideDoor, isStarted, openOwnOrigin } from '../origin/origin.ts'
import type { Config } from './config.ts'
import { logIn, onceEach } from './log.ts'
import { EXIT_FAILURE, ExitError } from './terminal/exit-errors.ts'

export interface OwnRequest {
  method?: Method | 'HEAD'
  json?: unknown
  body?: Uint8Array | ReadableStream
  type?: string
}

interface Sent<R> extends Pick<OwnRequest, 'body' | 'type'> {
  query?: QueryOf<R>
  json?: BodyOf<R>
}

/** How a command reads and changes data, as the owner: the same routes and checks as over HTTP, without a socket. */
export interface OwnServer {
  publicUrl: string
  /** The owner's time zone. */
  timeZone: TimeZone
  /** Sends a request with its own token. */
  fetch(request: Request): Promise<Response>
  request(address: string, init?: OwnRequest): Promise<Response>
  /** The body of a successful response; a refusal is thrown as the error it contains. */
  call<R extends Route>(route: R, path: PathOf<R>, sent?: Sent<R>): Promise<ReplyOf<R>>
  /** A successful response as text and parsed. */
  get<R extends Route>(
    route: R,
    path: PathOf<R>,
    query?: QueryOf<R>,
  ): Promise<{ text: string; body: ReplyOf<R> }>
}

/** An own server that keeps the data open. */
export interface OpenOwnServer extends OwnServer, AsyncDisposable {}

/** Opens existing data for a command; a server may run on the same data. */
export async function openOwnServer(config: Config): Promise<OpenOwnServer> {
  if (!isStarted(config.location)) throw noDataIn(config.location.directory)
  return startOwnServer(config)
}

export function noDataIn(directory: string): ExitError {
  const hint = 'check --data-dir, or begin with: footnote start'
  return new ExitError(`There is no data in ${directory}.`, hint, EXIT_FAILURE)
}

/** The same for a command that brings the first data. */
export async function startOwnServer(config: Config): Promise<OpenOwnServer> {
  const publicUrl = originFor(config)
  const door = await openOwnOrigin({ ...config, publicUrl, report: onceEach(logIn(config.log).failure) })
  return { ...ownServer(door), [Symbol.asyncDispose]: door[Symbol.asyncDispose] }
}

/** The owner's access to an origin that is already open. */
export function ownServer({ publicUrl, timeZone, ownerKey, dispatch }: InsideDoor): OwnServer {
  const request = (address: string, init: OwnRequest = {}) => {
    const { method = 'GET', json, body, type = 'application/json' } = init
    return dispatch(
      new Request(`${publicUrl}${address}`, {
        method,
        headers: {
          Authorization: `Bearer ${ownerKey}`,
          ...(method === 'GET' ? {} : { 'Content-Type': type }),
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        ...(body === undefined ? {} : { body, duplex: 'half' }),
      } as RequestInit),
    )
  }
  const accepted = async (address: string, init?: OwnRequest) => {
    const response = await request(address, init)
    const text = await response.text()
    const body = text === '' ? null : parseJson(text)
    if (!response.ok) throw refusalIn(body)
    return { text, body: body as never }
  }
  return {
    publicUrl,
    timeZone,
    fetch: sent => dispatch(sent),
    request,
    async call(route, path, { query, ...sent } = {}) {
      return (await accepted(addressOf(route, path, query), { method: route.method, ...sent })).body
    },
    get: (route, path, query) => accepted(addressOf(route, path, query)),
  }
}
