import { randomBytes } from 'node:crypto'
import { CodedError, type ErrorCode } from '../model/errors.ts'
import { isObject, parseJson } from '../model/json.ts'
import { Store } from '../store/store.ts'
import { createApplication } from './application.ts'
import { type Config, originFor } from './config.ts'
import { logError } from './log.ts'
import { resourceEnvironment } from './resource-environment.ts'

export type Query = Record<string, string | readonly string[] | undefined>

export interface OwnRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  query?: Query
  json?: unknown
  body?: Uint8Array | ReadableStream
  type?: string
}

/**
 * The resource server inside a command: the same routes and checks as over HTTP, without a socket, as the owner. It
 * may work beside a running server on the same data.
 */
export interface OwnServer extends AsyncDisposable {
  store: Store
  publicUrl: string
  /** Sends a request with the token that it carries. */
  fetch(request: Request): Promise<Response>
  request(path: string, init?: OwnRequest): Promise<Response>
  /** The body of a successful answer; a refusal is thrown as the error it names. */
  call<T>(path: string, init?: OwnRequest): Promise<T>
  /** A successful answer as it was written and as it reads. */
  get<T>(path: string, query?: Query): Promise<{ text: string; body: T }>
}

export async function openOwnServer(config: Config): Promise<OwnServer> {
  const store = await Store.open(config.location, 'command')
  const ownerKey = `inside_${randomBytes(32).toString('base64url')}`
  const publicUrl = originFor(config)
  const clock = () => new Date()
  const app = createApplication(
    resourceEnvironment(store, config, { publicUrl, rateLimit: null, clock, ownerKey, report: logError }),
  )
  const request = async (path: string, init: OwnRequest = {}) => {
    const { method = 'GET', query = {}, json, body, type = 'application/json' } = init
    return app.fetch(
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
    if (response.ok) return { text, body }
    const error = isObject(body) && isObject(body.error) ? body.error : {}
    const { code = 'internal_error', message = '', ...details } = error
    throw new CodedError(code as ErrorCode, String(message), details)
  }
  return {
    store,
    publicUrl,
    fetch: app.fetch,
    request,
    call: async <T>(path: string, init?: OwnRequest) => (await accepted(path, init)).body as T,
    get: async <T>(path: string, query: Query = {}) => {
      const { text, body } = await accepted(path, { query })
      return { text, body: body as T }
    },
    async [Symbol.asyncDispose]() {
      await app.close()
      await store[Symbol.asyncDispose]()
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
