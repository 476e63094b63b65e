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
  invalid_export: 'export again: footnote export --output FILE',
  import_not_found: 'footnote imports list',
  sync_not_found: 'footnote sync list',
  source_not_found: 'check the path',
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

/** A flag that contradicts the id given with it is a usage error. */
export function exitCodeOf({ code }: CodedError): number {
  return code === 'conflicting_connection_id' ? EXIT_USAGE : EXIT_FAILURE
}
