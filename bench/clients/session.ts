import type { AuthorizationWorld } from '../../test/authorization-world.ts'

export const TRANSPORTS = ['http', 'stdio'] as const
export type Transport = (typeof TRANSPORTS)[number]

/** How a client gets access. */
const WAYS = ['token', 'sign-in'] as const
export type Way = (typeof WAYS)[number]

/** Where a client runs and what it is pointed at. */
export interface Setting {
  world: AuthorizationWorld
  transport: Transport
  way: Way
  /** A client token, for `token`; the command that starts the adapter reads it from its environment. */
  token: string
  /** The address of the server for assistants, and the token as a header. */
  url: string
  headers: Record<string, string>
  /** What starts the adapter over stdio. */
  adapter: { command: string; args: string[]; env: Record<string, string> }
  /** Decides on an authorization request in Chromium, and returns where the browser was sent. */
  decide(url: URL): Promise<URL>
  /** The folder that the clients are installed in, and an empty one for this run. */
  installed: string
  home: string
}

/** What a model can do in a connected client. */
export interface Calls {
  /** The names of the tools, as the model sees them. */
  tools: string[]
  /** Calls a tool by its name on the server; returns exactly what the model receives. */
  call(name: string, args: Record<string, unknown>): Promise<string>
}

/** A connected client, driven by a script in place of a model. */
export interface Session extends Calls, AsyncDisposable {}

/** A client of the matrix. */
export interface Host {
  name: string
  packages: string[]
  /** The ways that it can be driven. */
  can: readonly [Transport, Way][]
  open(setting: Setting): Promise<Session>
}

/** The ways of a client that can also sign in. */
export const EVERY_WAY: Host['can'] = [
  ['http', 'token'],
  ['http', 'sign-in'],
  ['stdio', 'token'],
]

/** The ways of a client that cannot sign in. */
export const BY_TOKEN: Host['can'] = [
  ['http', 'token'],
  ['stdio', 'token'],
]

/** The same calls, each noted with what the model is given. */
export function recorded({ tools, call }: Session, note: (lines: string) => Promise<void>): Calls {
  return {
    tools,
    async call(name, args) {
      const told = await call(name, args).catch((error: unknown) => error)
      await note(`${name} ${JSON.stringify(args)}\n${told}`)
      if (typeof told !== 'string') throw told
      return told
    },
  }
}
