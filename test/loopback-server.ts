import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server on an unused port of loopback. */
export class LoopbackServer implements AsyncDisposable {
  readonly url: string
  readonly #server: ReturnType<typeof createServer>

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async start(answer?: RequestListener): Promise<LoopbackServer> {
    const server = createServer(answer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new LoopbackServer(server)
  }

  /** For what answers only once the address is known. */
  answerWith(answer: RequestListener): void {
    this.#server.on('request', answer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}
