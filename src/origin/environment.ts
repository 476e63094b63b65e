import { Cursors } from '../model/reading/cursor.ts'
import type { TimeZone } from '../model/time-zone.ts'
import type { Environment, ResourceSettings } from '../resource-server/request/context.ts'
import type { Location } from '../store/engine/database.ts'
import type { Store } from '../store/store.ts'
import type { McpSettings } from './mcp.ts'
import { ownerTimeZone } from './owner-time-zone.ts'

/** How long a feed of changes can be resumed; tombstones are kept for the same time. */
export const CHANGES_TTL_DAYS = 90

/** The options of an origin, whether it listens or only serves the command that opened it. */
export interface OriginOptions extends ResourceSettings, McpSettings {
  location: Location
  cursorTtlSeconds: number
  /** The owner's time zone, if set. */
  timeZone?: string | undefined
}

/** What the resource server and the MCP adapter are built from. */
export interface OriginEnvironment extends Environment {
  settings: ResourceSettings & McpSettings
}

/** Builds what the resource server needs from the options; the settings can change while it runs. */
export function resourceEnvironment(
  store: Store,
  options: OriginOptions,
  rest: Omit<OriginEnvironment, 'settings' | 'store' | 'cursors' | 'changesTtlSeconds' | 'timeZone'>,
): OriginEnvironment & { timeZone: TimeZone } {
  return {
    settings: { ...options },
    store,
    cursors: new Cursors(store.sealingKey, options.cursorTtlSeconds),
    changesTtlSeconds: CHANGES_TTL_DAYS * 86_400,
    timeZone: ownerTimeZone(options.location.directory, options.timeZone),
    ...rest,
  }
}
