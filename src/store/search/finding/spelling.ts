import type { Correction } from '../../../model/search/misspelt-words.ts'
import { countPacked, hashOf } from '../../../model/search/packed-counts.ts'
import type { SearchQuery } from '../../../model/search/search-query.ts'
import {
  MOST_CORRECTED,
  MOST_KNOWN_ALIKE,
  MOST_RECORDS,
  MOST_SPELLING_ROWS,
  SPELLINGS_AT_ONCE,
} from '../../../model/search/tuning.ts'
import { analyze, isStopWord } from '../../../model/text/analyzer.ts'
import { oneEditAway } from '../../../model/text/one-edit.ts'
import type { SearchScope } from '../search-scope.ts'
import { isHeld, rowsHoldingOne } from './held-words.ts'

/**
 * For words that no visible record holds: the one at one edit that most visible records hold. Only the rows of the scope
 * are asked, so a hidden record neither makes a word known nor is it taken from there.
 */
export async function correctionsOf(scope: SearchScope, { spelled }: SearchQuery): Promise<Correction[]> {
  const corrections: Correction[] = []
  if (scope.groups.length === 0) return corrections
  await scope.attempt(0.3, async () => {
    const known = await Promise.all(spelled.map(({ key }) => isHeld(scope, key)))
    const unknown = spelled.filter((_, i) => !known[i]).slice(0, MOST_CORRECTED)
    for (const { written, key } of unknown) {
      const taken = await knownAlike(scope, written, key)
      if (taken !== null) corrections.push({ written, taken })
    }
  })
  return corrections
}

async function knownAlike(scope: SearchScope, written: string, own: string): Promise<string | null> {
  const spellings = new Map<string, string>()
  for (const text of oneEditAway(written)) {
    const key = analyze(text).find(({ basic, further }) => basic && further === null)?.key
    if (key !== undefined && key !== own && !spellings.has(key) && !isStopWord(key)) spellings.set(key, text)
  }
  // Later parts of long records are asked last: PostgreSQL needs long to look up so many words in them.
  for (const rows of [{ later: false }, { later: true }]) {
    const best = await mostHeld(scope, [...spellings.keys()], rows)
    if (best !== null) return spellings.get(best) ?? null
  }
  return null
}

/** The word that most visible rows hold. */
async function mostHeld(
  scope: SearchScope,
  keys: readonly string[],
  asked: { later: boolean },
): Promise<string | null> {
  const held: string[] = []
  // One part after the other, so that the budget can end it.
  for (let i = 0; i < keys.length && held.length < MOST_KNOWN_ALIKE; i += SPELLINGS_AT_ONCE)
    held.push(...(await heldOf(scope, keys.slice(i, i + SPELLINGS_AT_ONCE), asked)))
  let best: { key: string; rows: number } | null = null
  for (const key of held.slice(0, MOST_KNOWN_ALIKE)) {
    const rows = (await rowsHoldingOne(scope, [key], MOST_RECORDS, asked)).length
    if (rows > (best?.rows ?? 0)) best = { key, rows }
  }
  return best?.key ?? null
}

/** Those of the words that some visible rows hold in open fields. */
async function heldOf(
  scope: SearchScope,
  keys: readonly string[],
  asked: { later: boolean },
): Promise<string[]> {
  const rows = await scope.rows(await rowsHoldingOne(scope, keys, MOST_SPELLING_ROWS, asked))
  const hashes = keys.map(hashOf)
  const counts: number[] = keys.map(() => 0)
  for (const row of rows) {
    const open = scope.open(row)
    if (open) countPacked(row.sections, hashes, open.weights, counts)
  }
  return keys.filter((_, i) => (counts[i] ?? 0) > 0)
}
