import { readActivity, readAlerts, setAlerts } from './owner/owner-activity.ts'
import {
  changeConnection,
  createConnection,
  deleteConnection,
  readConnection,
  readConnections,
  readDeclarations,
  registerDeclaration,
} from './owner/owner-catalog.ts'
import { exportEverything, exportLedger, exportLedgerTable } from './owner/owner-export.ts'
import {
  addSources,
  createGrant,
  readClients,
  readGrants,
  readOneGrant,
  replaceGrant,
  revokeGrant,
} from './owner/owner-grants.ts'
import {
  beginImport,
  noteImport,
  readImport,
  readImports,
  readRecordImports,
  readRejections,
  removeImport,
} from './owner/owner-imports.ts'
import { pruneLedger, readAudit, readDisclosures, readLedger, verifyLedger } from './owner/owner-ledger.ts'
import { forgetMeaning, readMeaning } from './owner/owner-meaning.ts'
import { joinPeople, listNamed, readNamed, readPeople, separatePeople } from './owner/owner-people.ts'
import { deleteSearch, readSearches, saveSearch } from './owner/owner-searches.ts'
import {
  addSync,
  beginSyncRun,
  noteSyncRun,
  readSyncMessages,
  readSyncs,
  removeSync,
  requestSyncRun,
} from './owner/owner-syncs.ts'
import {
  createOwnerToken,
  createSignInLink,
  introspectToken,
  readOwnerTokens,
  revokeOwnerToken,
} from './owner/owner-tokens.ts'
import { lookAgain, readWatched, unwatch } from './owner/owner-watched.ts'
import { deleteRecord, ingest } from './owner/write-records.ts'
import { aggregate } from './reads/aggregate.ts'
import { downloadBlob, uploadBlob } from './reads/blobs.ts'
import { protectedMcp, protectedResearch, protectedResource } from './reads/discovery.ts'
import { fieldWindow } from './reads/field-window.ts'
import { health, readiness } from './reads/health.ts'
import { listByTime } from './reads/list-by-time.ts'
import { listRecords } from './reads/list-records.ts'
import { readConversation } from './reads/read-conversation.ts'
import { readRecord } from './reads/read-record.ts'
import { readSchema } from './reads/read-schema.ts'
import { listStreams, readStream } from './reads/read-streams.ts'
import { search } from './reads/search.ts'
import type { ServedRoute } from './request/serve.ts'

/** Every route. */
export const ROUTES: readonly ServedRoute[] = [
  readSchema,
  listStreams,
  readStream,
  listRecords,
  listByTime,
  readRecord,
  fieldWindow,
  readConversation,
  aggregate,
  search,
  downloadBlob,

  ingest,
  deleteRecord,
  readRecordImports,
  uploadBlob,
  readDeclarations,
  registerDeclaration,
  readConnections,
  createConnection,
  readConnection,
  changeConnection,
  deleteConnection,
  readImports,
  beginImport,
  readImport,
  noteImport,
  readRejections,
  removeImport,
  readSyncs,
  addSync,
  removeSync,
  requestSyncRun,
  beginSyncRun,
  noteSyncRun,
  readSyncMessages,
  readWatched,
  lookAgain,
  unwatch,
  readGrants,
  createGrant,
  readOneGrant,
  replaceGrant,
  revokeGrant,
  readOwnerTokens,
  createOwnerToken,
  introspectToken,
  revokeOwnerToken,
  createSignInLink,
  readClients,
  addSources,
  readSearches,
  saveSearch,
  deleteSearch,
  readMeaning,
  forgetMeaning,
  readAlerts,
  setAlerts,
  readPeople,
  listNamed,
  readNamed,
  joinPeople,
  separatePeople,
  readAudit,
  exportEverything,
  exportLedger,
  exportLedgerTable,
  readDisclosures,
  readActivity,
  readLedger,
  verifyLedger,
  pruneLedger,

  protectedResource,
  protectedMcp,
  protectedResearch,
  health,
  readiness,
]
