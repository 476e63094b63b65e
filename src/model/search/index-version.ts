import { conversationOf } from '../declaration/conversation.ts'
import { type StreamDeclaration, searchedFields } from '../declaration/declaration.ts'
import { NAMES_VERSION, peopleFields } from '../reading/people.ts'
import { ANALYZER_VERSION } from '../text/analyzer.ts'

/** Must be raised when rows, or the version itself, are written in another form. */
const FORM = 5
/** What the words of an index are written with, whatever the fields of the stream. */
export const WORDS_VERSION = `${ANALYZER_VERSION}/${FORM}`

/** Fields whose words are in the index, where conversations come from, and in which form the names of which fields. */
type Parts = [searched: string[], places: unknown, names: [form: string, ...fields: string[]]]

/** What the index of a stream is built with. An index of another version must be rebuilt. */
export function indexVersion(stream: StreamDeclaration): string {
  const conversation = conversationOf(stream)
  const places = conversation ? [conversation.key, conversation.order, conversation.around] : null
  return versionOf(WORDS_VERSION, [searchedFields(stream), places, [NAMES_VERSION, ...peopleFields(stream)]])
}

/** Whether an index of a version may lack words of the fields; that it lacks those of others does not matter. */
export function lacksWords(version: string, fields: readonly string[]): boolean {
  if (fields.length === 0) return false
  const { words, parts } = read(version)
  if (words !== WORDS_VERSION) return true
  const [searched = []] = parts
  return fields.some(field => !searched.includes(field))
}

/** The fields whose names an index of this version has in full. */
export function builtNames(version: string): string[] {
  const [, , [form, ...fields] = ['']] = read(version).parts
  return form === NAMES_VERSION ? fields : []
}

/** The version after records were written by a declaration that may name people in fewer fields. */
export function withNamesOf(stream: StreamDeclaration, version: string): string {
  const declared = peopleFields(stream)
  const built = builtNames(version)
  const kept = built.filter(field => declared.includes(field))
  if (kept.length === built.length) return version
  const { words, parts } = read(version)
  const [searched = [], places = null] = parts
  return versionOf(words, [searched, places, [NAMES_VERSION, ...kept]])
}

function versionOf(words: string, parts: Parts): string {
  return `${words} ${JSON.stringify(parts)}`
}

function read(version: string): { words: string; parts: Partial<Parts> } {
  const end = version.indexOf(' [')
  return end < 0
    ? { words: version, parts: [] }
    : { words: version.slice(0, end), parts: JSON.parse(version.slice(end)) }
}
