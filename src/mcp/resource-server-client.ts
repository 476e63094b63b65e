import type { Cursors } from '../model/cursor.ts'
import { CodedError } from '../model/errors.ts'
import { isObject, isRawNumber, type Json, type JsonObject, parseJson } from '../model/json.ts'
import { ProviderError } from './provider-error.ts'

/** A resource server that the adapter reads from: this process's own, or any other by its address. */
export interface Provider {
  /** Its origin, without a slash at the end. */
  url: string
  send(request: Request): Promise<Response>
  /** Seals cursors for windows of a server that makes none of its own. */
  cursors: Cursors
  timeoutMs: number
  /** What it offers beyond the protocol, asked once (see `capabilitiesOf`). */
  capabilities?: Promise<ReadonlySet<string>>
}

export type Query = Record<string, string | number | undefined | readonly string[]>

const MOST_ANSWER_BYTES = 4 * 1024 * 1024

/** Reads from a resource server with the caller's own token, and with nothing else (RS-3, ER-2). */
export class ResourceServerClient {
  readonly provider: Provider
  readonly #token: string
  readonly #signal: AbortSignal

  constructor(provider: Provider, token: string, signal: AbortSignal) {
    this.provider = provider
    this.#token = token
    this.#signal = signal
  }

  /** The JSON body of an answer; a refusal is thrown as it came. */
  async get(path: string, query: Query = {}): Promise<JsonObject> {
    const response = await this.open(path, query)
    const text = new TextDecoder().decode(await readBounded(response, MOST_ANSWER_BYTES))
    const body = parsed(text)
    if (!response.ok) throw new ProviderError(response.status, body)
    if (isObject(body)) return body
    throw new CodedError(
      'provider_unavailable',
      'The resource server answered with something that is no JSON.',
    )
  }

  /** An answer whose body is still to be read. */
  async open(path: string, query: Query = {}): Promise<Response> {
    const limit = AbortSignal.timeout(this.provider.timeoutMs)
    const signal = AbortSignal.any([this.#signal, limit])
    const request = new Request(`${this.provider.url}${path}${search(query)}`, {
      headers: { Authorization: `Bearer ${this.#token}`, Accept: 'application/json' },
      redirect: 'error',
      signal,
    })
    try {
      return await Promise.race([this.provider.send(request), aborted(signal)])
    } catch (error) {
      if (this.#signal.aborted) throw this.#signal.reason
      if (limit.aborted) {
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

  /** The caller's token in a form that can bind a cursor to it. */
  get binding(): string {
    return this.#token
  }
}

/** What a resource server offers beyond the protocol; one that does not say so offers nothing. */
export function capabilitiesOf(client: ResourceServerClient): Promise<ReadonlySet<string>> {
  const { provider } = client
  provider.capabilities ??= client
    .get('/.well-known/oauth-protected-resource')
    .then(({ capabilities }) =>
      Array.isArray(capabilities) ? new Set(capabilities.map(String)) : new Set<string>(),
    )
    .catch(() => new Set<string>())
  return provider.capabilities
}

export function recordPath(stream: string, record_id: string): string {
  return `/v1/streams/${segment(stream)}/records/${segment(record_id)}`
}

export function streamPath(stream: string): string {
  return `/v1/streams/${segment(stream)}`
}

/** A path segment; no URL can carry one of dots alone, so no record has such an id. */
function segment(text: string): string {
  if (text === '.' || text === '..') throw new CodedError('not_found', 'There is no such record.')
  return encodeURIComponent(text.toWellFormed())
}

function search(query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (typeof value === 'object') for (const item of value) parameters.append(name, item)
    else parameters.append(name, String(value))
  }
  return parameters.size === 0 ? '' : `?${parameters}`
}

export async function readBounded(response: Response, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > most) {
      throw new CodedError(
        'provider_answer_too_large',
        'The answer of the resource server is too large. Ask for fewer records or name the fields you need.',
      )
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parsed(text: string): Json {
  try {
    return withoutRawNumbers(parseJson(text))
  } catch {
    return null
  }
}

/** A number that a double cannot hold becomes its digits as text: hosts would round it. */
function withoutRawNumbers(value: Json): Json {
  if (isRawNumber(value)) return value.rawJSON
  if (Array.isArray(value)) return value.map(withoutRawNumbers)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withoutRawNumbers(child)]))
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
