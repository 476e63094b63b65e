import type { Caller } from '../src/mcp/protocol/http.ts'

/** Treats every token as a valid client token that was not seen before. */
export function goodClient(request: Request): Caller | null {
  const token = /^Bearer (.+)$/.exec(request.headers.get('Authorization') ?? '')?.[1]
  return token === undefined ? null : { token, known: false, kind: Promise.resolve('client') }
}
