import { CodedError } from '../../model/errors.ts'
import { isObject, isTooDeep, type Json, type JsonObject, parseJson } from '../../model/json.ts'
import { MOST_ITEM_BYTES, type Problem, rejection, TOO_LARGE } from '../events.ts'
import { jsonItems } from '../json-items.ts'
import type { SourceFile } from '../source/source.ts'
import { startOf } from '../utf8.ts'
import type { FileItem } from './exported-files.ts'
import { linesOf } from './text-lines.ts'

const MOST_LEVELS = 100

/** An object, or the reason why it could not be read. */
type Parsed = { value: JsonObject; problem: null } | { value: null; problem: Problem }

/** An object of a JSON file. */
export type FoundObject = Parsed & {
  place: string
  /** The object as it is written; empty if it could not be read. */
  text: string
  /** Its number in the list, from 0. */
  index: number
  /** Members of the object around the list that come before the list and are small. */
  around: JsonObject
  end: number
}

/** The objects of a list in a JSON file: the list at the root, or the one at a path of keys. */
export async function* listedObjects(
  file: SourceFile,
  what: string,
  path: readonly (string | symbol)[] = [],
  parse = parsedObject,
): AsyncGenerator<FoundObject> {
  for await (const { index, text, problem, around, end } of jsonItems(file.open(), path)) {
    const parsed: Parsed = problem ? { value: null, problem } : parse(text ?? '')
    yield { ...parsed, place: `${file.path}, ${what} ${index + 1}`, text: text ?? '', index, around, end }
  }
}

/** The objects of a file with one on each line. Blank lines are passed over. */
export async function* writtenObjects(file: SourceFile, parse = parsedObject): AsyncGenerator<FoundObject> {
  for await (const { number, text, end } of linesOf(file.open())) {
    if (text?.trim() === '') continue
    const parsed: Parsed = text === null ? { value: null, problem: TOO_LARGE } : parse(text)
    yield {
      ...parsed,
      place: `${file.path}, line ${number}`,
      text: text ?? '',
      index: number - 1,
      around: {},
      end,
    }
  }
}

/** The single object that a file contains. */
export async function wholeObject(file: SourceFile, parse = parsedObject): Promise<FoundObject> {
  const found = { place: file.path, text: '', index: 0, around: {}, end: file.size }
  try {
    const { bytes, whole } = await startOf(file, MOST_ITEM_BYTES)
    return { ...(whole ? parse(bytes.toString('utf8')) : { value: null, problem: TOO_LARGE }), ...found }
  } catch (problem) {
    if (!(problem instanceof CodedError)) throw problem
    return { value: null, problem, ...found }
  }
}

/**
 * The same as items of a file. `eventsOf` is called for every object, so it may count them; what it returns is read
 * only if the item is not stored yet.
 */
export async function* objectItems(
  objects: AsyncIterable<FoundObject>,
  eventsOf: (value: JsonObject, found: FoundObject) => ReturnType<FileItem['events']>,
): AsyncGenerator<FileItem> {
  for await (const found of objects) {
    const events = found.value ? eventsOf(found.value, found) : [rejection(found.place, found.problem)]
    yield { events: () => events, end: found.end }
  }
}

export function parsedObject(text: string): Parsed {
  return parsed(text, value => (isObject(value) ? value : null))
}

/** An object as it is, and any other value as an object with a `value`. */
export function parsedRow(text: string): Parsed {
  return parsed(text, value => (isObject(value) ? value : { value }))
}

function parsed(text: string, objectOf: (value: Json) => JsonObject | null): Parsed {
  const reject = (code: string, message: string): Parsed => ({ value: null, problem: { code, message } })
  let value: Json
  try {
    value = parseJson(text)
  } catch (error) {
    return reject('not_json', `The item is not JSON: ${(error as Error).message}.`)
  }
  if (isTooDeep(value, MOST_LEVELS))
    return reject('too_deep', `The item is nested deeper than ${MOST_LEVELS} levels.`)
  const object = objectOf(value)
  return object ? { value: object, problem: null } : reject('not_an_object', 'The item is not an object.')
}
