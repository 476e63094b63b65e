import { takeOperators, withoutQuotationMarks } from '../reading/query-operators.ts'
import { isFurther, parseSearchQuery, wordClues } from './search-query.ts'

/** A query of which records must contain everything, part by part as written: words, "phrases" and prefixes*. */
export function requiredParts(query: string): string[] {
  const { quoted, excluded } = parseSearchQuery(query)
  const { words } = takeOperators(quoted ? withoutQuotationMarks(query) : query)
  const parts = [...words.matchAll(/-?"[^"]*"|[^\s"]+/g)]
    .map(([part]) => part)
    .filter(part => excluded.length === 0 || parseSearchQuery(part).excluded.length === 0)
    .map(part =>
      part.startsWith('"') ? part : part.replace(/^[^\p{L}\p{N}]+|(?<![^\p{L}\p{N}*])[^\p{L}\p{N}*]+$/gu, ''),
    )
  const required = parts.filter(isRequired)
  return [...new Set(required.length > 0 ? required : parts.filter(part => part !== ''))]
}

function isRequired(part: string): boolean {
  if (/^"|\*$/.test(part)) return parseSearchQuery(part).clues.length > 0
  return wordClues(part, []).some(({ clue }) => !clue.stop && !isFurther(clue))
}
