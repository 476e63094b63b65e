import { BlobUpload, forgetBrokenUploads } from './blobs.ts'
import { createConnection, registerDeclaration, renameConnection } from './catalog.ts'
import { decideConsent, endConsent, noteDenial } from './consents.ts'
import type { Database } from './database.ts'
import { deleteConnection, forgetTombstones } from './erase.ts'
import { markFirstUse, revokeGrant } from './grants.ts'
import { beginImport, noteImport } from './imports.ts'
import { Ingest } from './ingest.ts'
import { migrate, sealingKey } from './migrations.ts'
import {
  consumeArtifact,
  destroyArtifact,
  forgetArtifacts,
  revokeArtifacts,
  saveArtifact,
} from './oauth-artifacts.ts'
import { ensureOwner } from './owners.ts'
import { rebuildIndexPart } from './reindex.ts'
import { aggregateRecords, countRecords, lastUpdated, readPage } from './scan.ts'
import { searchRecords } from './search.ts'
import { matchesInRecord } from './search-in-record.ts'
import {
  beginPassphraseAttempt,
  createSignInLink,
  setPassphrase,
  signInByLink,
  signInByPassphrase,
  signOut,
} from './sign-in.ts'
import { createClientToken, createGrant, createOwnerToken } from './tokens.ts'
import { type IngestTarget, writeOperations } from './write-records.ts'

/** Every call that runs in a worker: all writes, and the reads that may take long. */
export const CALLS = {
  migrate: (database: Database, _: null) => migrate(database),
  sealingKey: (database: Database, _: null) => sealingKey(database),
  ensureOwner,
  registerDeclaration,
  createConnection,
  renameConnection,
  deleteConnection,
  deleteRecord: (database: Database, { target, record_id }: { target: IngestTarget; record_id: string }) =>
    writeOperations(database, target, [{ op: 'delete', record_id, emitted_at: null, cleaned: 0 }]),
  beginImport,
  noteImport,
  createOwnerToken,
  createGrant,
  createClientToken,
  markFirstUse,
  revokeGrant,
  saveArtifact,
  consumeArtifact,
  destroyArtifact,
  revokeArtifacts,
  endConsent,
  forgetArtifacts,
  decideConsent,
  noteDenial,
  createSignInLink,
  signInByLink,
  beginPassphraseAttempt,
  signInByPassphrase,
  setPassphrase,
  signOut,
  forgetTombstones,
  forgetBrokenUploads,
  readPage,
  countRecords,
  aggregateRecords,
  lastUpdated,
  rebuildIndexPart,
  searchRecords,
  matchesInRecord,
} as const

export type CallName = keyof typeof CALLS
export type CallArgs<Name extends CallName> = Parameters<(typeof CALLS)[Name]>[1]
export type CallResult<Name extends CallName> = Awaited<ReturnType<(typeof CALLS)[Name]>>

/** Takes a stream of bytes and answers at its end. */
export interface Sink<Result = unknown> {
  write(chunk: Uint8Array): Promise<void>
  end(): Promise<Result>
}

export const SINKS = {
  ingest: (database: Database, target: IngestTarget) => new Ingest(database, target),
  blob: (database: Database, args: { owner_id: string; mime_type: string }) => new BlobUpload(database, args),
} as const

export type SinkName = keyof typeof SINKS
export type SinkArgs<Name extends SinkName> = Parameters<(typeof SINKS)[Name]>[1]
export type SinkResult<Name extends SinkName> = Awaited<ReturnType<ReturnType<(typeof SINKS)[Name]>['end']>>
