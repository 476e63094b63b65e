import { CodedError, type ErrorCode } from '../model/errors.ts'
import { isObject } from '../model/json.ts'

/** The error in the body of a refused request. */
export function refusalIn(body: unknown): CodedError {
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  const { code = 'api_error', message = '', ...details } = error
  return new CodedError(code as ErrorCode, String(message), details)
}
