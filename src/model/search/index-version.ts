import { conversationOf, ORDER_FORM } from '../declaration/conversation.ts'
import { type StreamDeclaration, searchedFields } from '../declaration/declaration.ts'
import { NAMES_VERSION, peopleFields } from '../reading/people.ts'
import { ANALYZER_VERSION } from '../text/analyzer.ts'

/** Must be raised when rows, or the version itself, are stored in another form. */
const FORM = 6
/** The version of the words in an index, independent of the fields of the stream. */
export const WORDS_VERSION = `${ANALYZER_VERSION}/${FORM}`

/**
 * The fields whose words are indexed, where conversations come from, and the fields whose names are indexed, with the
 * form of those names.
 */
type Parts = [searched: string[], places: unknown, names: [form: string, ...fields: string[]]]

/** The version of a stream's index. An index with another version must be rebuilt. */
export function indexVersion(stream: StreamDeclaration): string {
  const conversation = conversationOf(stream)
  const places = conversation ? [ORDER_FORM, conversation.key, conversation.order, conversation.around] : null
  return versionOf(WORDS_VERSION, [searchedFields(stream), places, [NAMES_VERSION, ...peopleFields(stream)]])
}

/** Whether an index of a version may lack words of these fields. */
export function lacksWords(version: string, fields: readonly string[]): boolean {
  if (fields.length === 0) return false
  const { words, parts } = read(version)
  if (words !== WORDS_VERSION) return true
  const [searched = []] = parts
  return fields.some(field => !searched.includes(field))
}

/** The fields whose names are completely indexed at this version. */
export function builtNames(version: string): string[] {
  const [, , [form, ...fields] = ['']] = read(version).parts
  return form === NAMES_VERSION ? fields : []
}

/** The version after records were written under a declaration that may name people in fewer fields. */
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
