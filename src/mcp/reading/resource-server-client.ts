import { protectedResource } from '../../api/discovery.ts'
import { joinNames } from '../../api/parameter.ts'
import { addressOf, knownText, type PathOf, type QueryOf, type Route } from '../../api/route.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject, isTooDeep, type Json, type JsonObject, jsonOrNull } from '../../model/json.ts'
import type { Cursors } from '../../model/reading/cursor.ts'
import type { TimeZone } from '../../model/time.ts'
import { ProviderError } from './provider-error.ts'

/** A resource server that the adapter reads from: the one in this process, or any other by its URL. */
export interface Provider {
  /** Its origin, without a trailing slash. */
  url: string
  /**
   * `signal` ends the work. It is not part of the request, because Node keeps a request that has a signal until the next
   * collection of old objects, and with it what the signal refers to.
   */
  send(request: Request, signal: AbortSignal): Promise<Response>
  /** Seals cursors for windows of a server that does not issue cursors. */
  cursors: Cursors
  timeoutMs: number
  /** What it offers beyond the protocol, requested once (see `capabilitiesOf`). */
  capabilities?: Promise<ReadonlySet<string>>
  /** Its owner's time zone, once it has been requested. */
  timeZone?: TimeZone
}

/** What is cached for a caller while its access stays the same; null if that has changed or is unknown. */
export type CallerMemory = () => Promise<Map<string, unknown> | null>

/** The caller on whose behalf the adapter reads. */
export interface Reader {
  token: string
  /** By default the provider's own. */
  send?: Provider['send']
  memory?: CallerMemory
}

const MOST_KEPT = 16

export interface Answer {
  status: number
  type: string | null
  bytes: Uint8Array
}

/** The time limit of a resource server, from the request to the last byte of its response. */
export const PROVIDER_TIMEOUT_MS = 30_000

const MOST_ANSWER_BYTES = 4 * 1024 * 1024

/** Reads from a resource server only with the caller's own token (RS-3, ER-2). */
export class ResourceServerClient {
  readonly provider: Provider
  readonly #token: string
  readonly #signal: AbortSignal
  readonly #send: Provider['send']
  readonly #memory: CallerMemory | undefined

  constructor(provider: Provider, { token, send = provider.send, memory }: Reader, signal: AbortSignal) {
    this.provider = provider
    this.#token = token
    this.#signal = signal
    this.#send = send
    this.#memory = memory
  }

  /** The value cached under this name while the caller's access is the same; otherwise it is created now. */
  async kept<T extends object>(name: string, make: () => Promise<T>): Promise<T> {
    const memory = await this.#memory?.()
    const before = memory?.get(name)
    if (before !== undefined) return before as T
    const made = await make()
    if (memory) {
      const [oldest] = memory.keys()
      if (memory.size >= MOST_KEPT && oldest !== undefined) memory.delete(oldest)
      memory.set(name, made)
    }
    return made
  }

  /** The JSON body of a response; a refusal is thrown unchanged. */
  async get<R extends Route>(route: R, path: PathOf<R>, query: QueryOf<R>): Promise<JsonObject> {
    const { status, body } = await this.json(addressOf(route, path, query))
    if (status < 200 || status > 299) throw new ProviderError(status, body)
    if (isObject(body)) return body
    throw new CodedError('provider_unavailable', 'The answer of the resource server is not JSON.')
  }

