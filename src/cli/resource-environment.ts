import { Cursors } from '../model/reading/cursor.ts'
import type { Environment } from '../resource-server/request/context.ts'
import type { Store } from '../store/store.ts'
import type { Config } from './config.ts'

/** How long a feed of changes can be taken up again; what was deleted is remembered as long. */
export const CHANGES_TTL_DAYS = 90

/** What the resource server is made of, in a server and inside a command alike. */
export function resourceEnvironment(
  store: Store,
  config: Config,
  rest: Omit<Environment, 'store' | 'cursors' | 'changesTtlSeconds'>,
): Environment {
  return {
    store,
    cursors: new Cursors(store.sealingKey, config.cursorTtlSeconds),
    changesTtlSeconds: CHANGES_TTL_DAYS * 86_400,
    ...rest,
  }
}
