import type { Grant } from '../model/access/grant.ts'
import type { TimeZone } from '../model/time-zone.ts'

/** What the console is made of. */
export interface ConsoleEnvironment {
  publicUrl: string
  clock: () => Date
  /** The owner's. */
  timeZone: TimeZone
  /** The signed-in owner's session, or the response that leads to sign-in and back. */
  requireOwner(request: Request): Promise<Session | Response>
  /** The form that the signed-in owner sent, checked, or the same response. */
  readOwnerForm(request: Request): Promise<{ session: Session; form: URLSearchParams } | Response>
  hasPassphrase(): Promise<boolean>
  /** Asks the resource server as the owner, or as an app with these grants would, without a line in the ledger. */
  send(request: Request, request_id: string, grants?: readonly Grant[]): Promise<Response>
}

export interface Session {
  /** Goes into every form as the field `csrf`. */
  csrf: string
}
