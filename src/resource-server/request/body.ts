import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { Schema } from '../../api/schema.ts'
import { counted } from '../../model/amounts.ts'
import { withFormats } from '../../model/declaration/schema.ts'
import { CodedError, invalidRequest } from '../../model/errors.ts'
import {
  cleanText,
  isObject,
  isTooDeep,
  type Json,
  type JsonObject,
  mayNeedCleaning,
  parseJson,
} from '../../model/json.ts'

const MAX_JSON_BYTES = 1024 * 1024

/** The bytes of a body as they arrive. */
export async function* bytesOf(request: Request): AsyncGenerator<Uint8Array> {
  try {
    if (request.body) yield* request.body as unknown as AsyncIterable<Uint8Array>
  } catch {
    throw invalidRequest('The body ended early. Send it again.')
  }
}

/** The bytes of a body that may be gzipped. */
export async function* plainBytesOf(request: Request): AsyncGenerator<Uint8Array> {
  const encoding = request.headers.get('Content-Encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity') return yield* bytesOf(request)
  if (encoding !== 'gzip')
    throw new CodedError('unsupported_media_type', 'Content-Encoding must be gzip or absent.')
  const gunzip = createGunzip()
  // An error at either end reaches the reader of gunzip.
  pipeline(Readable.from(bytesOf(request)), gunzip, () => {})
  try {
    yield* gunzip as AsyncIterable<Uint8Array>
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error
    throw invalidRequest(
      'The gzipped body is broken. Send it again; lines that were already stored will count as unchanged.',
    )
  }
}

export function assertMediaType(request: Request, expected: string): void {
  const type = request.headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (type === expected) return
  throw new CodedError('unsupported_media_type', `Content-Type must be ${expected}.`)
}

/** A JSON object of at most 1 MiB that matches the schema. */
export async function readJson<T>(request: Request, schema: Schema<T>): Promise<T> {
  assertMediaType(request, 'application/json')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytesOf(request)) {
    size += chunk.length
    if (size > MAX_JSON_BYTES) throw new CodedError('body_too_large', 'The body is larger than 1 MiB.')
    chunks.push(chunk)
  }
  const body = parse(decode(Buffer.concat(chunks)))
  const fits = validators.get(schema) ?? ajv.compile(schema)
  validators.set(schema, fits)
  if (!fits(body)) throw refusal(schema, fits.errors?.[0])
  return body as T
}

// Without ownProperties a member named `constructor` would be found in every object.
const ajv = withFormats(new Ajv({ strict: false, ownProperties: true, logger: false }))
const validators = new WeakMap<object, ValidateFunction>()

function refusal(schema: Schema<unknown>, error: ErrorObject | undefined): CodedError {
  const { instancePath = '', keyword, params = {}, message } = error ?? {}
  const path = instancePath.slice(1).split('/').filter(Boolean)
  if (keyword === 'additionalProperties' && path.length === 0) {
    const known = Object.keys(schema.properties as object).join(', ')
    const name = String(params.additionalProperty)
    return invalidRequest(`Unknown member ${name}. Known: ${known}.`, name)
  }
  if (keyword === 'required') path.push(String(params.missingProperty))
  const problem =
    keyword === 'required' ? 'is missing' : (lengthText(keyword, Number(params.limit)) ?? message)
  const choices = Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(', ')}` : ''
  return invalidRequest(`${path.join('.')} ${problem}${choices}.`, path[0] ?? '')
}

/** A wrong length in plain words; the names that the owner gives are the texts that people send. */
function lengthText(keyword: string | undefined, limit: number): string | null {
  if (keyword === 'minLength') return `must have at least ${counted(limit, 'character')}`
  return keyword === 'maxLength' ? `must have at most ${counted(limit, 'character')}` : null
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidRequest('The body is not UTF-8.')
  }
}

function parse(text: string): JsonObject {
  let body: Json
  try {
    body = parseJson(text)
  } catch (error) {
    throw invalidRequest(`The body is not JSON: ${(error as Error).message.slice(0, 200)}`)
  }
  if (!isObject(body)) throw invalidRequest('The body must be a JSON object.')
  if (isTooDeep(body)) throw invalidRequest('The body is nested too deeply.')
  if (mayNeedCleaning(text) && cleanText(body).replaced > 0) {
    throw invalidRequest('The body contains U+0000 or a lone surrogate, which cannot be stored.')
  }
  return body
}
