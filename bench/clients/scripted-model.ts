import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// biome-ignore lint/suspicious/noExplicitAny: requests of every provider
export type Loose = any

interface Wanted {
  id: string
  name: string
  args: Record<string, unknown>
  resolve(seen: string): void
}

/** A provider's protocol: what a request contains, and how a tool call or an end is written. */
export interface Dialect {
  /** The names of the tools that the model is offered. */
  toolsOf(body: Loose): string[]
  /** What the model receives from a call, or null if the request does not contain its result. */
  resultOf(body: Loose, id: string): string | null
  writeCall(response: ServerResponse, call: Pick<Wanted, 'id' | 'name' | 'args'>): void
  writeEnd(response: ServerResponse): void
  /** Asks the client for tools that it does not list by default; false if there is nothing to ask. */
  look?(response: ServerResponse, body: Loose): boolean
}

/** A model on this machine that calls the tools that it is told to call. */
export class ScriptedModel implements AsyncDisposable {
  readonly #server: Server
  readonly #dialect: Dialect
  readonly #isOurs: (tool: string) => boolean
  #waiting: Wanted[] = []
  #open: Wanted | null = null
  #held: ServerResponse | null = null
  #tools: string[] = []
  #ready = Promise.withResolvers<string[]>()
  #count = 0

  private constructor(server: Server, dialect: Dialect, isOurs: (tool: string) => boolean) {
    this.#server = server
    this.#dialect = dialect
    this.#isOurs = isOurs
    server.on('request', (request, response) => void this.#answer(request, response))
  }

  /** Clients have tools of their own; most prefix the server's tools with its name. */
  static async start(
    dialect: Dialect,
    isOurs = (tool: string) => tool.includes('footnote'),
  ): Promise<ScriptedModel> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new ScriptedModel(server, dialect, isOurs)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The tools of the server, once the client has asked the model for the first time. */
  ready(ms: number): Promise<string[]> {
    const late = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error('the model was offered no tools of the server')), ms).unref()
    })
    return Promise.race([this.#ready.promise, late])
  }

  call(name: string, args: Record<string, unknown>): Promise<string> {
    const full = this.#tools.find(each => each.endsWith(name)) ?? name
    const { promise, resolve } = Promise.withResolvers<string>()
    this.#waiting.push({ id: `call_${++this.#count}`, name: full, args, resolve })
    this.#go()
    const late = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error('the client did not return a result')), 90_000).unref()
    })
    return Promise.race([promise, late])
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    let body: Loose = {}
    try {
      body = JSON.parse(Buffer.concat(chunks).toString())
    } catch {}
    const tools = this.#dialect.toolsOf(body).filter(this.#isOurs)
    const { id = '', resolve } = this.#open ?? {}
    const seen = this.#dialect.resultOf(body, id)
    // A client that is connecting again returns a result and lists no tools.
    const isReturned = resolve !== undefined && seen !== null
    if (tools.length === 0 && !isReturned) {
      if (!this.#dialect.look?.(response, body)) this.#dialect.writeEnd(response)
      return
    }
    if (tools.length > 0) this.#tools = tools
    this.#ready.resolve(this.#tools)
    if (isReturned) {
      this.#open = null
      resolve(seen)
    }
    this.#held = response
    this.#go()
  }

  #go(): void {
    if (!this.#held || this.#open) return
    const next = this.#waiting.shift()
    if (!next) return
    this.#open = next
    this.#dialect.writeCall(this.#held, next)
    this.#held = null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#held) this.#dialect.writeEnd(this.#held)
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
