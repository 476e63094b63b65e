import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { fileImports } from '../src/cli/import/file-imports.ts'
import type { Log } from '../src/cli/log.ts'
import { ownServer } from '../src/cli/own-server.ts'
import { ownerSettings } from '../src/cli/owner-settings.ts'
import type { Declaration } from '../src/model/declaration/declaration.ts'
import type { Rate } from '../src/origin/rate-limit.ts'
import { type RunningServer, startServer } from '../src/origin/server.ts'
import { startTimesAnew } from '../src/store/engine/identifiers.ts'
import { MAILBOX, message } from './mailbox.ts'
import { type Engine, type Place, storeLocation } from './places.ts'
import type { Answer } from './test-server.ts'

/** The cost of a passphrase attempt in tests; a real one takes a fifth of a second. */
const PASSPHRASE_COST = 2 ** 4

class WorldClock {
  offsetMs = 0
  stoppedAt: number | null = null

  now(): Date {
    return new Date((this.stoppedAt ?? Date.now()) + this.offsetMs)
  }
}

/** A complete server on a real loopback port, with an owner's data and a clock that tests can change. */
export class AuthorizationWorld implements AsyncDisposable {
  readonly server: RunningServer
  /** The data folder. */
  readonly directory: string
  readonly ownerToken: string
  readonly failures: unknown[]
  /** The request ids of the reported failures. */
  readonly failedRequests: string[]
  readonly #clock: WorldClock
  readonly #remove: () => Promise<void>

  private constructor(
    parts: Pick<AuthorizationWorld, 'server' | 'ownerToken' | 'failures' | 'failedRequests' | 'directory'>,
    clock: WorldClock,
    remove: () => Promise<void>,
  ) {
    this.server = parts.server
    this.directory = parts.directory
    this.ownerToken = parts.ownerToken
    this.failures = parts.failures
    this.failedRequests = parts.failedRequests
    this.#clock = clock
    this.#remove = remove
  }

  static async start(engine: Engine, options: WorldOptions = {}): Promise<AuthorizationWorld> {
    const { location, remove } = options.place ?? (await storeLocation(engine))
    const clock = new WorldClock()
    // The clock of an earlier world may have been ahead.
    startTimesAnew()
    const failures: unknown[] = []
    const failedRequests: string[] = []
    const config = {
      location,
      host: '127.0.0.1',
      port: options.port ?? 0,
      publicUrl: options.publicUrl ?? null,
      rateLimit: options.rateLimit ?? null,
      addressLimit: options.addressLimit ?? null,
      trustedProxies: options.trustedProxies ?? [],
      metricsToken: options.metricsToken ?? null,
      cursorTtlSeconds: 86_400,
      clientDocuments: options.clientDocuments ?? true,
      allowedOrigins: options.allowedOrigins ?? [],
      timeZone: options.timeZone,
      showQueries: options.showQueries ?? false,
    }
    const server = await startServer(config, {
      clock: () => clock.now(),
      report: (error, request_id) => {
        failures.push(error)
        failedRequests.push(request_id)
        options.log?.failure(error, request_id)
      },
      answered: answer => options.log?.request(answer),
      settings: live =>
        ownerSettings(
          { file: join(location.directory, 'footnote.json'), fixed: options.fixedSettings ?? {} },
          live,
        ),
      imports: door =>
        fileImports(ownServer(door), location.directory, error => {
          failures.push(error)
        }),
      ...(options.sources ? { sources: options.sources } : {}),
      ...(options.fetch ? { fetch: options.fetch } : {}),
      ...(options.spelled ? { spelled: options.spelled } : {}),
      ...(options.lastBackup ? { lastBackup: options.lastBackup } : {}),
      passphraseCost: PASSPHRASE_COST,
    })
    const { store } = server
    const ownerToken = await store.writer.call('createOwnerToken', {
      owner_id: store.owner_id,
      now: new Date().toISOString(),
    })
    return new AuthorizationWorld(
      { server, ownerToken, failures, failedRequests, directory: location.directory },
      clock,
      remove,
    )
  }

  get url(): string {
    return this.server.publicUrl
  }

  /** Stops the clock. Only `wait` moves it then, so that limits do not depend on the machine's speed. */
  stopClock(): void {
    this.#clock.stoppedAt = Date.now()
  }

  wait(ms: number): void {
    this.#clock.offsetMs += ms
  }

  /** A request with an owner's or a client's token. */
  async call(path: string, token: string | null = this.ownerToken, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers(init.headers)
    if (token !== null) headers.set('Authorization', `Bearer ${token}`)
    const response = await fetch(this.url + path, { ...init, headers })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
  }

