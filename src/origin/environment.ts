import { Cursors } from '../model/reading/cursor.ts'
import type { Environment } from '../resource-server/request/context.ts'
import type { Location } from '../store/engine/database.ts'
import type { Store } from '../store/store.ts'

/** How long a feed of changes can be resumed; what was deleted is remembered as long. */
export const CHANGES_TTL_DAYS = 90

/** What an origin needs to be told, whether it listens or only serves the command that opened it. */
export interface OriginOptions {
  location: Location
  cursorTtlSeconds: number
}

/** What the resource server is made of. */
export function resourceEnvironment(
  store: Store,
  { cursorTtlSeconds }: OriginOptions,
  rest: Omit<Environment, 'store' | 'cursors' | 'changesTtlSeconds'>,
): Environment {
  return {
    store,
    cursors: new Cursors(store.sealingKey, cursorTtlSeconds),
    changesTtlSeconds: CHANGES_TTL_DAYS * 86_400,
    ...rest,
  }
}
