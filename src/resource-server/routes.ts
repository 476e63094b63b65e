import * as activity from './owner/activity.ts'
import * as catalog from './owner/catalog.ts'
import * as grants from './owner/grants.ts'
import * as imports from './owner/imports.ts'
import * as ledger from './owner/ledger.ts'
import * as meaning from './owner/meaning.ts'
import * as people from './owner/people.ts'
import * as searches from './owner/searches.ts'
import * as syncs from './owner/syncs.ts'
import * as tokens from './owner/tokens.ts'
import * as watched from './owner/watched.ts'
import * as records from './owner/write-records.ts'
import { aggregate } from './reads/aggregate.ts'
import * as blobs from './reads/blobs.ts'
import * as discovery from './reads/discovery.ts'
import { fieldWindow } from './reads/field-window.ts'
import { listByTime, listRecords } from './reads/list-records.ts'
import { readConversation } from './reads/read-conversation.ts'
import { readRecord } from './reads/read-record.ts'
import { search } from './reads/search.ts'
import * as streams from './reads/streams.ts'
import type { ServedRoute } from './request/context.ts'

/** Every route. */
export const ROUTES: readonly ServedRoute[] = [
  streams.readSchema,
  streams.listStreams,
  streams.readStream,
  listRecords,
  listByTime,
  readRecord,
  fieldWindow,
  readConversation,
  aggregate,
  search,
  blobs.downloadBlob,

  records.ingest,
  records.deleteRecord,
  imports.readRecordImports,
  blobs.uploadBlob,
  catalog.readDeclarations,
  catalog.registerDeclaration,
  catalog.readConnections,
  catalog.createConnection,
  catalog.readConnection,
  catalog.changeConnection,
  catalog.deleteConnection,
  imports.readImports,
  imports.beginImport,
  imports.readImport,
  imports.noteImport,
  imports.readRejections,
  imports.removeImport,
  syncs.readSyncs,
  syncs.addSync,
  syncs.removeSync,
  syncs.requestSyncRun,
  syncs.beginSyncRun,
  syncs.noteSyncRun,
  syncs.readSyncMessages,
  watched.readWatched,
  watched.lookAgain,
  watched.unwatch,
  grants.readGrants,
  grants.createGrant,
  grants.readOneGrant,
  grants.replaceGrant,
  grants.revokeGrant,
  tokens.readOwnerTokens,
  tokens.createOwnerToken,
  tokens.introspectToken,
  tokens.revokeOwnerToken,
  tokens.createSignInLink,
  grants.readClients,
  grants.addSources,
  searches.readSearches,
  searches.saveSearch,
  searches.deleteSearch,
  meaning.readMeaning,
  meaning.forgetMeaning,
  activity.readAlerts,
  activity.setAlerts,
  people.readPeople,
  people.listNamed,
  people.readNamed,
  people.joinPeople,
  people.separatePeople,
  ledger.readAudit,
  ledger.exportEverything,
  ledger.exportLedger,
  ledger.exportLedgerTable,
  ledger.readDisclosures,
  activity.readActivity,
  ledger.readLedger,
  ledger.verifyLedger,
  ledger.pruneLedger,

  discovery.shippedDeclarations,
  discovery.protectedResource,
  discovery.protectedMcp,
  discovery.protectedResearch,
  discovery.health,
  discovery.readiness,
]
