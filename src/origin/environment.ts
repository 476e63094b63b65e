import { Cursors } from '../model/reading/cursor.ts'
import type { TimeZone } from '../model/time-zone.ts'
import type { Environment } from '../resource-server/request/context.ts'
import type { Location } from '../store/engine/database.ts'
import type { Store } from '../store/store.ts'
import { ownerTimeZone } from './owner-time-zone.ts'

/** How long a feed of changes can be resumed; tombstones are kept for the same time. */
export const CHANGES_TTL_DAYS = 90

/** The options of an origin, whether it listens or only serves the command that opened it. */
export interface OriginOptions {
  location: Location
  cursorTtlSeconds: number
  /** Whether the owner sees in the ledger what clients asked for. */
  showQueries?: boolean
  /** Origins whose pages may call MCP with their own token. */
  allowedOrigins?: readonly string[]
  /** Whether hosts that search for tools always load the most useful one. */
  alwaysLoad?: boolean
  /** The owner's time zone, if set. */
  timeZone?: string | undefined
}

/** Builds the environment of the resource server. */
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
