import type * as api from '../../api/owner/syncs.ts'
import type { Sync, SyncFolder, SyncMessage } from '../../api/owner/syncs.ts'
import type { BodyOf } from '../../api/route.ts'
import { CodedError, invalidRequest, noConnection } from '../../model/errors.ts'
import { CLOCKS_DIFFER_MS, later } from '../engine/clocks.ts'
import type { Database, Queryable, Transaction } from '../engine/database.ts'
import { randomId } from '../engine/identifiers.ts'
import { lockedTransaction } from '../engine/owner-row.ts'
import { deleteRows, findRow, listRows } from '../engine/rows.ts'
import { columnsOf, type Row } from '../engine/table.ts'
import { CONNECTIONS, SYNC_MESSAGES, SYNCS } from './tables.ts'

/** A run that has not reported for this long is considered dead. */
const LEASE_MS = 60_000
const MOST_SYNCS = 100

type Settings = Pick<Sync, 'address' | 'security' | 'deletes' | 'every_minutes'>
type State = Pick<Sync, 'last_run' | 'last_error' | 'failures'> & { folders: SyncFolder[] }
type SyncRow = Row<typeof SYNCS>

interface Named {
  owner_id: string
  sync_id: string
  now: string
}

export function addSync(
  database: Database,
  args: { owner_id: string; request: BodyOf<typeof api.addSync>; now: string },
): Promise<Sync> {
  const { owner_id, request, now } = args
  const { name, connection_id, secret, ...settings } = request
  return lockedTransaction(database, owner_id, async transaction => {
    const known = await listRows(transaction, SYNCS, ['name'], { owner_id })
    if (known.length >= MOST_SYNCS) throw invalidRequest(`There are ${MOST_SYNCS} syncs already. Remove one.`)
    if (known.some(each => each.name === name))
      throw invalidRequest(`A sync named ${name} already exists.`, 'name')
    const place = { owner_id, connection_id }
    if (!(await findRow(transaction, CONNECTIONS, ['connection_id'], place)))
      throw noConnection(connection_id)
    const state: State = { last_run: null, last_error: null, failures: 0, folders: [] }
    const row: SyncRow = {
      ...place,
      sync_id: randomId('syn_', 8),
      name,
      created_at: now,
      secret,
      settings: JSON.stringify(settings satisfies Settings),
      state: JSON.stringify(state),
      next_run_at: settings.every_minutes === 0 ? null : now,
      runner: null,
      runner_until: null,
    }
    await transaction.insert(SYNCS, [row])
    return shown(row, now)
  })
}

export async function listSyncs(
  database: Queryable,
  { owner_id, now }: Omit<Named, 'sync_id'>,
): Promise<Sync[]> {
  const rows = await listRows(database, SYNCS, columnsOf(SYNCS), { owner_id }, ['created_at', 'sync_id'])
  return rows.map(row => shown(row, now))
}

export function removeSync(database: Database, { owner_id, sync_id }: Omit<Named, 'now'>): Promise<void> {
  return lockedTransaction(database, owner_id, async transaction => {
    await deleteRows(transaction, SYNC_MESSAGES, { owner_id, sync_id })
    if ((await deleteRows(transaction, SYNCS, { owner_id, sync_id })) === 0) throw notFound(sync_id)
  })
}

/** Makes a sync due. One that is running is left alone. */
export function requestSyncRun(database: Database, named: Named): Promise<Sync> {
  const { owner_id, now } = named
  return lockedTransaction(database, owner_id, async transaction => {
    const row = await rowOf(transaction, named)
    if (isRunning(row, now)) return shown(row, now)
    const due = { ...row, next_run_at: now }
    await transaction.upsert(SYNCS, [due])
    return shown(due, now)
  })
}

/**
 * Allows one run at a time; `replaces` names a runner that is known to be dead. With `due`, a sync that another server
 * ran in the meantime is not run again.
 */
export function beginSyncRun(
  database: Database,
  { runner, replaces, due, ...named }: Named & { runner: string; replaces?: string; due?: boolean },
): Promise<{ sync: Sync; secret: string; folders: SyncFolder[] }> {
  const { owner_id, now } = named
  return lockedTransaction(database, owner_id, async transaction => {
    const row = await rowOf(transaction, named)
    if (isRunning(row, now) && row.runner !== replaces)
      throw new CodedError('sync_running', `${row.name} is being synced already.`, { runner: row.runner })
    const next = nextRun(row, now)
    if (due && (next === null || next > now))
      throw new CodedError('sync_running', `Another server has just synced ${row.name}.`, { runner: '' })
    const taken = { ...row, runner, runner_until: leaseFrom(now) }
    await transaction.upsert(SYNCS, [taken])
    const { folders } = JSON.parse(row.state) as State
    return { sync: shown(taken, now), secret: row.secret, folders }
  })
}