  /** The body of any response as JSON; null if it is not JSON. */
  json(address: string): Promise<{ status: number; body: Json }> {
    return this.#ask(address, async response => ({
      status: response.status,
      body: await bodyOf(response, MOST_ANSWER_BYTES),
    }))
  }

  /** A whole response, with a limit on its bytes. */
  read(address: string, mostBytes: number): Promise<Answer> {
    return this.#ask(address, async response => ({
      status: response.status,
      type: response.headers.get('Content-Type'),
      bytes: await readBounded(response, mostBytes),
    }))
  }

  /** The time limit includes the last byte of a response. */
  async #ask<T>(address: string, take: (response: Response) => Promise<T>): Promise<T> {
    using stop = new Stop(this.#signal, this.provider.timeoutMs)
    const { signal } = stop
    try {
      const request = new Request(`${this.provider.url}${address}`, {
        headers: { Authorization: `Bearer ${this.#token}`, Accept: 'application/json' },
        redirect: 'error',
      })
      return await Promise.race([this.#send(request, signal).then(take), aborted(signal)])
    } catch (error) {
      if (this.#signal.aborted) throw new CodedError('provider_unavailable', 'The call was cancelled.')
      if (error instanceof CodedError) throw error
      if (signal.aborted) {
        const seconds = this.provider.timeoutMs / 1000
        throw new CodedError(
          'provider_timeout',
          `The resource server did not answer within ${seconds} seconds. Try again, or ask for less.`,
        )
      }
      const reason = error instanceof Error ? error.message : String(error)
      throw new CodedError(
        'provider_unavailable',
        `The resource server at ${this.provider.url} cannot be reached (${reason}). Check that it runs.`,
      )
    }
  }

  /** The caller's token in a form that a cursor can be bound to. */
  get binding(): string {
    return this.#token
  }
}

/** What a resource server offers beyond the protocol; nothing if it does not say. */
export async function capabilitiesOf(client: ResourceServerClient): Promise<ReadonlySet<string>> {
  const { provider } = client
  for (;;) {
    const others = provider.capabilities
    const asked = others ?? askCapabilities(client)
    provider.capabilities = asked
    try {
      return await asked
    } catch (error) {
      // Only a response is cached. A request that another caller cancelled is repeated.
      if (provider.capabilities === asked) delete provider.capabilities
      if (!others) throw error
    }
  }
}

async function askCapabilities(client: ResourceServerClient): Promise<ReadonlySet<string>> {
  const { status, body } = await client.json(protectedResource.path)
  const told =
    status === 200 && isObject(body) && isObject(body.capabilities) ? body.capabilities.footnote : null
  return new Set(Array.isArray(told) ? told.map(String) : [])
}

async function readBounded(response: Response, most: number): Promise<Uint8Array> {
  const told = Number(response.headers.get('Content-Length') ?? 0)
  if (told > most) {
    await response.body?.cancel()
    throw tooLarge({ size_bytes: told })
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > most) throw tooLarge({})
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(details: JsonObject): CodedError {
  const message =
    'The answer of the resource server is too large. Ask for fewer records or name the fields you need.'
  return new CodedError('provider_answer_too_large', message, details)
}

/** The body of a response as JSON. The text of a response from this process is already available. */
async function bodyOf(response: Response, most: number): Promise<Json> {
  const known = knownText(response)
  if (known === undefined) {
    const body = parsed(new TextDecoder().decode(await readBounded(response, most)))
    return isTooDeep(body) ? null : body
  }
  if (Buffer.byteLength(known) > most) throw tooLarge({})
  return parsed(known)
}

/** A number that a double cannot represent becomes text with its digits, because hosts would round it. */
export function parsed(text: string): Json {
  return jsonOrNull(text, digits => digits)
}

/**
 * Ends a request when its caller cancels it or when its time is over. `AbortSignal.timeout` would keep the response in
 * memory for all of that time, also after it has been read.
 */
class Stop implements Disposable {
  readonly #caller: AbortSignal
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #abort = () => this.#controller.abort()

  constructor(caller: AbortSignal, timeoutMs: number) {
    this.#caller = caller
    this.#timer = setTimeout(this.#abort, timeoutMs).unref()
    caller.addEventListener('abort', this.#abort)
    if (caller.aborted) this.#abort()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#caller.removeEventListener('abort', this.#abort)
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** The names of fields as one parameter; other servers do not accept names that contain a comma. */
export function fieldList(names: readonly string[], capabilities: ReadonlySet<string>): string {
  return capabilities.has('fields_escaped') ? joinNames(names) : names.join(',')
}