  async own(method: string, path: string, body: unknown, type = 'application/json'): Promise<Answer['body']> {
    const answer = await this.call(path, this.ownerToken, {
      method,
      headers: { 'Content-Type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body))
    return answer.body
  }

  /** A request with a JSON body whose answer may be a refusal. */
  post(path: string, body: unknown, token: string | null = this.ownerToken): Promise<Answer> {
    const headers = { 'Content-Type': 'application/json' }
    return this.call(path, token, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  /** Creates a mailbox with a few messages. */
  async mailbox(display_name: string, ids: readonly string[] = ['m1', 'm2', 'm3']): Promise<string> {
    const connection_id = await this.addSource(MAILBOX, display_name)
    await this.receive(connection_id, ids)
    return connection_id
  }

  /** Registers a declaration and creates a connection for it. */
  async addSource(declaration: { source: { id: string } }, display_name: string): Promise<string> {
    await this.own('POST', '/v1/owner/declarations', declaration)
    const made = { source_id: declaration.source.id, display_name }
    return (await this.own('POST', '/v1/owner/connections', made)).connection_id
  }

  /** New messages in a mailbox. */
  async receive(connection_id: string, ids: readonly string[]): Promise<void> {
    const received_at = new Date(Date.now() - 86_400_000).toISOString()
    const messages = ids.map(id => message(id, { received_at, body: `Body of ${id}`, secret: 'hush' }))
    await this.ingest('messages', connection_id, messages)
  }

  ingest(stream: string, connection_id: string, lines: readonly unknown[] | string): Promise<Answer['body']> {
    const body = typeof lines === 'string' ? lines : lines.map(line => JSON.stringify(line)).join('\n')
    return this.own(
      'POST',
      `/v1/ingest/${stream}?connection_id=${connection_id}`,
      body,
      'application/x-ndjson',
    )
  }

  /** The grants, each with its terms. */
  async grants(): Promise<Answer['body'][]> {
    return (await this.call('/v1/owner/grants')).body.data
  }

  /** The owner's browser, signed in with a one-time link. */
  async signedIn(): Promise<Visitor> {
    const visitor = new Visitor(this.url)
    await visitor.post('/sign-in', { link: await this.signInLink() })
    return visitor
  }

  /** The secret of a one-time link. */
  signInLink(): Promise<string> {
    const { store } = this.server
    const now = this.#clock.now().toISOString()
    return store.writer.call('createSignInLink', { owner_id: store.owner_id, now })
  }

  async register(metadata: Record<string, unknown> = {}): Promise<Answer> {
    const app = { client_name: 'Test app', redirect_uris: [REDIRECT], ...metadata }
    return this.post('/oauth/register', app, null)
  }

  async token(parameters: Record<string, string>): Promise<Answer> {
    return this.call('/oauth/token', null, { method: 'POST', body: new URLSearchParams(parameters) })
  }

  /** Everything from registration to tokens, sharing every stream of every connection completely. */
  async connect(visitor: Visitor, choices: Record<string, string> = {}): Promise<Connected> {
    const client_id = (await this.register()).body.client_id as string
    const asking = new Asking(this, client_id)
    const page = await asking.open(visitor)
    const code = await asking.approve(visitor, page, choices)
    const { body } = await asking.redeem(code)
    return { client_id, ...body }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]()
    await this.#remove()
  }
}

interface WorldOptions {
  /** Declarations that come with the server. */
  sources?: readonly Declaration[]
  fetch?: typeof globalThis.fetch
  clientDocuments?: boolean
  allowedOrigins?: string[]
  publicUrl?: string
  timeZone?: string
  showQueries?: boolean
  spelled?: (text: string) => string
  lastBackup?: () => { at: string; directory: string } | null
  /** Values that override settings in the file, by name. */
  fixedSettings?: Record<string, string>
  rateLimit?: Rate
  addressLimit?: number
  trustedProxies?: string[]
  metricsToken?: string
  log?: Log
  port?: number
  place?: Place
}

export interface Connected {
  client_id: string
  access_token: string
  refresh_token: string
}

export const REDIRECT = 'http://127.0.0.1:33333/callback'

/** A client's authorization request, with what is needed to complete it. */
export class Asking {
  readonly verifier = randomBytes(32).toString('base64url')
  readonly state = randomBytes(8).toString('hex')
  readonly #world: AuthorizationWorld
  readonly #client_id: string

  constructor(world: AuthorizationWorld, client_id: string) {
    this.#world = world
    this.#client_id = client_id
  }

  url(changes: Record<string, string | null> = {}): string {
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: this.#client_id,
      redirect_uri: REDIRECT,
      state: this.state,
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) parameters.delete(name)
      else parameters.set(name, value)
    }
    return `/oauth/authorize?${parameters}`
  }

  /** Goes from the request to the consent page. */
  async open(visitor: Visitor, changes: Record<string, string | null> = {}): Promise<PageVisit> {
    return visitor.get(this.url(changes))
  }

  /** Shares everything, or the given choices, and returns the code for the client. */
  async approve(visitor: Visitor, page: PageVisit, choices: Record<string, string> = {}): Promise<string> {
    const fields = shareAll(page)
    const review = await visitor.submit(page, { ...fields, range: 'all', ...choices, action: 'review' })
    const done = await visitor.submit(review, { action: 'approve' })
    return new URL(done.url).searchParams.get('code') ?? `no code: ${done.url} ${done.html}`
  }

  async redeem(code: string, changes: Record<string, string> = {}): Promise<Answer> {
    return this.#world.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      client_id: this.#client_id,
      code_verifier: this.verifier,
      ...changes,
    })
  }
}

