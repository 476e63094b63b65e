import { randomBytes } from 'node:crypto'
import type { TimeZone } from '../model/time-zone.ts'
import { Store } from '../store/store.ts'
import type { Dispatch } from './dispatcher.ts'
import { type OriginOptions, resourceEnvironment } from './environment.ts'
import { createOrigin } from './routes.ts'

export { isStarted } from '../store/engine/open-database.ts'

/** Access to an origin of this process as the owner, without a socket. */
export interface InsideDoor {
  publicUrl: string
  /** The owner's time zone. */
  timeZone: TimeZone
  /** Used in place of the owner's token. It is generated for this process only and never stored. */
  ownerKey: string
  dispatch: Dispatch
}

export function newOwnerKey(): string {
  return `inside_${randomBytes(32).toString('base64url')}`
}

export interface OwnOriginOptions extends OriginOptions {
  publicUrl: string
  report: (error: unknown, request_id: string) => void
}

/** The routes and checks of a server inside a command. It can run beside a server on the same data. */
export async function openOwnOrigin(options: OwnOriginOptions): Promise<InsideDoor & AsyncDisposable> {
  const store = await Store.open(options.location, 'command')
  const { publicUrl, report } = options
  const ownerKey = newOwnerKey()
  const rest = { publicUrl, rateLimit: null, clock: () => new Date(), ownerKey, report }
  const env = resourceEnvironment(store, options, rest)
  const { dispatch, close } = createOrigin(env)
  return {
    publicUrl,
    timeZone: env.timeZone,
    ownerKey,
    dispatch,
    async [Symbol.asyncDispose]() {
      await close()
      await store[Symbol.asyncDispose]()
    },
  }
}
