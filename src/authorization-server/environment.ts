import type { ServerResponse } from 'node:http'
import type { Access } from '../model/access/enforce.ts'
import type { TimeZone } from '../model/time-zone.ts'
import type { Store } from '../store/store.ts'

/** What the authorization server is made of. */
export interface AuthorizationEnvironment {
  store: Store
  /** The origin that everything public is built from, and the issuer; never the Host header. */
  publicUrl: string
  /** Whether clients may name themselves by the address of a document, which is then fetched. */
  clientDocuments: boolean
  clock: () => Date
  /** The owner's. */
  timeZone: TimeZone
  /** A name or a text as pages show it: scrambled in the demo. */
  shown: (text: string) => string
  /** What the owner is told of this server. */
  about: { version: string; data: string }
  /** Told of every failure that is the server's own. */
  report: (error: unknown, request_id: string) => void
  /** The id of the request that a response answers. */
  requestIdOf: (response: Pick<ServerResponse, 'getHeader'>) => string
  /** Reads the resource server as if with this access; for showing the owner what a client would see. */
  preview: (access: Access, path: string, request_id?: string) => Promise<unknown>
  /** Fetches client documents in tests; otherwise fetch-document.ts does, from public addresses alone. */
  fetch?: typeof globalThis.fetch
  /** What a guess of the passphrase costs in tests, which guess often. */
  passphraseCost?: number | undefined
}
