/** What the console is made of. */
export interface ConsoleEnvironment {
  /** The signed-in owner's session, or the response that leads to sign-in and back. */
  requireOwner(request: Request): Promise<object | Response>
  /** Reads from the resource server as the owner. */
  read(path: string, request_id: string): Promise<unknown>
}

/** Reads for one page. */
export type Read = (path: string) => Promise<unknown>
