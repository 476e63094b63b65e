import { placeKey, type Source } from '../../../model/access/enforce.ts'
import { wordsOf } from '../../../model/search/index-rows.ts'
import { WORDS_VERSION } from '../../../model/search/index-version.ts'
import { type Correction, withCorrections } from '../../../model/search/misspelt-words.ts'
import { countPacked, hashOf } from '../../../model/search/packed-counts.ts'
import type { Clue, SearchQuery } from '../../../model/search/search-query.ts'
import * as tuning from '../../../model/search/tuning.ts'
import { markInitials } from '../../../model/text/analyzer.ts'
import { fold } from '../../../model/text/fold.ts'
import { FURTHER, type Further } from '../../../model/text/further-keys.ts'
import { oneEditAway } from '../../../model/text/one-edit.ts'
import { isStopWord, keyAlone } from '../../../model/text/words.ts'
import { UNBOUNDED } from '../../../model/time-bounds.ts'
import { allEnded, type Budget } from '../../budget/budget.ts'
import type { View } from '../../engine/database.ts'
import { listRows } from '../../engine/rows.ts'
import { SEARCH_STATE } from '../../records/tables.ts'
import { comparePositions } from '../by-time.ts'
import { keyOf } from '../clause-groups.ts'
import type { MatchedRows, RowPlace } from '../search-rows.ts'
import { type ScopeArgs, SearchScope } from '../search-scope.ts'
import { textsOfRows } from '../searched-texts.ts'
import { mayBeStored } from '../vocabulary.ts'
import { isHeld, rowsHoldingOne } from './held-words.ts'

/** What may be read, regardless of filter and time: only a word that none of it contains is misspelt. */
export interface Readable {
  owner_id: string
  readable: readonly Source[]
  /** Records at this position or a higher one came into view after the first page. */
  below: number
  /** What the request has found in the index so far. */
  matched?: MatchedRows | undefined
}

/** The query with known words in place of misspelt ones, and the corrections. */
export async function correctedQuery(
  database: View,
  { owner_id, readable, below, matched }: Readable,
  query: SearchQuery,
  budget: Budget,
): Promise<{ query: SearchQuery; corrections: Correction[] }> {
  const selected = readable.map(source => ({ source, conditions: [] }))
  const scope = { database, budget, owner_id, selected, bounds: UNBOUNDED, below, matched }
  const corrections = await correctionsOf(scope, query)
  return { query: withCorrections(query, corrections), corrections }
}

/**
 * For each word that no visible record contains, in this form or another one: the word one edit away that most visible
 * records contain, or null if there is none and no other form of the word is found. Only rows of the scope are used, so a
 * hidden record can neither make a word known nor supply a correction.
 */
async function correctionsOf(args: ScopeArgs, { spelled, clues }: SearchQuery): Promise<Correction[]> {
  const corrections: Correction[] = []
  if (spelled.length === 0) return corrections
  const scope = await SearchScope.open(args)
  // Then nothing that may be read was ever indexed. That must not look different from a scope whose records are hidden.
  if (scope.groups.length === 0) return spelled.map(({ written }) => ({ written, taken: null }))
  await scope.attempt(0.3, async () => {
    const outdated = await outdatedPlaces(scope)
    const unknown = await unknownOf(scope, spelled, outdated.size === 0)
    const areForms = await allEnded(unknown.map(({ key }) => isFoundBy(scope, clues, key, OF_THE_WORD)))
    const misspelt = unknown.filter((_, i) => !areForms[i])
    if (misspelt.length === 0) return
    const mayBeCorrected = misspelt.slice(0, tuning.MOST_CORRECTED)
    const spellings = mayBeCorrected.map(({ written, key }) => spellingsOf(written, key))
    const keys = spellings.flatMap(({ texts }) => [...texts.keys()])
    const stored = await mayBeStored(scope.database, scope.owner_id, keys)
    const { database, budget } = scope
    const selected = args.selected.filter(({ source }) => !outdated.has(keyOf(source)))
    const hashed =
      outdated.size === 0 ? scope : await SearchScope.open({ ...args, database, budget, selected })
    for (const each of spellings) {
      const taken = await mostHeld(hashed, each, stored)
      if (taken !== null) corrections.push({ written: each.written, taken })
    }
    const isCorrected = (word: string) => corrections.some(({ written }) => written === word)
    for (const { written, key } of misspelt.filter(({ written }) => !isCorrected(written)))
      if (!(await isFoundBy(scope, clues, key, FURTHER))) corrections.push({ written, taken: null })
  })
  return corrections
}

/**
 * The streams whose index is being rebuilt from another form, which had other words or no hashes of them. No word is
 * taken from these, because which hashes are written also depends on hidden records.
 */
async function outdatedPlaces({ database, owner_id }: SearchScope): Promise<Set<string>> {
  const columns = ['connection_id', 'stream', 'version'] as const
  const states = await listRows(database, SEARCH_STATE, columns, { owner_id })
  const outdated = states.filter(({ version }) => !version.startsWith(`${WORDS_VERSION} `))
  return new Set(outdated.map(({ connection_id, stream }) => placeKey(connection_id, stream)))
}

type Spelled = SearchQuery['spelled']

/** The words that no visible row contains. A word that may be stored is looked up, because it may be hidden. */
async function unknownOf(scope: SearchScope, spelled: Spelled, isHashed: boolean): Promise<Spelled> {
  const keys = spelled.map(({ key }) => key)
  const asked = isHashed ? await mayBeStored(scope.database, scope.owner_id, keys) : new Set(keys)
  const known = await allEnded(keys.map(key => asked.has(key) && isHeld(scope, key)))
  return spelled.filter((_, i) => !known[i])
}

