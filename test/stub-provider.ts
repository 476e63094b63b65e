import type { RequestListener, ServerResponse } from 'node:http'
import { LoopbackServer } from './loopback-server.ts'

/** A resource server on loopback that behaves as a test requires, and records what it receives. */
export interface StubProvider extends AsyncDisposable {
  url: string
  /** Paths with their queries, in the order of arrival. */
  seen: string[]
  /** Paths of requests whose caller disconnected before the answer was complete. */
  abandoned: string[]
}

/** What it does with a request may also be never to answer. */
export async function startStub(behave: RequestListener): Promise<StubProvider> {
  const seen: string[] = []
  const abandoned: string[] = []
  const server = await LoopbackServer.start((request, response) => {
    const path = request.url ?? ''
    seen.push(path)
    response.on('close', () => {
      if (!response.writableFinished) abandoned.push(path)
    })
    behave(request, response)
  })
  return { url: server.url, seen, abandoned, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

export function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify(body))
}

/**
 * Waits until something is true: ten seconds, less than any limit of the server, or longer if a process has to start.
 */
export async function eventually(holds: () => boolean, what: string, seconds = 10): Promise<void> {
  for (let waited = 0; waited < seconds * 100; waited++) {
    if (holds()) return
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  throw new Error(`It never happened: ${what}`)
}
