import type { Caller } from '../src/mcp/protocol/http.ts'

/** Takes every token for a client's, and waits to be sure. */
export function goodClient(request: Request): Caller | null {
  const token = /^Bearer (.+)$/.exec(request.headers.get('Authorization') ?? '')?.[1]
  return token === undefined ? null : { token, known: false, kind: Promise.resolve('client') }
}
