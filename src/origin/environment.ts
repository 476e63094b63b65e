import { Cursors } from '../model/reading/cursor.ts'
import type { TimeZone } from '../model/time-zone.ts'
import type { Environment } from '../resource-server/request/context.ts'
import type { Location } from '../store/engine/database.ts'
import type { Store } from '../store/store.ts'
import { ownerTimeZone } from './owner-time-zone.ts'

/** How long a feed of changes can be resumed; what was deleted is remembered as long. */
export const CHANGES_TTL_DAYS = 90

/** What an origin needs to be told, whether it listens or only serves the command that opened it. */
export interface OriginOptions {
  location: Location
  cursorTtlSeconds: number
  /** Whether the owner sees in the ledger what clients asked for. */
  showQueries?: boolean
  /** Origins whose pages may call MCP with a token of theirs. */
  allowedOrigins?: readonly string[]
  /** Whether hosts that look for tools always load the most useful one. */
  alwaysLoad?: boolean
  /** The owner's time zone, where it is set. */
  timeZone?: string | undefined
}

/** What the resource server is made of. */
export function resourceEnvironment(
  store: Store,
  {
    cursorTtlSeconds,
    showQueries = false,
    location,
    timeZone,
    allowedOrigins = [],
    alwaysLoad = true,
  }: OriginOptions,
  rest: Omit<
    Environment,
    'store' | 'cursors' | 'changesTtlSeconds' | 'showQueries' | 'timeZone' | 'allowedOrigins' | 'alwaysLoad'
  >,
): Environment & { timeZone: TimeZone; showQueries: boolean } {
  return {
    store,
    cursors: new Cursors(store.sealingKey, cursorTtlSeconds),
    changesTtlSeconds: CHANGES_TTL_DAYS * 86_400,
    showQueries,
    allowedOrigins,
    alwaysLoad,
    timeZone: ownerTimeZone(location.directory, timeZone),
    ...rest,
  }
}
