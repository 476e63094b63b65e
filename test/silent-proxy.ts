import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy in front of a database that can stop passing anything on while it still accepts connections. */
export class SilentProxy implements AsyncDisposable {
  readonly #server = createServer(client => this.#join(client))
  readonly #behind: URL
  readonly #sockets = new Set<Socket>()
  isSilent = false

  private constructor(behind: URL) {
    this.#behind = behind
  }

  static async before(url: string): Promise<SilentProxy> {
    const proxy = new SilentProxy(new URL(url))
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    const url = new URL(this.#behind)
    url.port = String((this.#server.address() as AddressInfo).port)
    return url.href
  }

  /** Ends every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(client: Socket): void {
    const server = connect(Number(this.#behind.port), this.#behind.hostname)
    this.#sockets.add(client)
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('data', chunk => {
        if (!this.isSilent) to.write(chunk)
      })
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
    client.on('close', () => this.#sockets.delete(client))
  }
}
