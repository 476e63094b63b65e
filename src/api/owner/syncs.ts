import { list } from '../list.ts'
import * as p from '../parameter.ts'
import { ownerRoute } from '../route.ts'
import type { Typed } from '../schema.ts'
import * as s from '../schema.ts'

const SYNCS = '/v1/owner/syncs'
const ONE = `${SYNCS}/:sync_id` as const
/** How a connection to a mail server is protected. */
const SECURITIES = ['tls', 'starttls', 'plain'] as const
export const MOST_SYNC_MINUTES = 10_080

const SETTINGS = {
  name: s.NAME,
  connection_id: s.textUpTo(200),
  /** `imap://user@host:port/folder`, without a password. */
  address: s.textUpTo(2_000),
  security: s.choice(SECURITIES),
  deletes: s.FLAG,
  every_minutes: { type: 'integer', minimum: 0, maximum: MOST_SYNC_MINUTES } as typeof s.COUNT,
}
const COUNTS = s.each(s.COUNT, 'seen', 'added', 'updated', 'unchanged', 'rejected', 'deleted')
const FAILURE = { code: s.textUpTo(100), message: s.textUpTo(2_000) }
const SYNC = s.named('Sync', {
  object: s.constant('sync'),
  sync_id: s.TEXT,
  created_at: s.TIME,
  ...SETTINGS,
  /** How many messages the synced folders contained when they were last read completely. */
  messages: s.COUNT,
  last_run: s.orNull(s.object({ ended_at: s.TIME, ...COUNTS })),
  last_error: s.orNull(s.object({ at: s.TIME, ...FAILURE })),
  failures: s.COUNT,
  next_run_at: s.orNull(s.TIME),
  running: s.FLAG,
})
const FOLDER = s.object({
  no: s.COUNT,
  path: s.textUpTo(2_000),
  uid_validity: s.textUpTo(40),
  uid_next: s.COUNT,
  messages: s.COUNT,
  modseq: s.orNull(s.textUpTo(40)),
})
const MESSAGE = s.object({
  folder_no: s.COUNT,
  uid: s.COUNT,
  /** Empty for a message that was rejected. */
  record_id: s.TEXT,
  labels: s.listOf(s.TEXT),
})
const SECRET = s.textUpTo(20_000)
const RUNNER = s.textUpTo(300)

export type Sync = Typed<typeof SYNC>
export type SyncFolder = Typed<typeof FOLDER>
export type SyncMessage = Typed<typeof MESSAGE>

export const listSyncs = ownerRoute('GET', SYNCS, {
  summary: 'The accounts that are kept in sync',
  reply: list(SYNC),
})

export const addSync = ownerRoute('POST', SYNCS, {
  summary: 'Adds an account to keep in sync',
  body: s.closed({ ...SETTINGS, secret: SECRET }),
  reply: SYNC,
})

export const removeSync = ownerRoute('DELETE', ONE, {
  summary: 'Stops keeping an account in sync; its records stay',
})

export const requestSyncRun = ownerRoute('POST', `${ONE}/due`, {
  summary: 'Has a running server sync an account as soon as it can',
  reply: SYNC,
})

export const beginSyncRun = ownerRoute('POST', `${ONE}/run`, {
  summary: 'Begins a run, unless one is running',
  body: s.closed({ runner: RUNNER }, { replaces: RUNNER, due: s.FLAG }),
  reply: s.object({ object: s.constant('sync_run'), sync: SYNC, secret: s.TEXT, folders: s.listOf(FOLDER) }),
})

export const noteSyncRun = ownerRoute('PATCH', `${ONE}/run`, {
  summary: 'Records the progress of a run, or its end',
  body: s.closed(
    { runner: RUNNER },
    {
      folders: s.listOf(FOLDER),
      messages: s.listOf(MESSAGE),
      /** Sealed again after the provider issued a new one. */
      secret: SECRET,
      gone: s.listOf(s.closed({ folder_no: s.COUNT, uids: s.listOf(s.COUNT) })),
      ended: s.closed({ counts: s.closed(COUNTS), error: s.orNull(s.closed(FAILURE)) }),
    },
  ),
  reply: SYNC,
})

export const readSyncMessages = ownerRoute('GET', `${ONE}/messages`, {
  summary: 'The messages that a sync knows, in the order of folder and number',
  parameters: { folder: p.integer(), after: p.integer() },
  reply: s.object({ object: s.constant('sync_messages'), messages: s.listOf(MESSAGE), has_more: s.FLAG }),
})
