import { createHash, randomBytes } from 'node:crypto'
import { notSeen } from './check.ts'
import type { Scratch } from './scratch.ts'

// biome-ignore lint/suspicious/noExplicitAny: the suite looks into answers of every shape
export type Loose = any

export const VERSION = '2026-04-06'
export const DATA_ACCESS = 'https://pdpp.dev/data-access'
const MOST_WAIT_SECONDS = 60
/** A name that no server has. */
export const UNKNOWN = 'no-such-thing-7f3a'

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The parsed JSON; null if it is not JSON. */
  body: Loose
}

export interface Given {
  url: string
  token: string | null
  ownerToken: string | null
  /** The OAuth client that the token belongs to, for introspection. */
  clientId: string | null
  send?: typeof fetch
}

export interface Stream {
  name: string
  metadata: Loose
}

/** The server under test, and what is known about it so far. */
export class Target {
  readonly url: string
  readonly given: Given
  /** A source that the suite has made itself; null without permission to write. */
  scratch: Scratch | null = null
  readonly #known = new Map<string, Promise<Loose>>()

  constructor(given: Given) {
    this.url = given.url.replace(/\/+$/, '')
    this.given = given
  }

  /** A server may limit how often it is asked: the request is repeated when the server says, three times at most. */
  async request(address: string, token: string | null, init: RequestInit = {}): Promise<Answer> {
    const send = this.given.send ?? fetch
    const headers = new Headers(init.headers)
    if (token !== null) headers.set('Authorization', `Bearer ${token}`)
    for (let left = 3; ; left--) {
      const response = await send(new URL(address, `${this.url}/`), { ...init, headers, redirect: 'manual' })
      const text = await response.text()
      const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN)
      if (response.status !== 429 || left === 0 || !(seconds <= MOST_WAIT_SECONDS))
        return { status: response.status, headers: response.headers, text, body: parsed(text) }
      await new Promise(resolve => setTimeout(resolve, seconds * 1_000))
    }
  }

  get(address: string, init: RequestInit = {}): Promise<Answer> {
    return this.request(address, this.token, init)
  }

  owner(address: string, init: RequestInit = {}): Promise<Answer> {
    return this.request(address, this.ownerToken, init)
  }

  get token(): string {
    return this.given.token ?? notSeen('This needs --token.')
  }

  get ownerToken(): string {
    return this.given.ownerToken ?? notSeen('This needs --owner-token.')
  }

  /** The source that the suite created; writing to it does not affect anyone’s data. */
  get own(): Scratch {
    return this.scratch ?? notSeen('This needs --write and a server with the owner routes of Footnote.')
  }

  /** The metadata of RFC 9728. */
  resource(): Promise<Loose> {
    return this.#once('resource', async () => {
      const { status, body } = await this.request('/.well-known/oauth-protected-resource', null)
      return status === 200 && body !== null ? body : notSeen('The server has no metadata of RFC 9728.')
    })
  }

  /** The metadata of RFC 8414, of the authorization server that the resource names. */
  authorization(): Promise<Loose> {
    return this.#once('authorization', async () => {
      const { authorization_servers } = await this.resource()
      const issuer = authorization_servers?.[0] ?? this.url
      const { status, body } = await this.request(`${issuer}/.well-known/oauth-authorization-server`, null)
      return status === 200 && body !== null ? body : notSeen('There is no metadata of RFC 8414.')
    })
  }

  /** The streams that the token gives access to, each with its metadata. */
  streams(): Promise<Stream[]> {
    return this.#once('streams', async () => {
      const { body } = await this.get('/v1/streams')
      const names: string[] = (body?.data ?? []).map(({ name }: Loose) => name)
      if (names.length === 0) notSeen('The token opens no stream.')
      const read = async (name: string) => ({ name, metadata: (await this.get(streamPath(name))).body })
      return Promise.all(names.map(read))
    })
  }

  /** The first stream that matches. */
  async stream(fits: (metadata: Loose) => unknown, otherwise: string): Promise<Stream> {
    return (await this.streams()).find(({ metadata }) => fits(metadata ?? {})) ?? notSeen(otherwise)
  }

  /** Up to 100 records of a stream. */
  records(stream: string): Promise<Loose[]> {
    return this.#once(`records ${stream}`, async () => {
      const { body } = await this.get(`${streamPath(stream)}/records?limit=100`)
      return body?.data ?? []
    })
  }

  /** The first stream with at least this many records. */
  async filled(least: number): Promise<Stream & { records: Loose[] }> {
    for (const stream of await this.streams()) {
      const records = await this.records(stream.name)
      if (records.length >= least) return { ...stream, records }
    }
    return notSeen(`The token opens no stream with ${least} records.`)
  }

  /** Pushes an authorization request with these details, as a client that registers itself. */
  async push(authorization_details: Loose, headers: Record<string, string> = {}): Promise<Answer> {
    const { pushed_authorization_request_endpoint: endpoint } = await this.authorization()
    if (endpoint === undefined) notSeen('The authorization server takes no pushed requests.')
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: await this.#client(),
      redirect_uri: REDIRECT,
      code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
      code_challenge_method: 'S256',
      authorization_details: JSON.stringify(authorization_details),
    })
    return this.request(endpoint, null, { method: 'POST', body: parameters, headers })
  }

  #client(): Promise<string> {
    return this.#once('client', async () => {
      const { registration_endpoint: endpoint } = await this.authorization()
      if (endpoint === undefined) notSeen('The authorization server registers no clients.')
      const metadata = { client_name: 'PDPP conformance suite', redirect_uris: [REDIRECT] }
      const { body } = await this.request(endpoint, null, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...metadata, token_endpoint_auth_method: 'none' }),
      })
      return body?.client_id ?? notSeen('The authorization server did not register a client.')
    })
  }

  #once<T>(name: string, work: () => Promise<T>): Promise<T> {
    const known = this.#known.get(name) ?? work()
    this.#known.set(name, known)
    return known
  }
}

const REDIRECT = 'http://127.0.0.1:33333/callback'

export function streamPath(stream: string): string {
  return `/v1/streams/${encodeURIComponent(stream)}`
}

export function recordPath(stream: string, id: string): string {
  return `${streamPath(stream)}/records/${encodeURIComponent(id)}`
}

function parsed(text: string): Loose {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