/** The kinds of further keys that two different words rarely share, as they do the first letters. */
const OF_THE_WORD = FURTHER.filter(further => further !== 'beginning')

/** Whether some visible row contains the word by one of its further keys of these kinds, which it is then found by. */
async function isFoundBy(
  scope: SearchScope,
  clues: readonly Clue[],
  key: string,
  kinds: readonly Further[],
): Promise<boolean> {
  const keys = clues.flatMap(clue =>
    clue.kind === 'word' && clue.further && kinds.includes(clue.further) && clue.of?.includes(key)
      ? [clue.key]
      : [],
  )
  const held = await allEnded(keys.map(each => isHeld(scope, each)))
  return held.includes(true)
}

/** The words one edit away; few mistakes are in the first letter of a short word. */
function spelledAlike(written: string): string[] {
  const [first = '', second = ''] = written
  const all = oneEditAway(written)
  if (written.length >= tuning.FIRST_LETTER_CORRECTED) return all
  return all.filter(
    text => text.startsWith(first) || (text.startsWith(second + first) && text.length === written.length),
  )
}

interface Spellings {
  written: string
  /** The words at one edit. */
  alike: ReadonlySet<string>
  /** The first of those with each key. */
  texts: ReadonlyMap<string, string>
}

function spellingsOf(written: string, own: string): Spellings {
  const alike = new Set(spelledAlike(written))
  const texts = new Map<string, string>()
  for (const text of alike) {
    const key = keyAlone(text)
    if (key !== own && !texts.has(key) && !isStopWord(text, key)) texts.set(key, text)
  }
  return { written, alike, texts }
}

/** The word that most visible rows contain. Later parts of long records count only if no first row contains one. */
async function mostHeld(
  scope: SearchScope,
  spellings: Spellings,
  stored: ReadonlySet<string>,
): Promise<string | null> {
  const keys = [...spellings.texts.keys()]
  for (const asked of [{ later: false }, { later: true }]) {
    const held: string[] = []
    // One part after the other, so that the budget can stop it. What is stored, and may be hidden, does not change
    // which part a word is in.
    for (let i = 0; i < keys.length && held.length < tuning.MOST_KNOWN_ALIKE; i += tuning.SPELLINGS_AT_ONCE) {
      const part = keys.slice(i, i + tuning.SPELLINGS_AT_ONCE).filter(key => stored.has(key))
      if (part.length > 0) held.push(...(await heldOf(scope, part, asked)))
    }
    const found: { key: string; rows: number[] }[] = []
    for (const key of held.slice(0, tuning.MOST_KNOWN_ALIKE))
      found.push({ key, rows: await rowsHoldingOne(scope, [key], tuning.MOST_RECORDS, asked) })
    for (const { key, rows } of found.sort((a, b) => b.rows.length - a.rows.length)) {
      const form = await writtenForm(scope, rows, key, spellings)
      if (form !== null) return form
    }
  }
  return null
}

/**
 * How the newest records with this key write the word: other words have the same key, such as "series" and "seried". Only a
 * form at one edit is taken, or of a long stem one with another short ending.
 */
async function writtenForm(
  scope: SearchScope,
  rows: readonly number[],
  key: string,
  { alike, texts }: Spellings,
): Promise<string | null> {
  const isStemOf = (text: string) =>
    key.length >= tuning.CORRECTED_STEM &&
    text.startsWith(key) &&
    text.length <= key.length + tuning.LONGEST_ENDING
  const isAnyForm = isStemOf(texts.get(key) ?? '')
  const initials = markInitials([key])
  for await (const { texts } of textsOfRows(scope, await newestSeen(scope, rows)))
    for (const piece of texts) {
      const { own, neighbours } = wordsOf(piece, initials)
      for (const { start, end, ...word } of [...own, ...neighbours]) {
        if (word.key !== key || !word.basic) continue
        const form = fold(piece.text.slice(start, end))
        if (alike.has(form) || (isAnyForm && isStemOf(form))) return form
      }
    }
  return null
}

/** The newest rows by what may be seen: the order of their numbers also tells when hidden records were added. */
async function newestSeen(scope: SearchScope, rows: readonly number[]): Promise<RowPlace[]> {
  const places = await scope.places(rows)
  const seen = places.map(row => ({ row, position: { ...row, time_key: scope.visibleTime(row) ?? '' } }))
  const newest = seen
    .sort((a, b) => comparePositions(b.position, a.position))
    .slice(0, tuning.MOST_ROWS_OF_FORMS)
  return newest.map(({ row }) => row)
}

/** Which of the words some visible rows contain in open fields. */
async function heldOf(
  scope: SearchScope,
  keys: readonly string[],
  asked: { later: boolean },
): Promise<string[]> {
  // With a single word, the row need not be read to learn which word it contains. As many rows are looked up as are
  // counted or searched for next.
  const most = asked.later ? 1 : tuning.MOST_RECORDS
  if (keys.length === 1) return (await rowsHoldingOne(scope, keys, most, asked)).length > 0 ? [...keys] : []
  const rows = await scope.rows(await rowsHoldingOne(scope, keys, tuning.MOST_SPELLING_ROWS, asked))
  const hashes = keys.map(hashOf)
  const counts: number[] = keys.map(() => 0)
  for (const row of rows) {
    const open = scope.open(row)
    if (open) countPacked(row.sections, hashes, open.weights, counts)
  }
  return keys.filter((_, i) => (counts[i] ?? 0) > 0)
}
