import { randomUUID } from 'node:crypto'
import type { ClientCapabilities } from '@modelcontextprotocol/server'
import { isObject, parseJson } from '../../model/json.ts'
import { APP_TYPE, APPS_EXTENSION } from '../apps.ts'

/** Whether a client shows a server's pages. */
export function showsApps(capabilities: unknown): boolean {
  const { extensions } = (isObject(capabilities) ? capabilities : {}) as ClientCapabilities
  const declared = isObject(extensions) ? extensions[APPS_EXTENSION] : undefined
  if (!isObject(declared)) return false
  const { mimeTypes } = declared
  return mimeTypes === undefined || (Array.isArray(mimeTypes) && mimeTypes.includes(APP_TYPE))
}

const SESSION = 'Mcp-Session-Id'
const MARK = 'apps-'
const MOST_OPENING_BYTES = 16 * 1024

/**
 * Whether this request opens a connection for a client that shows pages, in a protocol version in which only the first
 * request says so. A body that has not been read is read from a copy, up to a limit.
 */
export async function opensWithApps(request: Request, read: unknown): Promise<boolean> {
  const names = ['Mcp-Method', SESSION]
  if (request.method !== 'POST' || names.some(name => request.headers.has(name))) return false
  try {
    const body = read === undefined ? parseJson(await shortText(request.clone())) : read
    if (!isObject(body) || body.method !== 'initialize' || !isObject(body.params)) return false
    return showsApps(body.params.capabilities)
  } catch {
    return false
  }
}

/** The text of a short body; empty for a longer one. */
async function shortText({ body }: Request): Promise<string> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []
  let room = MOST_OPENING_BYTES
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {}
    if (done || !value) return Buffer.concat(chunks).toString()
    chunks.push(value)
    room -= value.byteLength
    if (room >= 0) continue
    // Not awaited: it resolves only when the other copy has ended too.
    reader?.cancel().catch(() => {})
    return ''
  }
}

/**
 * Sends the client a session id, which it repeats in every request. The id says that the client shows pages; nothing is
 * stored here, and it gives no access.
 */
export function inAppsSession(response: Response): Response {
  const headers = new Headers(response.headers)
  headers.set(SESSION, `${MARK}${randomUUID()}`)
  return new Response(response.body, { status: response.status, headers })
}

export function isAppsSession(request: Request): boolean {
  return request.headers.get(SESSION)?.startsWith(MARK) === true
}
