import { Agent, request } from 'node:http'

export interface Exchange {
  ms: number
  body: Buffer
}

interface Sent {
  method?: string
  body?: Buffer | Iterable<string>
  type?: string
  headers?: Record<string, string>
  expect?: number
}

/** One origin with one token over keep-alive connections. An unexpected status is an error, never a result. */
export class Client implements Disposable {
  readonly #agent: Agent
  readonly #host: string
  readonly #port: string
  readonly #headers: Record<string, string>

  constructor(origin: string, token: string | null, sockets = 1) {
    const { hostname, port } = new URL(origin)
    this.#host = hostname
    this.#port = port
    this.#agent = new Agent({ keepAlive: true, maxSockets: sockets })
    this.#headers = token === null ? {} : { Authorization: `Bearer ${token}` }
  }

  send(path: string, sent: Sent = {}): Promise<Exchange> {
    const { method = 'GET', body, type, headers: more, expect = 200 } = sent
    const headers: Record<string, string | number> = { ...this.#headers, ...more }
    if (type) headers['Content-Type'] = type
    if (Buffer.isBuffer(body)) headers['Content-Length'] = body.length
    return new Promise((resolve, reject) => {
      const started = performance.now()
      const outgoing = request(
        { agent: this.#agent, host: this.#host, port: this.#port, path, method, headers },
        incoming => {
          const chunks: Buffer[] = []
          incoming.on('data', chunk => chunks.push(chunk))
          incoming.on('error', reject)
          incoming.on('end', () => {
            const ms = performance.now() - started
            const answer = Buffer.concat(chunks)
            if (incoming.statusCode === expect) resolve({ ms, body: answer })
            else
              reject(
                new Error(
                  `${method} ${path}: ${incoming.statusCode}, not ${expect}: ${answer.subarray(0, 300)}`,
                ),
              )
          })
        },
      )
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // The server closes a connection that was idle for some seconds, and this process may not have noticed yet.
        const isStale = outgoing.reusedSocket && error.code === 'ECONNRESET'
        const isWhole = body === undefined || Buffer.isBuffer(body)
        if (isStale && isWhole) resolve(this.send(path, sent))
        else reject(error)
      })
      if (body === undefined || Buffer.isBuffer(body)) outgoing.end(body)
      else pour(body, outgoing).catch(reject)
    })
  }

  async json<T>(path: string, sent: Sent = {}): Promise<T> {
    return JSON.parse((await this.send(path, sent)).body.toString()) as T
  }

  post<T>(path: string, value: unknown, expect = 201): Promise<T> {
    const body = Buffer.from(JSON.stringify(value))
    return this.json<T>(path, { method: 'POST', body, type: 'application/json', expect })
  }

  ingest(stream: string, connection_id: string, body: Buffer | Iterable<string>): Promise<Exchange> {
    return this.send(`/v1/ingest/${stream}?connection_id=${connection_id}`, {
      method: 'POST',
      body,
      type: 'application/x-ndjson',
    })
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}

async function pour(parts: Iterable<string>, outgoing: NodeJS.WritableStream): Promise<void> {
  for (const part of parts) {
    if (!outgoing.write(part)) await new Promise<void>(resolve => outgoing.once('drain', () => resolve()))
  }
  outgoing.end()
}
