import { refusalIn } from '../api/refusal.ts'
import { parseJson } from '../model/json.ts'
import { originFor } from '../origin/address.ts'
import { type InsideDoor, openOwnOrigin } from '../origin/own-origin.ts'
import type { Config } from './config.ts'
import { logError } from './log.ts'

export type Query = Record<string, string | readonly string[] | undefined>

export interface OwnRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  query?: Query
  json?: unknown
  body?: Uint8Array | ReadableStream
  type?: string
}

/** What a command reads and changes, as the owner: the same routes and checks as over HTTP, without a socket. */
export interface OwnServer {
  publicUrl: string
  /** Sends a request with the token that it carries. */
  fetch(request: Request): Promise<Response>
  request(path: string, init?: OwnRequest): Promise<Response>
  /** The body of a successful answer; a refusal is thrown as the error it names. */
  call<T>(path: string, init?: OwnRequest): Promise<T>
  /** A successful answer as it was written and as it reads. */
  get<T>(path: string, query?: Query): Promise<{ text: string; body: T }>
}

/** One that holds the data open. */
export interface OpenOwnServer extends OwnServer, AsyncDisposable {}

/** Opens the data for a command; a server may run on the same data. */
export async function openOwnServer(config: Config): Promise<OpenOwnServer> {
  const { location, cursorTtlSeconds } = config
  const publicUrl = originFor(config)
  const door = await openOwnOrigin({ location, cursorTtlSeconds, publicUrl, report: logError })
  return { ...ownServer(door), [Symbol.asyncDispose]: door[Symbol.asyncDispose] }
}

/** The owner's way into an origin that is open already. */
export function ownServer({ publicUrl, ownerKey, dispatch }: InsideDoor): OwnServer {
  const request = (path: string, init: OwnRequest = {}) => {
    const { method = 'GET', query = {}, json, body, type = 'application/json' } = init
    return dispatch(
      new Request(`${publicUrl}${path}${written(query)}`, {
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
  const accepted = async (path: string, init?: OwnRequest) => {
    const response = await request(path, init)
    const text = await response.text()
    const body = text === '' ? null : parseJson(text)
    if (!response.ok) throw refusalIn(body)
    return { text, body }
  }
  return {
    publicUrl,
    fetch: sent => dispatch(sent),
    request,
    call: async <T>(path: string, init?: OwnRequest) => (await accepted(path, init)).body as T,
    get: async <T>(path: string, query: Query = {}) => {
      const { text, body } = await accepted(path, { query })
      return { text, body: body as T }
    },
  }
}

function written(query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const item of value === undefined ? [] : [value].flat()) parameters.append(name, item)
  }
  return parameters.size === 0 ? '' : `?${parameters}`
}
