import type { CodedError, ErrorCode } from '../../model/errors.ts'
import { isObject } from '../../model/json.ts'
import { EXIT_FAILURE, EXIT_USAGE } from './exit-errors.ts'

const ADVICE: Partial<Record<ErrorCode, string>> = {
  connection_not_found: 'footnote connections',
  grant_not_found: 'footnote grant list',
  client_not_found: 'footnote apps',
  token_not_found: 'footnote owner-token list',
  client_must_ask: 'footnote connect CLIENT says how to connect it',
  not_found: 'footnote search WORDS shows ids',
  field_not_found: 'footnote read ID shows the fields of a record',
  field_not_text: 'footnote read ID shows the fields of a record',
  query_not_found: 'footnote search WORDS --within ID shows every match in a record',
  invalid_result_id: 'pass the id as search shows it: CONNECTION/STREAM:RECORD',
  conflicting_connection_id: 'leave --connection out',
  store_not_empty: '--data-dir NEW_FOLDER, or an empty database',
  invalid_export: 'make the export again where the data is',
  import_not_found: 'footnote imports list',
  sync_not_found: 'footnote sync list',
  source_not_found: 'check the path',
  source_unreadable: 'check the file, and who may read it',
  invalid_cursor: 'leave --cursor out to start over',
  cursor_expired: 'leave --cursor out to start over',
  stale_cursor: 'leave --cursor out to start over',
}

/** What to do about a refusal, on the command line; `help` if nothing better is known. */
export function adviceOn(error: CodedError, help: string): string {
  const choices = error.details.available_connections
  if (error.code === 'ambiguous_connection' && Array.isArray(choices)) {
    const flag = error.details.by === 'name' ? '' : '--connection '
    const named = choices.filter(isObject).map(({ connection_id, display_name }) => {
      return `${flag}${connection_id} (${display_name})`
    })
    return named.join(' or ')
  }
  if (error.code === 'not_found' && error.details.param === 'stream') return 'footnote schema'
  return ADVICE[error.code] ?? help
}

/** Refusals of what was typed, as opposed to what it names or what happens with it. */
const MISTYPED: ReadonlySet<ErrorCode> = new Set([
  'invalid_request',
  'unknown_field',
  'invalid_cursor',
  'invalid_field_path',
  'invalid_window',
  'invalid_result_id',
  'conflicting_connection_id',
])

export function exitCodeOf({ code }: CodedError): number {
  return MISTYPED.has(code) ? EXIT_USAGE : EXIT_FAILURE
}

const ASK_OWNER = 'check who may read and write there'
/** What the operating system calls a failure, in words, and what to do about it. */
const FAILURES: Readonly<Record<string, [what: string, hint: string]>> = {
  ENOSPC: ['the disk is full', 'free some space, then repeat the command'],
  EDQUOT: ['no more space may be used there', 'free some space, then repeat the command'],
  EACCES: ['permission denied', ASK_OWNER],
  EPERM: ['permission denied', ASK_OWNER],
  EROFS: ['the file system is read-only', 'name another folder'],
  ENOENT: ['there is no such file or folder', 'check the path'],
  ENOTDIR: ['a part of the path is not a folder', 'check the path'],
  EISDIR: ['this is a folder', 'name a file'],
  ECONNREFUSED: ['the database does not respond', 'check --database-url'],
}
const SQLITE_FULL = 13
/** What a server says to its clients; a person repeats a command. */
const RETRY = / Repeat the request in \d+ seconds?\.$/
/** PostgreSQL's own words. */
const WRONG_ADDRESS = /^(?:(?:database|role) ".*" does not exist|password authentication failed)/

/** A failure of a file, the disk or the database, in words, with what to do; null for any other error. */
export function failureOf(error: NodeJS.ErrnoException & { errcode?: number }): [string, string] | null {
  if (RETRY.test(error.message))
    return [error.message.replace(RETRY, ''), 'footnote doctor, then repeat the command']
  if (WRONG_ADDRESS.test(error.message)) return [`${error.message}.`, 'check --database-url']
  const isFull = error.code === 'ERR_SQLITE_ERROR' && error.errcode === SQLITE_FULL
  const known = FAILURES[isFull ? 'ENOSPC' : (error.code ?? '')]
  if (!known) return null
  const [what, hint] = known
  const sentence = error.path ? `${error.path}: ${what}.` : `${what.charAt(0).toUpperCase()}${what.slice(1)}.`
  return [sentence, hint]
}
