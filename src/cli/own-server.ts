import { randomBytes } from 'node:crypto'
import { Cursors } from '../model/cursor.ts'
import { CodedError, type ErrorCode } from '../model/errors.ts'
import { createResourceServer } from '../resource-server/app.ts'
import { Store } from '../store/store.ts'
import type { Config } from './config.ts'
import { logError } from './log.ts'

export interface OwnRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  json?: unknown
  body?: Uint8Array | ReadableStream
  type?: string
}

/**
 * The resource server inside a command: the same routes and checks as over HTTP, without a socket, as the owner. It
 * may work beside a running server on the same data.
 */
export interface OwnServer extends AsyncDisposable {
  request(path: string, init?: OwnRequest): Promise<Response>
  /** The body of a successful answer; a refusal is thrown as the error it names. */
  call<T>(path: string, init?: OwnRequest): Promise<T>
}

export async function openOwnServer(config: Config): Promise<OwnServer> {
  const store = await Store.open(config.location, 'command')
  const ownerKey = `inside_${randomBytes(32).toString('base64url')}`
  const app = createResourceServer({
    store,
    cursors: new Cursors(store.sealingKey, config.cursorTtlSeconds),
    publicUrl: config.publicUrl ?? `http://127.0.0.1:${config.port}`,
    rateLimit: null,
    changesTtlSeconds: 90 * 86_400,
    clock: () => new Date(),
    ownerKey,
    report: logError,
  })
  const request = async (path: string, init: OwnRequest = {}) => {
    const { method = 'GET', json, body, type = 'application/json' } = init
    return app.request(path, {
      method,
      headers: { Authorization: `Bearer ${ownerKey}`, ...(method === 'GET' ? {} : { 'Content-Type': type }) },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    } as RequestInit)
  }
  return {
    request,
    async call<T>(path: string, init?: OwnRequest) {
      const response = await request(path, init)
      const answer = (await response.json()) as T & { error?: { code: ErrorCode; message: string } }
      if (response.ok) return answer
      const { code, message, ...details } = answer.error ?? { code: 'internal_error', message: '' }
      throw new CodedError(code as ErrorCode, message, details)
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}