/** Acts as the owner on a URL that an app opens: shares everything and allows it. Returns the redirect. */
export async function decideEverything(owner: Visitor, asked: URL): Promise<string> {
  return (await decideOn(owner, await owner.get(asked.pathname + asked.search))).url
}

export async function decideOn(owner: Visitor, page: PageVisit): Promise<PageVisit> {
  const review = await owner.submit(page, { ...shareAll(page), range: 'all', action: 'review' })
  return owner.submit(review, { action: 'approve' })
}

/** A detail of a request for data of the mailbox, without its streams. */
export const DETAIL = {
  type: 'https://pdpp.dev/data-access',
  source: { id: MAILBOX.source.id },
  purpose_code: 'https://pdpp.dev/purpose/personalization',
  access_mode: 'continuous',
}

/** The parameter of a request with these details. */
export function asking(...details: object[]): { authorization_details: string } {
  return { authorization_details: JSON.stringify(details) }
}

/** The token of the session in the forms of a page. */
export function csrfIn({ html }: Pick<PageVisit, 'html'>): string {
  return /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
}

export function shareAll(page: PageVisit): Record<string, string> {
  const keys = [...page.html.matchAll(/name="(share:[^"]+)"/g)].map(match => match[1] ?? '')
  return Object.fromEntries(keys.map(key => [key, 'all']))
}

export interface PageVisit {
  url: string
  status: number
  headers: Headers
  html: string
}

/** A browser without a screen: it stores cookies by path, follows redirects on this server and submits forms. */
export class Visitor {
  readonly #origin: string
  readonly #cookies = new Map<string, { value: string; path: string }>()

  constructor(origin: string) {
    this.#origin = origin
  }

  get(path: string, headers: Record<string, string> = {}): Promise<PageVisit> {
    return this.#go(path, { headers })
  }

  post(
    path: string,
    fields: [string, string][] | Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<PageVisit> {
    const body = new URLSearchParams(fields)
    return this.#go(path, { method: 'POST', body, headers: { Origin: this.#origin, ...headers } })
  }

  /** Sends a body of any type. */
  send(path: string, body: string | Buffer<ArrayBuffer>, type: string): Promise<PageVisit> {
    const headers = { Origin: this.#origin, 'Content-Type': type }
    return this.#go(path, { method: 'POST', body, headers })
  }

  /** Sends the page's form with its hidden and preset fields, and the changes. */
  submit(page: PageVisit, changes: Record<string, string>): Promise<PageVisit> {
    const fields = formOf(page.html).filter(([name]) => !(name in changes))
    return this.post(page.url, [...fields, ...Object.entries(changes)])
  }

  async #go(target: string, init: RequestInit): Promise<PageVisit> {
    let url = new URL(target, this.#origin)
    let next = init
    for (let hops = 0; hops < 10; hops++) {
      const headers = new Headers(next.headers)
      const cookies = [...this.#cookies].filter(([, { path }]) => url.pathname.startsWith(path))
      headers.set('Cookie', cookies.map(([name, { value }]) => `${name.split('\n')[0]}=${value}`).join('; '))
      const response = await fetch(url, { ...next, headers, redirect: 'manual' })
      for (const cookie of response.headers.getSetCookie()) this.#keep(cookie)
      const location = response.headers.get('Location')
      if (location === null || response.status < 300 || response.status >= 400) {
        return {
          url: url.href,
          status: response.status,
          headers: response.headers,
          html: await response.text(),
        }
      }
      await response.body?.cancel()
      url = new URL(location, url)
      if (url.origin !== this.#origin) return { url: url.href, status: response.status, headers, html: '' }
      next = {}
    }
    throw new Error(`too many redirects: ${url}`)
  }

  #keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split('; ')
    const equals = pair.indexOf('=')
    const path = attributes.find(text => /^path=/i.test(text))?.slice(5) ?? '/'
    const gone = attributes.some(text => /^max-age=0$/i.test(text) || /^expires=Thu, 01 Jan 1970/i.test(text))
    const key = `${pair.slice(0, equals)}\n${path}`
    if (gone) this.#cookies.delete(key)
    else this.#cookies.set(key, { value: pair.slice(equals + 1), path })
  }
}

/** The values that an unchanged form would send. */
function formOf(html: string): [string, string][] {
  const fields: [string, string][] = []
  for (const [tag] of html.matchAll(/<input\b[^>]*>/g)) {
    const attribute = (name: string) => plainText(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
    const picks = /type="(?:radio|checkbox)"/.test(tag)
    if (picks && !/\bchecked\b/.test(tag)) continue
    if (attribute('name') !== '') fields.push([attribute('name'), attribute('value')])
  }
  for (const [select, name = ''] of html.matchAll(/<select\b[^>]*name="([^"]+)"[\s\S]*?<\/select>/g)) {
    fields.push([name, /value="([^"]*)" selected/.exec(select)?.[1] ?? ''])
  }
  return fields
}

function plainText(text: string): string {
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" }
  return text.replace(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => entities[name] ?? '')
}
