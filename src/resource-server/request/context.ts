import type { List } from '../../api/list.ts'
import type { Warning } from '../../api/parameter.ts'
import type { BodyOf, ParametersOf, PathOf, ReplyOf, Route } from '../../api/route.ts'
import type { Schema } from '../../api/schema.ts'
import {
  type Access,
  accessName,
  type Catalog,
  narrowedSources,
  type Source,
  type SourceNarrowing,
} from '../../model/access/enforce.ts'
import type { Shown } from '../../model/access/shown.ts'
import type { Declaration } from '../../model/declaration/declaration.ts'
import type { Cursors } from '../../model/reading/cursor.ts'
import type { QueryMeaning } from '../../model/search/meaning.ts'
import type { Without } from '../../model/search/refinements.ts'
import type { TimeZone } from '../../model/time.ts'
import type { PagePosition } from '../../store/access/page-positions.ts'
import { type Allowance, Budget, SCAN_ALLOWANCE } from '../../store/budget/budget.ts'
import { FreeTurn } from '../../store/budget/turns.ts'
import type { Store } from '../../store/store.ts'
import type {
  ReadArgs,
  ReadName,
  ReadResult,
  WriteArgs,
  WriteName,
  WriteResult,
} from '../../store/threads/calls.ts'
import { readJson } from './body.ts'
import { etagOf, list, Page, type PageEnd, type Reply, targetOf } from './responses.ts'

/** The settings that the resource server follows. */
export interface ResourceSettings {
  /** Whether the owner sees in the ledger what clients asked for. */
  showQueries?: boolean
  /** The names and addresses that records use for the owner. */
  ownNames?: readonly string[]
}

export const systemClock = (): Date => new Date()

/** What the resource server is built from. */
export interface Environment {
  settings: ResourceSettings
  store: Store
  cursors: Cursors
  /** The origin of every public URL; never the Host header. */
  publicUrl: string
  /** Throws if a client sends too many requests; null means no limit. */
  rateLimit: { take(client: string, now: Date): void } | null
  /** The allowance of a search, if not the default. */
  searchAllowance?: Allowance
  /** The declarations that come with the server. */
  sources?: readonly Declaration[]
  /** The refinements that searches leave out, to measure their effect. */
  searchWithout?: Without
  /** Returns the meaning of queries if the owner turned that on; null while it is off. */
  meaning?: { ask(query: string): Promise<QueryMeaning | null> }
  changesTtlSeconds: number
  clock: () => Date
  /** The owner's token for callers inside this process. New for each process and never stored. */
  ownerKey?: string
  /** The owner's time zone; UTC by default. */
  timeZone?: TimeZone
  /** Called for every search with whether its budget cut it short. */
  searched?: (isCutShort: boolean) => void
  /** Called for every failure that is the server's own. */
  report: (error: unknown, request_id: string) => void
}

type FromRequest =
  | 'env'
  | 'route'
  | 'request'
  | 'request_id'
  | 'leaving'
  | 'path'
  | 'parameters'
  | 'warnings'
  | 'now'
type FromToken = 'access' | 'catalog' | 'note'

/** One request, authenticated and with its parameters checked. */
export class RequestContext<R extends Route = Route> {
  declare readonly env: Environment
  declare readonly route: R
  declare readonly request: Request
  declare readonly request_id: string
  /** The signal of a caller in this process. */
  declare readonly leaving: AbortSignal | undefined
  declare readonly path: PathOf<R>
  declare readonly parameters: ParametersOf<R>
  /** What the response tells the caller besides its data. */
  declare readonly warnings: Warning[]
  declare readonly access: Access
  declare readonly catalog: Catalog
  declare readonly now: Date
  /** What the ledger will record about this request. */
  declare readonly note: Note
  #place: Promise<() => void> | undefined

  constructor(fields: Pick<RequestContext<R>, FromRequest | FromToken>) {
    Object.assign(this, fields)
  }

  get store(): Store {
    return this.env.store
  }

  get owner_id(): string {
    return this.access.owner_id
  }

  get isOwner(): boolean {
    return this.access.kind === 'owner'
  }

  get accessName(): string {
    return accessName(this.access)
  }

  /** Aborted when nobody waits for the response any longer. */
  get signal(): AbortSignal {
    return this.leaving ?? this.request.signal
  }

  /** The requested page, for a route that has pages. */
  get page(): Page {
    return new Page(this)
  }

  /** The checked JSON body. */
  body(): Promise<BodyOf<R>> {
    return readJson(this.request, this.route.body as Schema<BodyOf<R>>)
  }

  /** The readable sources, narrowed to a stream, connections and kinds of sources if these are named. */
  sources(stream: string | undefined, narrowed: string | SourceNarrowing = {}): Source[] {
    return narrowedSources(this.access, this.catalog, stream, narrowed)
  }

