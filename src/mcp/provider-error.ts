import type { CodedError } from '../model/errors.ts'
import { isObject, type Json, type JsonObject } from '../model/json.ts'

/** A refusal of the resource server, kept as it came: its own code, status and request id (ER-1, ER-2). */
export class ProviderError extends Error {
  readonly code: string
  readonly status: number
  readonly details: JsonObject

  constructor(status: number, body: Json) {
    const envelope = isObject(body) && isObject(body.error) ? body.error : {}
    const { code, message, type: _, ...details } = envelope
    super(typeof message === 'string' ? message : `The resource server answered ${status}.`)
    this.name = 'ProviderError'
    this.code = typeof code === 'string' ? code : 'provider_error'
    this.status = status
    this.details = details
  }
}

/** What a client is told of a refusal, whichever side it came from. */
export function describeError({ code, message, status, details }: ProviderError | CodedError): JsonObject {
  return { code, message, status, ...(details as JsonObject) }
}
