import { isAbsolute } from 'node:path'
import type * as contract from '../../api/owner/imports.ts'
import type { BodyOf } from '../../api/route.ts'
import { CodedError, invalidRequest, noConnection } from '../../model/errors.ts'
import { countCodePoints } from '../../model/text/code-points.ts'
import { conditionsOf } from '../engine/composed-sql.ts'
import type { Database, Queryable, Transaction } from '../engine/database.ts'
import { timeOrderedId } from '../engine/identifiers.ts'
import { lockedTransaction } from '../engine/owner-row.ts'
import { changeRows, findRow } from '../engine/rows.ts'
import { columnsOf, type Row } from '../engine/table.ts'
import { insertConnection } from './catalog.ts'
import { CONNECTIONS, IMPORT_REJECTIONS, IMPORTS } from './tables.ts'

/** One run of an import. `source` is the full path of the files. */
export type ImportRow = Omit<Row<typeof IMPORTS>, 'state' | (typeof LEFT_OUT)[number]> & {
  state: contract.ImportState
}
const LEFT_OUT = ['owner_id', 'fingerprint', 'stamp', 'account', 'checkpoint'] as const
const COLUMNS = columnsOf(IMPORTS, LEFT_OUT)

export type ImportRejection = Omit<Row<typeof IMPORT_REJECTIONS>, 'owner_id' | 'import_id'>

/**
 * What is imported, and how its connection is identified. The fingerprint is the same for the same content, wherever it
 * is stored; the stamp changes whenever the files are written again. The connection and the name are what the owner chose.
 */
type ImportRequest = Required<BodyOf<typeof contract.beginImport>>

/**
 * Begins an import, or resumes an interrupted one of exactly the same files. The connection is the one named,
 * or the one that this account, place or content went to before, or a new one. Files without a place also go to a
 * connection with their default name.
 */
export async function beginImport(
  database: Database,
  args: { owner_id: string; request: ImportRequest; now: string },
): Promise<{ run: ImportRow; checkpoint: string | null; resumed: boolean }> {
  const { owner_id, request, now } = args
  return lockedTransaction(database, owner_id, async transaction => {
    const connection_id = await ensureConnection(transaction, owner_id, request, now)
    const last = await transaction.get<ImportRow & { checkpoint: string | null }>(
      `SELECT ${COLUMNS.join(', ')}, checkpoint FROM imports
       WHERE owner_id = ? AND connection_id = ? AND format = ? AND source = ? AND fingerprint = ? AND stamp = ?
       ORDER BY import_id DESC LIMIT 1`,
      [owner_id, connection_id, request.format, request.source, request.fingerprint, request.stamp],
    )
    if (last && last.state !== 'finished' && last.checkpoint !== null) {
      const { checkpoint, ...run } = last
      const resumed = { state: 'running', changed_at: now } as const
      await changeRows(transaction, IMPORTS, resumed, { owner_id, import_id: run.import_id })
      return { run: { ...run, ...resumed }, checkpoint, resumed: true }
    }
    const { source_id, format, source, fingerprint, stamp, account } = request
    const run: ImportRow = {
      import_id: `imp_${timeOrderedId(new Date(now))}`,
      connection_id,
      source_id,
      format,
      source,
      state: 'running',
      started_at: now,
      changed_at: now,
      seen: 0,
      added: 0,
      updated: 0,
      unchanged: 0,
      rejected: 0,
    }
    await transaction.insert(IMPORTS, [{ ...run, owner_id, fingerprint, stamp, account }])
    return { run, checkpoint: null, resumed: false }
  })
}

async function ensureConnection(
  transaction: Transaction,
  owner_id: string,
  request: ImportRequest,
  now: string,
): Promise<string> {
  const known = await findConnection(transaction, owner_id, request)
  if (known !== null) return known
  const { source_id, name, default_name } = request
  const display_name = name ?? default_name
  return (await insertConnection(transaction, { owner_id, source_id, display_name, now })).connection_id
}