  list<T, Meta>(data: T[], end: PageEnd = {}, meta: Meta = {} as Meta): Reply<List<T, Meta>> {
    return list(this.request, data, end, { warnings: this.warnings, ...meta })
  }

  /** For reads in this thread that may take a while. */
  get budget(): Budget {
    return new Budget(SCAN_ALLOWANCE, new FreeTurn(), this.signal)
  }

  /** A read that may take long, within a budget and while the client waits for it. Each caller has its own queue. */
  async scan<Name extends ReadName>(
    name: Name,
    args: ReadArgs<Name>,
    allowance: Allowance = SCAN_ALLOWANCE,
  ): Promise<ReadResult<Name>> {
    const { signal } = this
    const caller = this.access.kind === 'owner' ? 'the owner' : this.access.client_id
    this.#place ??= this.store.scanner.queue.enter(caller, signal)
    await this.#place
    return this.store.scanner.scan(name, args, { caller, allowance, signal })
  }

  /** A change to the owner's data, made now. */
  write<Name extends WriteName>(
    name: Name,
    args: Omit<WriteArgs<Name>, 'owner_id' | 'now'>,
  ): Promise<WriteResult<Name>> {
    const { owner_id, now, store } = this
    const whole = { ...args, owner_id, now: now.toISOString() }
    return store.writer.call(name, whole as unknown as WriteArgs<Name>)
  }

  /** Lets the caller's next request begin its long reads. */
  leave(): void {
    this.#place?.then(
      leave => leave(),
      () => {},
    )
  }

  /** Notes what the answer shows. */
  disclose(shown: readonly Shown[]): void {
    this.note.shown.push(...shown)
  }

  /**
   * Notes which fields the response depends on, whether it shows them or not: a client that asks often enough learns
   * them. Must be called before an error that depends on them.
   */
  decideBy(
    { connection_id, stream }: Pick<Source, 'connection_id' | 'stream'>,
    fields: Iterable<string>,
    record_ids: string[] = [],
  ): void {
    this.note.decided.push({ connection_id, stream: stream.name, record_ids, fields: [...new Set(fields)] })
  }

  /** A tag for a version of what this access sees. It is keyed, so nothing can be guessed from it. */
  etag(...parts: string[]): string {
    return etagOf(this.store.tagKey, this.accessName, ...parts)
  }
}

interface Noted {
  store: Store
  route: { path: string }
  request: Request
  request_id: string
  now: Date
}

/** The line that a client's request adds to the ledger, whatever its method and response are. */
export class Note {
  readonly shown: Shown[] = []
  readonly decided: Shown[] = []
  /** Where the pages of the answer ended, for cursors that name them. */
  readonly positions: PagePosition[] = []

  /** Discards what was gathered by a read that starts again. */
  clear(): void {
    this.shown.length = 0
    this.decided.length = 0
    this.positions.length = 0
  }

  /**
   * Resolves when the line and the positions are written; the response is sent after that. What the owner reads leaves
   * no line, nor does a read without an access.
   */
  async write(
    { store, route, request, request_id, now }: Noted,
    access: Access | null,
    status: number,
  ): Promise<void> {
    if (access?.kind !== 'client') {
      if (this.positions.length > 0) await store.ledger.positions.keep(this.positions)
      return
    }
    const line = {
      at: now.toISOString(),
      request_id,
      client_id: access.client_id,
      grant_ids: access.grants.map(grant => grant.grant_id),
      route: `${request.method} ${route.path}`,
      status,
      shown: JSON.stringify(this.shown),
      decided: JSON.stringify(this.decided),
      query: targetOf(request.url),
    }
    await store.ledger.add(access.owner_id, line, this.positions)
  }
}

/** A contract and its handler. */
export interface ServedRoute extends Route {
  readonly handle:
    | { as: 'caller'; run(context: RequestContext): Promise<Reply> }
    | { as: 'anyone'; run(env: Environment, request: Request): Reply | Promise<Reply> }
}

/** The handler of a route that needs a token. */
export function serve<R extends Route>(
  contract: R,
  run: (context: RequestContext<R>) => Promise<Reply<ReplyOf<R>>>,
): ServedRoute {
  const handle = { as: 'caller', run: run as (context: RequestContext) => Promise<Reply> } as const
  return { ...contract, handle }
}

/** The handler of a public route. */
export function servePublic<R extends Route>(
  contract: R,
  run: (env: Environment, request: Request) => Reply<ReplyOf<R>> | Promise<Reply<ReplyOf<R>>>,
): ServedRoute {
  return { ...contract, handle: { as: 'anyone', run } }
}
