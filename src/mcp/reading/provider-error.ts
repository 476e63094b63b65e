import type { CodedError } from '../../model/errors.ts'
import { define, isObject, type Json, type JsonObject } from '../../model/json.ts'
import { bytesOf, head, mostThatFit } from '../text/quote.ts'

/** A refusal by the resource server, unchanged: its own code, status and request id (ER-1, ER-2). */
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

const MOST_BYTES = 4_000
const MOST_MESSAGE_CHARS = 600

/** What a client is told about a refusal, whichever side it came from, with as many details as fit. */
export function describeError({ code, message, status, details }: ProviderError | CodedError): JsonObject {
  const told: JsonObject = { code: head(code, 100), message: head(message, MOST_MESSAGE_CHARS), status }
  const smallFirst = Object.entries(details as JsonObject)
    .map(([name, detail]) => ({ name, detail, bytes: bytesOf(JSON.stringify(detail) ?? '') }))
    .sort((a, b) => a.bytes - b.bytes)
  for (const { name, detail } of smallFirst) {
    if (Object.hasOwn(told, name)) continue
    const fits = (value: Json) => bytesOf(JSON.stringify({ ...told, [name]: value })) <= MOST_BYTES
    if (fits(detail)) define(told, name, detail)
    else if (Array.isArray(detail)) {
      const most = mostThatFit(
        detail.length,
        n => JSON.stringify({ ...told, [name]: detail.slice(0, n) }),
        MOST_BYTES,
      )
      define(told, name, detail.slice(0, most))
    }
  }
  return told
}
