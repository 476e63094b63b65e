/** The only list of error codes, each with its HTTP status. */
export const ERRORS = {
  invalid_request: 400,
  unsupported_version: 400,
  unknown_field: 400,
  invalid_cursor: 400,
  invalid_field_path: 400,
  invalid_window: 400,
  invalid_result_id: 400,
  conflicting_connection_id: 400,
  invalid_declaration: 400,
  invalid_authorization_details: 400,
  invalid_export: 400,
  authentication_error: 401,
  'authorization_state.unsupported_legacy_shape': 401,
  wrong_passphrase: 401,
  passkey_refused: 401,
  owner_token_required: 403,
  client_token_required: 403,
  forged_form: 403,
  grant_stream_not_allowed: 403,
  field_not_granted: 403,
  grant_revoked: 403,
  grant_expired: 403,
  grant_invalid: 403,
  grant_consumed: 403,
  not_found: 404,
  connection_not_found: 404,
  source_not_declared: 404,
  grant_not_found: 404,
  client_not_found: 404,
  token_not_found: 404,
  field_not_found: 404,
  no_conversation: 404,
  query_not_found: 404,
  blob_not_found: 404,
  import_not_found: 404,
  source_not_found: 404,
  sync_not_found: 404,
  method_not_allowed: 405,
  ambiguous_connection: 409,
  stale_cursor: 409,
  declaration_version_exists: 409,
  declaration_incompatible: 409,
  consent_decided: 409,
  consent_changed: 409,
  client_must_ask: 409,
  store_not_empty: 409,
  ledger_not_intact: 409,
  sync_running: 409,
  cursor_expired: 410,
  link_used: 410,
  request_expired: 410,
  body_too_large: 413,
  blob_too_large: 413,
  line_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  field_not_text: 422,
  budget_exceeded: 422,
  format_not_recognised: 422,
  source_unreadable: 422,
  source_unsafe: 422,
  archive_encrypted: 422,
  archive_broken: 422,
  mail_sign_in_refused: 422,
  sync_secret_unreadable: 422,
  rate_limit_exceeded: 429,
  api_error: 500,
  provider_unavailable: 502,
  provider_answer_too_large: 502,
  mail_server_unreachable: 502,
  mail_server_untrusted: 502,
  mail_server_failed: 502,
  service_unavailable: 503,
  ledger_unavailable: 503,
  provider_timeout: 504,
} as const

export type ErrorCode = keyof typeof ERRORS

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  409: 'conflict_error',
  410: 'gone_error',
  413: 'too_large_error',
  415: 'invalid_request_error',
  416: 'invalid_request_error',
  422: 'unprocessable_error',
  429: 'rate_limit_error',
  500: 'api_error',
}

/** Facts about an error besides its code and message. Each is safe to show to the caller. */
export type ErrorDetails = Record<string, unknown>

export class CodedError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'CodedError'
    this.code = code
    this.details = details
  }

  get status() {
    return ERRORS[this.code]
  }

  get type(): string {
    return TYPES[this.status] ?? 'api_error'
  }
}

/** What a caller is told about an unexpected failure. The details are in the log. */
export function internalError(details: ErrorDetails = {}): CodedError {
  const message = 'Something went wrong on the server. Find the details in the log by the request id.'
  return new CodedError('api_error', message, details)
}

/** A value that cannot be served as requested; `param` names it. */
export function invalidRequest(
  message: string,
  param?: string,
  code: ErrorCode = 'invalid_request',
): CodedError {
  return new CodedError(code, message, param === undefined ? {} : { param })
}

export function noConnection(connection_id: string): CodedError {
  return new CodedError('connection_not_found', `There is no connection ${connection_id}.`)
}

/** A part of the server that is temporarily unavailable; `what` is a complete sentence. */
export function serviceUnavailable(what: string, retry_after: number, cause?: unknown): CodedError {
  const seconds = retry_after === 1 ? '1 second' : `${retry_after} seconds`
  const message = `${what} Repeat the request in ${seconds}.`
  return new CodedError('service_unavailable', message, { retry_after }, cause)
}
