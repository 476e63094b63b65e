import { fold } from './fold.ts'
import { keyOf } from './words.ts'

/** What a request begins with: it says that something is wanted, not what. */
const REQUEST =
  /^(?:(?:please|can you|could you|do you know|i want to know|i need|help me)\s+)*(?:(?:tell|show|give|send|get|remind|find)\s+me|(?:find|list|show|search|look\s+up|summari[sz]e)\s+(?:all|any|every|everything|anything|for))\b/
/** A question about what someone said: an auxiliary verb, up to five words, and a verb of saying; or who said it. */
const SAYING =
  'say|says|said|tell|tells|told|write|writes|wrote|written|mention|mentions|mentioned|ask|asks|asked|talk|talks|talked|discuss|discusses|discussed|suggest|suggests|suggested|recommend|recommends|recommended|reply|replies|replied|explain|explains|explained'
const QUESTION = new RegExp(
  `^(?:what|when|where|why|how|which|did|does|has|have)\\b(?:\\s+\\S+){0,7}?\\s+(${SAYING})\\b`,
)
const WHO_SAID = new RegExp(`^who\\s+(?:\\S+\\s+)??(${SAYING})\\b`)
const AUXILIARY = /\b(?:did|does|do|has|have|had)\b/
/**
 * Before the name of someone, at the beginning or the end of a question. Of such questions, made of words of IRC
 * messages, .987 found the message among the first ten instead of .985.
 */
const SOURCE_NAMED = /^according to\b|\baccording to(?:\s+\S+){1,3}$/
/** Words that stand for what is sought. */
const INDEFINITE = /\b(?:everything|anything|something)\b/g

const SAYING_KEYS = new Set(SAYING.split('|').map(keyOf))

/** Whether a word of a query asks what someone said, if it is a stop word there. */
export function isSaying(key: string): boolean {
  return SAYING_KEYS.has(key)
}

/** The words of a query that only ask: a text that answers it rarely contains them. As written, folded. */
export function askingWords(query: string): ReadonlySet<string> {
  const text = fold(query).trim()
  const found = new Set(text.match(INDEFINITE) ?? [])
  if (SOURCE_NAMED.test(text)) found.add('according')
  for (const word of REQUEST.exec(text)?.[0].split(/\s+/) ?? []) found.add(word)
  const [before = '', said] = QUESTION.exec(text) ?? []
  if (said !== undefined && AUXILIARY.test(before)) found.add(said)
  const [, saidByWhom] = WHO_SAID.exec(text) ?? []
  if (saidByWhom !== undefined) found.add(saidByWhom)
  return found
}

/** Whether a query asks who said something: the people that it names are those that were spoken of. */
export function asksWhoSaid(query: string): boolean {
  return WHO_SAID.test(fold(query).trim())
}
