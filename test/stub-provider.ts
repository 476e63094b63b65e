import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a test's resource server does with a request; it may also never answer. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

/** A resource server on loopback that behaves as a test requires, and records what it receives. */
export interface StubProvider extends AsyncDisposable {
  url: string
  /** Paths with their queries, in the order of arrival. */
  seen: string[]
  /** Paths of requests whose caller disconnected before the answer was complete. */
  abandoned: string[]
}

export async function startStub(behave: Behaviour): Promise<StubProvider> {
  const seen: string[] = []
  const abandoned: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    seen.push(path)
    response.on('close', () => {
      if (!response.writableFinished) abandoned.push(path)
    })
    behave(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    abandoned,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
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
