import type { ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { NodeExchange } from '../api/route.ts'
import type { Access } from '../model/access/enforce.ts'
import type { TimeZone } from '../model/time.ts'
import type { Store } from '../store/store.ts'

/** The settings that the authorization server follows. */
export interface AuthorizationSettings {
  /** Whether clients may identify themselves by the URL of a document, which is then fetched. */
  clientDocuments: boolean
}

/** What the authorization server is built from. */
export interface AuthorizationEnvironment {
  settings: AuthorizationSettings
  store: Store
  /** The origin of every public URL, and the issuer; never the Host header. */
  publicUrl: string
  clock: () => Date
  /** The owner's time zone. */
  timeZone: TimeZone
  /** A name or a text as pages show it: scrambled in the demo. */
  shown: (text: string) => string
  /** A text with its `footnote` commands as the owner has to type them. */
  spelled: (text: string, reader?: 'anyone') => string
  /** What the owner is told about this server. */
  about: {
    version: string
    data: string
    /** The last copy of the data that `footnote backup` made; absent if another program makes backups. */
    lastBackup?: () => { at: string; directory: string } | null
  }
  /** Called for every failure that is the server's own. */
  report: (error: unknown, request_id: string) => void
  /** The request id of a response. */
  requestIdOf: (response: ServerResponse) => string
  /** Reads the resource server with this access, to show the owner what a client would see. */
  preview: (access: Access, path: string, request_id?: string) => Promise<unknown>
  /** Fetches client documents in tests; otherwise fetch-document.ts does, only from public addresses. */
  fetch?: typeof globalThis.fetch
  /** The cost of a passphrase attempt in tests, which make many. */
  passphraseCost?: number | undefined
}

/** A request for a page, with the parts it consists of. */
export interface PageRequest {
  env: AuthorizationEnvironment
  /** Loads oidc-provider if this is the first request that needs it. */
  provider(): Promise<Provider>
  request: Request
  node: NodeExchange
  path: Readonly<Record<string, string>>
}
