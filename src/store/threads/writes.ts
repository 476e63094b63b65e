import { type AuditEvent, noteEvent } from '../access/audit.ts'
import { addGrants } from '../access/clients.ts'
import { decideConsent, endConsent, noteDenial, replaceGrant } from '../access/consents.ts'
import { revokeGrant } from '../access/grants.ts'
import { spendLimits } from '../access/limit-usage.ts'
import {
  consumeArtifact,
  destroyArtifact,
  forgetArtifacts,
  revokeArtifacts,
  saveArtifact,
} from '../access/oauth-artifacts.ts'
import { createClientToken, createGrants, createOwnerToken, revokeOwnerToken } from '../access/tokens.ts'
import type { Database } from '../engine/database.ts'
import { Ingest } from '../ingest/ingest.ts'
import { rebuildIndexPart } from '../ingest/reindex.ts'
import { deleteConnection, forgetTombstones, removeImport } from '../ingest/removal.ts'
import { type IngestTarget, writeOperations } from '../ingest/write-records.ts'
import { beginStore } from '../known-store.ts'
import { BlobUpload, forgetBrokenUploads } from '../records/blobs.ts'
import { createConnection, registerDeclaration, renameConnection } from '../records/catalog.ts'
import { beginImport, noteImport } from '../records/imports.ts'
import { dropItem, keepItem } from '../records/owner-items.ts'
import { addSync, beginSyncRun, noteSyncRun, removeSync, requestSyncRun } from '../records/syncs.ts'
import { forgetMeaning, keepVectors } from '../search/meaning/vectors.ts'
import { endSessions, noteSessionSeen } from '../sign-in/sessions.ts'
import {
  addPasskey,
  beginPassphraseAttempt,
  createSignInLink,
  removePasskey,
  setPassphrase,
  signInByLink,
  signInByPasskey,
  signInByPassphrase,
} from '../sign-in/sign-in.ts'

/** Every operation that changes stored data. */
export const WRITES = {
  beginStore,
  registerDeclaration,
  createConnection,
  renameConnection,
  deleteConnection,
  deleteRecord: (database: Database, { target, record_id }: { target: IngestTarget; record_id: string }) =>
    writeOperations(database, target, [{ op: 'delete', record_id, emitted_at: null, cleaned: 0 }]),
  noteEvent: (database: Database, { owner_id, event }: { owner_id: string; event: AuditEvent }) =>
    noteEvent(database, owner_id, event),
  keepItem,
  dropItem,
  beginImport,
  noteImport,
  removeImport,
  addSync,
  removeSync,
  requestSyncRun,
  beginSyncRun,
  noteSyncRun,
  createOwnerToken,
  revokeOwnerToken,
  createGrants,
  addGrants,
  createClientToken,
  revokeGrant,
  replaceGrant,
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
  addPasskey,
  signInByPasskey,
  removePasskey,
  noteSessionSeen,
  endSessions,
  spendLimits,
  forgetTombstones,
  forgetBrokenUploads,
  rebuildIndexPart,
  keepVectors,
  forgetMeaning,
} as const

/** The operations that receive a stream of bytes. */
export const SINKS = {
  ingest: (database: Database, target: IngestTarget) => new Ingest(database, target),
  blob: (database: Database, args: { owner_id: string; mime_type: string }) => new BlobUpload(database, args),
} as const