/** The connection that these files belong to; null if they are new. A name that was given must match. */
async function findConnection(
  transaction: Transaction,
  owner_id: string,
  request: ImportRequest,
): Promise<string | null> {
  const { source_id, connection_id, name } = request
  if (connection_id !== null) {
    const row = await findRow(transaction, CONNECTIONS, ['source_id'], { owner_id, connection_id })
    if (!row) throw noConnection(connection_id)
    if (row.source_id === source_id) return connection_id
    const message = `Connection ${connection_id} contains records of ${row.source_id}, not of ${source_id}.`
    throw invalidRequest(message, 'connection_id')
  }
  const named = async (display_name: string) => {
    const row = await transaction.get<{ connection_id: string }>(
      `SELECT connection_id FROM connections WHERE owner_id = ? AND source_id = ? AND display_name = ?
       ORDER BY created_at, connection_id LIMIT 1`,
      [owner_id, source_id, display_name],
    )
    return row?.connection_id ?? null
  }
  if (name !== null) return named(name)
  // An upload has only the name of a file, and different exports have the same one.
  const isPlace = isAbsolute(request.source)
  for (const [column, value] of [
    ['account', request.account],
    ['source', isPlace ? request.source : null],
    ['fingerprint', request.fingerprint],
  ] as const) {
    if (value === null) continue
    const row = await transaction.get<{ connection_id: string }>(
      `SELECT connection_id FROM imports WHERE owner_id = ? AND source_id = ? AND ${column} = ?
       ORDER BY import_id DESC LIMIT 1`,
      [owner_id, source_id, value],
    )
    if (row) return row.connection_id
  }
  return isPlace ? null : named(request.default_name)
}

/** The progress of a run. Figures are totals; rejections are numbered, so that reporting one twice has no effect. */
type ImportNote = Omit<BodyOf<typeof contract.noteImport>, 'checkpoint'> & { checkpoint?: string }

export async function noteImport(
  database: Database,
  args: { owner_id: string; import_id: string; note: ImportNote; now: string },
): Promise<ImportRow> {
  const { owner_id, import_id, note, now } = args
  return lockedTransaction(database, owner_id, async transaction => {
    const { rejections = [], counts, ...changes } = note
    await changeRows(
      transaction,
      IMPORTS,
      { changed_at: now, ...changes, ...counts },
      { owner_id, import_id },
    )
    const rows = rejections.map(rejection => ({ ...rejection, owner_id, import_id }))
    await transaction.upsert(IMPORT_REJECTIONS, rows)
    return readImport(transaction, args)
  })
}

export async function readImport(
  database: Queryable,
  { owner_id, import_id }: { owner_id: string; import_id: string },
): Promise<ImportRow> {
  const row = await findRow(database, IMPORTS, COLUMNS, { owner_id, import_id })
  if (!row) throw new CodedError('import_not_found', `There is no import ${import_id}.`)
  return row as ImportRow
}

/** Runs that follow the one named by `after`, newest first. */
export async function listImports(
  database: Queryable,
  query: { owner_id: string; connection_id: string | null; after: string | null; limit: number },
): Promise<ImportRow[]> {
  const { sql, params } = conditionsOf([
    ['owner_id = ?', query.owner_id],
    ['connection_id = ?', query.connection_id],
    ['import_id < ?', query.after],
  ])
  return database.all<ImportRow>(
    `SELECT ${COLUMNS.join(', ')} FROM imports WHERE ${sql} ORDER BY import_id DESC LIMIT ?`,
    [...params, query.limit],
  )
}

/** The newest run over a folder or something inside it. */
export async function newestImportOf(
  database: Queryable,
  owner_id: string,
  folder: string,
): Promise<Pick<ImportRow, (typeof NEWEST)[number]> | undefined> {
  const inside = /[\\/]$/.test(folder) ? folder : `${folder}${folder.includes('\\') ? '\\' : '/'}`
  return database.get(
    `SELECT ${NEWEST.join(', ')} FROM imports
     WHERE owner_id = ? AND (source = ? OR substr(source, 1, ?) = ?) ORDER BY import_id DESC LIMIT 1`,
    [owner_id, folder, countCodePoints(inside), inside],
  )
}

const NEWEST = ['import_id', 'connection_id', 'changed_at', 'added', 'updated', 'rejected'] as const

/**
 * A run's rejections in order, starting with number `from`; those left behind by an interrupted run are not included.
 */
export async function listRejections(
  database: Queryable,
  query: { owner_id: string; import_id: string; from: number; limit: number },
): Promise<ImportRejection[]> {
  const { owner_id, import_id, from, limit } = query
  const { rejected } = await readImport(database, query)
  return database.all<ImportRejection>(
    `SELECT no, place, code, message FROM import_rejections
     WHERE owner_id = ? AND import_id = ? AND no >= ? AND no < ? ORDER BY no LIMIT ?`,
    [owner_id, import_id, from, rejected, limit],
  )
}

/** When the last import of these connections ended, and when the last one started. */
export async function lastRuns(
  database: Queryable,
  owner_id: string,
  connection_ids: readonly string[],
): Promise<{ captured_at: string | null; last_attempted_at: string | null }> {
  const row = await database.get<{ captured_at: string | null; last_attempted_at: string | null }>(
    `SELECT max(CASE WHEN state = 'finished' THEN changed_at END) AS captured_at, max(started_at) AS last_attempted_at
     FROM imports WHERE owner_id = ? AND ${database.oneOf('connection_id', 'text')}`,
    [owner_id, database.list(connection_ids)],
  )
  return row ?? { captured_at: null, last_attempted_at: null }
}
