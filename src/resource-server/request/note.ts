import type { Access } from '../../model/access/enforce.ts'
import type { Shown } from '../../model/access/shown.ts'
import { CodedError } from '../../model/errors.ts'
import type { PagePosition } from '../../store/access/page-positions.ts'
import type { Store } from '../../store/store.ts'
import type { Reply } from './responses.ts'

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

  /** Resolves when the line and the positions are written; the response is sent after that. */
  async write(
    { store, route, request, request_id, now }: Noted,
    access: Access,
    status: number,
  ): Promise<void> {
    if (access.kind === 'owner') return this.writePositions(store)
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

  /** For what the owner reads, which leaves no line. */
  async writePositions({ ledger }: Pick<Store, 'ledger'>): Promise<void> {
    if (this.positions.length > 0) await ledger.positions.keep(this.positions)
  }
}

export function statusOf(outcome: PromiseSettledResult<Reply>): number {
  if (outcome.status === 'fulfilled') return outcome.value.status
  return outcome.reason instanceof CodedError ? outcome.reason.status : 500
}

/** What a URL asks for: its path and query. */
function targetOf(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2))
}
