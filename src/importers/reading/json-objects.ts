import { CodedError } from '../../model/errors.ts'
import { isObject, isTooDeep, type Json, type JsonObject, parseJson } from '../../model/json.ts'
import type { RejectionEvent } from '../importer.ts'
import { jsonItems, problemOf } from '../json-items.ts'
import type { SourceFile } from '../source/source.ts'
import { startOf } from '../utf8.ts'
import { type FileItem, rejectedFile } from './exported-files.ts'
import { linesOf } from './text-lines.ts'

const MOST_LEVELS = 100
export const MOST_OBJECT_BYTES = 64 * 1024 * 1024

/** An object of a JSON file, or the reason why it could not be read. */
export interface FoundObject {
  value: JsonObject | null
  /** The reason, if there is no object; otherwise null. */
  rejection: RejectionEvent | null
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
): AsyncGenerator<FoundObject> {
  for await (const { index, text, problem, around, end } of jsonItems(file.open(), path)) {
    const place = `${file.path}, ${what} ${index + 1}`
    if (problem) {
      const rejection: RejectionEvent = { kind: 'rejection', place, ...problemOf(problem) }
      yield { value: null, rejection, place, text: '', index, around, end }
    } else yield { ...parsedObject(text ?? '', place), place, text: text ?? '', index, around, end }
  }
}

/** The objects of a file with one on each line. Blank lines are passed over. */
export async function* writtenObjects(file: SourceFile): AsyncGenerator<FoundObject> {
  for await (const { number, text, end } of linesOf(file.open())) {
    if (text?.trim() === '') continue
    const place = `${file.path}, line ${number}`
    const rejection: RejectionEvent = { kind: 'rejection', place, ...problemOf('too_large') }
    const found = text === null ? { value: null, rejection } : parsedObject(text, place)
    yield { ...found, place, text: text ?? '', index: number - 1, around: {}, end }
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
    const { value, rejection, end } = found
    const events = value ? eventsOf(value, found) : rejection ? [rejection] : []
    yield { events: () => events, end }
  }
}

/** The single object that a file contains. */
export async function wholeObject(file: SourceFile): Promise<FoundObject> {
  const found = { place: file.path, text: '', index: 0, around: {}, end: file.size }
  const start = await startOf(file, MOST_OBJECT_BYTES).catch(error => {
    if (error instanceof CodedError) return error
    throw error
  })
  if (start instanceof CodedError) return { value: null, rejection: rejectedFile(file, start), ...found }
  const { bytes, whole } = start
  if (whole) return { ...parsedObject(bytes.toString('utf8'), file.path), ...found }
  const rejection: RejectionEvent = { kind: 'rejection', place: file.path, ...problemOf('too_large') }
  return { value: null, rejection, ...found }
}

export function parsedObject(text: string, place: string): Pick<FoundObject, 'value' | 'rejection'> {
  const { value, problem } = parsedItem(text)
  if (isObject(value)) return { value, rejection: null }
  const reason = problem ?? { code: 'not_an_object', message: 'The item is not an object.' }
  return { value: null, rejection: { kind: 'rejection', place, ...reason } }
}

/** Any JSON value, or the reason why the text is not one that can be stored. */
export function parsedItem(
  text: string,
): { value: Json; problem: null } | { value: null; problem: { code: string; message: string } } {
  let value: Json
  try {
    value = parseJson(text)
  } catch (error) {
    const message = `The item is not JSON: ${(error as Error).message}.`
    return { value: null, problem: { code: 'not_json', message } }
  }
  if (!isTooDeep(value, MOST_LEVELS)) return { value, problem: null }
  const message = `The item is nested deeper than ${MOST_LEVELS} levels.`
  return { value: null, problem: { code: 'too_deep', message } }
}