/** Stores the progress of a run, if the run still holds the lease. Folders are reported completely each time. */
export function noteSyncRun(
  database: Database,
  { note, ...named }: Named & { note: BodyOf<typeof api.noteSyncRun> },
): Promise<Sync> {
  const { owner_id, sync_id, now } = named
  const place = { owner_id, sync_id }
  return lockedTransaction(database, owner_id, async transaction => {
    const row = await rowOf(transaction, named)
    if (row.runner !== note.runner)
      throw new CodedError('sync_running', `Another run of ${row.name} took over.`, { runner: row.runner })
    const state = JSON.parse(row.state) as State
    for (const { folder_no, uids } of note.gone ?? [])
      await transaction.run(
        `DELETE FROM sync_messages WHERE owner_id = ? AND sync_id = ? AND folder_no = ?
           AND ${transaction.oneOf('uid', 'bigint')}`,
        [owner_id, sync_id, folder_no, transaction.list(uids)],
      )
    if (note.folders) {
      await forgetFolders(transaction, named, note.folders, state.folders)
      state.folders = note.folders
    }
    await transaction.upsert(
      SYNC_MESSAGES,
      (note.messages ?? []).map(message => ({
        ...place,
        ...message,
        labels: JSON.stringify(message.labels),
      })),
    )
    const changed: SyncRow = { ...row, runner_until: leaseFrom(now), secret: note.secret ?? row.secret }
    if (note.ended) {
      const { counts, error } = note.ended
      state.last_run = { ended_at: now, ...counts }
      state.last_error = error && { at: now, ...error }
      state.failures = error ? state.failures + 1 : 0
      const { every_minutes } = JSON.parse(row.settings) as Settings
      changed.next_run_at = nextSyncRun(now, every_minutes, state.failures)
      changed.runner = null
      changed.runner_until = null
    }
    changed.state = JSON.stringify(state)
    await transaction.upsert(SYNCS, [changed])
    return shown(changed, now)
  })
}

/** Up to `limit` messages after a position. */
export async function listSyncMessages(
  database: Queryable,
  query: Omit<Named, 'now'> & { folder_no: number; after: number; limit: number },
): Promise<SyncMessage[]> {
  await rowOf(database, query)
  const { owner_id, sync_id, folder_no, after, limit } = query
  const rows = await database.all<Row<typeof SYNC_MESSAGES>>(
    `SELECT folder_no, uid, record_id, labels FROM sync_messages WHERE owner_id = ? AND sync_id = ?
       AND (folder_no > ? OR (folder_no = ? AND uid > ?)) ORDER BY folder_no, uid LIMIT ?`,
    [owner_id, sync_id, folder_no, folder_no, after, limit],
  )
  return rows.map(row => ({ ...row, labels: JSON.parse(row.labels) as string[] }))
}

async function forgetFolders(
  transaction: Transaction,
  { owner_id, sync_id }: Named,
  kept: readonly SyncFolder[],
  before: readonly SyncFolder[],
): Promise<void> {
  for (const { no } of before)
    if (!kept.some(folder => folder.no === no))
      await deleteRows(transaction, SYNC_MESSAGES, { owner_id, sync_id, folder_no: no })
}

async function rowOf(database: Queryable, { owner_id, sync_id }: Omit<Named, 'now'>): Promise<SyncRow> {
  const row = await findRow(database, SYNCS, columnsOf(SYNCS), { owner_id, sync_id })
  if (!row) throw notFound(sync_id)
  return row
}

function shown(row: SyncRow, now: string): Sync {
  const { sync_id, created_at, name, connection_id } = row
  const { folders, ...state } = JSON.parse(row.state) as State
  const messages = folders.reduce((sum, folder) => sum + folder.messages, 0)
  const settings = JSON.parse(row.settings) as Settings
  const rest = { messages, ...state, next_run_at: nextRun(row, now), running: isRunning(row, now) }
  return { object: 'sync', sync_id, created_at, name, connection_id, ...settings, ...rest }
}

/** A lease that ends much later than one that begins now was given by a clock that was wrong. */
function isRunning({ runner_until }: SyncRow, now: string): boolean {
  return (
    runner_until !== null && runner_until > now && runner_until <= leaseFrom(later(now, CLOCKS_DIFFER_MS))
  )
}

/** When the sync is due: now, if its next run was set by a clock that was wrong. */
function nextRun({ next_run_at, settings, state }: SyncRow, now: string): string | null {
  const { every_minutes } = JSON.parse(settings) as Settings
  const { failures } = JSON.parse(state) as State
  const latest = nextSyncRun(later(now, CLOCKS_DIFFER_MS), every_minutes, failures)
  return next_run_at !== null && latest !== null && next_run_at > latest ? now : next_run_at
}

function leaseFrom(now: string): string {
  return later(now, LEASE_MS)
}

function notFound(sync_id: string): CodedError {
  return new CodedError('sync_not_found', `There is no sync ${sync_id}.`)
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const MOST_DOUBLINGS = 10

/**
 * When a sync runs next; null if it only runs on request. Each failure in a row doubles the wait, up to a day, so that
 * a wrong password is not tried until the account is locked.
 */
export function nextSyncRun(ended_at: string, every_minutes: number, failures: number): string | null {
  if (every_minutes === 0) return null
  const usual = every_minutes * MINUTE_MS
  const wait = Math.max(usual, Math.min(DAY_MS, usual * 2 ** Math.min(failures, MOST_DOUBLINGS)))
  return later(ended_at, wait)
}
