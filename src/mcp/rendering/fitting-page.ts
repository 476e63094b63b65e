import { CodedError } from '../../model/errors.ts'
import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { bytesOf } from '../text/quote.ts'
import type { ToolAnswer } from '../tool.ts'

/** The limit for the structured content of a default call (BU-3). */
export const MOST_STRUCTURED_BYTES = 28_000

const TOO_WIDE = 'A single row is too large to be listed. Name the fields you need, or fetch the record.'

export interface Page<Answer> {
  answer: Answer
  rows: number
  /** The bytes of the structured content, if known. */
  bytes?: number
}

/**
 * A page that is small enough for hosts: one that is too large is requested again with fewer rows, so that its cursor
 * continues after its last row. Each request asks for fewer rows, whatever the server returns.
 */
export async function fittingPage<Answer extends Pick<ToolAnswer, 'structured'>>(
  limit: number,
  mostBytes: number,
  ask: (limit: number) => Promise<Page<Answer>>,
): Promise<Answer> {
  for (let most = limit; ; ) {
    const page = await ask(most).catch((error: unknown) => {
      const tooLarge = error instanceof CodedError && error.code === 'provider_answer_too_large'
      if (tooLarge && most > 1) return null
      throw error
    })
    const bytes = page ? (page.bytes ?? writtenBytes(page.answer.structured)) : 0
    if (page && bytes <= mostBytes) return page.answer
    if (page && (page.rows <= 1 || most <= 1)) throw new CodedError('provider_answer_too_large', TOO_WIDE)
    const fitting = page ? Math.floor((page.rows * mostBytes) / bytes) : Math.floor(most / 3)
    most = Math.max(1, Math.min(most - 1, fitting))
  }
}

const texts = new WeakMap<object, string>()

/** The JSON of a value that no longer changes: it is serialised once, however often it is measured and sent. */
export function written(value: object): string {
  const known = texts.get(value)
  if (known !== undefined) return known
  const made = JSON.stringify(value)
  texts.set(value, made)
  return made
}

export function writtenBytes(value: object): number {
  return bytesOf(written(value))
}

/** Whether the JSON of a value has more bytes than this. A value that is far too large is not serialised. */
export function exceeds(value: JsonObject, mostBytes: number): boolean {
  return leastBytes(value) > mostBytes || writtenBytes(value) > mostBytes
}

/** No JSON of a value has fewer bytes. It has more if characters are escaped or beyond ASCII. */
function leastBytes(value: Json): number {
  if (typeof value === 'string') return value.length + 2
  let bytes = 1
  if (Array.isArray(value)) for (const item of value) bytes += leastBytes(item) + 1
  else if (isObject(value))
    for (const name in value) bytes += name.length + leastBytes(value[name] ?? null) + 4
  return bytes
}

/** Lists of rows with the JSON of each row. */
export type WrittenLists = ReadonlyMap<Json, readonly string[]>

/** Structured content has its lists in itself and in its members. */
const LEVELS_OF_LISTS = 2

/** Structured content whose rows were serialised when they were measured, so that this is not done again. */
export function withWrittenLists(structured: JsonObject, lists: WrittenLists): JsonObject {
  texts.set(structured, composed(structured, lists, LEVELS_OF_LISTS))
  return structured
}

function composed(value: Json, lists: WrittenLists, levels: number): string {
  const rows = lists.get(value)
  if (rows) return `[${rows.join(',')}]`
  if (levels === 0 || !isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${composed(member, lists, levels - 1)}`,
  )
  return `{${members.join(',')}}`
}
