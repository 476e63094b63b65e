import { type CodedError, serviceUnavailable } from '../../model/errors.ts'

const RETRY_AFTER_S = 5

/** SQLite's result codes: see https://sqlite.org/rescode.html. */
const SQLITE: Record<number, string> = {
  5: 'Another program has locked the database file.',
  6: 'Another program has locked the database file.',
  8: 'The database file cannot be written.',
  10: 'The database file cannot be read or written.',
  13: 'The disk is full. Free some space.',
  14: 'The database file cannot be opened.',
}

/** Prefixes of PostgreSQL's error codes, and the network error codes. */
const POSTGRES: readonly [RegExp, string][] = [
  [/^(?:08|57P|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)/, 'The database cannot be reached.'],
  [/^53100$/, 'The disk of the database is full. Free some space.'],
  [/^53/, 'The database has no room for more work.'],
  [/^55P03$/, 'Another program has locked the database.'],
  [/^25006$/, 'The database is read-only.'],
]
/** Errors that have no code. */
const LOST =
  /^Connection terminated|^timeout ex(?:ceeded when trying to connect|pired$)|^Client has encountered a connection error/

/** The error for callers if the database is currently unavailable; any other error unchanged. */
export function explained(error: unknown): unknown {
  const what = reasonOf(error)
  return what === undefined ? error : databaseUnavailable(what, error)
}

/** `what` is a complete sentence. */
export function databaseUnavailable(what: string, cause?: unknown): CodedError {
  return serviceUnavailable(what, RETRY_AFTER_S, cause)
}

function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  if (code === 'ERR_SQLITE_ERROR') return SQLITE[Number(errcode) & 0xff]
  if (typeof code === 'string') return POSTGRES.find(([pattern]) => pattern.test(code))?.[1]
  return LOST.test(error.message) ? 'The database cannot be reached.' : undefined
}
