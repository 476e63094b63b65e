import type { MatchWindow } from '../../api/search.ts'
import type { Source } from '../../model/access/enforce.ts'
import { type Projection, project, type StoredRecord } from '../../model/reading/record.ts'
import { wordsOf } from '../../model/search/index-rows.ts'
import { createMatcher, cutWindow, type Match } from '../../model/search/match-windows.ts'
import type { Correction } from '../../model/search/misspelt-words.ts'
import { canLoosen, phrasesAsWords } from '../../model/search/quoted-words.ts'
import { initialsOf, requiredClues, type SearchQuery } from '../../model/search/search-query.ts'
import { PIECE_CHARS } from '../../model/text/pieces.ts'
import { type Budget, BudgetExceeded } from '../budget/budget.ts'
import type { View } from '../engine/database.ts'
import { TextReplaced } from '../records/long-text.ts'
import { correctedQuery } from './finding/spelling.ts'
import { pieceCount, searchedTexts } from './searched-texts.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'

/** A position among the matches of a record: the number of the text, and the start within it. */
export interface MatchPosition {
  text: number
  start_chars: number
}

/** Which records the first page could see: they decide what is misspelt. */
export type Seen = Pick<Snapshot, 'below'>

export interface InRecordArgs {
  owner_id: string
  source: Source
  /** As it is stored: large numbers in its data could not be sent to a worker after parsing. */
  record: StoredRecord
  visible: ReadonlySet<string> | null
  query: SearchQuery
  after: MatchPosition | null
  /** Everything that may be seen: only a word that none of it contains is misspelt. */
  readable: readonly Source[]
  /** What the first page determined. */
  as_words: boolean
  seen: Seen | null
  limit: number
  window_chars: number
}

export interface MatchPage {
  windows: MatchWindow[]
  next: MatchPosition | null
  /** Whether the page ends because the budget is used up. */
  truncated: boolean
  /** Whether the record does not contain the phrases of the query, so that their words were searched for. */
  as_words: boolean
  seen: Seen
  /** Known words that were searched for in place of misspelt ones. */
  corrections: Correction[]
}

/** Every match in the visible searchable fields of one record, a page at a time; null if the record was changed in the meantime. */
export async function matchesInRecord(
  database: View,
  args: InRecordArgs,
  budget: Budget,
): Promise<MatchPage | null> {
  const { as_words, after, owner_id, source, record, visible } = args
  const projection = project(source, record, visible)
  const seen = args.seen ?? (await takeSnapshot(database, owner_id, [], []))
  const asked = { ...args, below: seen.below }
  const { query, corrections } = await correctedQuery(database, asked, args.query, budget)
  const read = async (as_words: boolean) => {
    const asked = as_words ? phrasesAsWords(query) : query
    return {
      ...(await readMatches(database, { ...args, projection, query: asked }, budget)),
      as_words,
      seen,
      corrections,
    }
  }
  try {
    const page = await read(as_words)
    const isEmpty = after === null && page.windows.length === 0 && !page.truncated
    return isEmpty && canLoosen(query) ? await read(true) : page
  } catch (error) {
    if (error instanceof TextReplaced) return null
    throw error
  }
}

async function readMatches(
  database: View,
  args: InRecordArgs & { projection: Projection },
  budget: Budget,
): Promise<Pick<MatchPage, 'windows' | 'next' | 'truncated'>> {
  const { query, after, limit, window_chars, owner_id, projection } = args
  const clues = requiredClues(query.clues)
  const windows: MatchWindow[] = []
  let next: MatchPosition | null = null
  if (clues.length === 0) return { windows, next, truncated: false }
  const initials = initialsOf(clues)
  const findMatches = createMatcher(clues)
  for (const [index, text] of searchedTexts(database, owner_id, projection).entries()) {
    if (after && index < after.text) continue
    const from = after && index === after.text ? after.start_chars : -1
    for (let no = Math.floor(Math.max(0, from) / PIECE_CHARS); no < pieceCount(text); no++) {
      const piece = await withinBudget(budget, () => text.piece(no))
      if (!piece) return { windows, next: before(index, no), truncated: true }
      const { own, neighbours } = wordsOf(piece, initials)
      const matches = findMatches(piece.text, [...own, ...neighbours])
      for (const span of joined(matches.filter(({ start }) => start < piece.own))) {
        const cut = cutWindow(piece.text, no * PIECE_CHARS, { ...span }, window_chars)
        if (cut.start_chars <= from) continue
        if (windows.length === limit) return { windows, next, truncated: false }
        const { field_path, size_chars } = text
        windows.push({ field_path, ...cut, size_chars, digest: text.digest() })
        next = { text: index, start_chars: cut.start_chars }
      }
    }
  }
  return { windows, next: null, truncated: false }
}

/** Null if the budget is used up. */
async function withinBudget<T>(budget: Budget, read: () => Promise<T>): Promise<T | null> {
  if (!budget.take('texts', 1)) return null
  try {
    return await budget.run(read)
  } catch (error) {
    if (error instanceof BudgetExceeded) return null
    throw error
  }
}

/** The position from which the search continues, at the start of a piece. */
function before(text: number, piece: number): MatchPosition {
  return { text, start_chars: piece * PIECE_CHARS - 1 }
}

/** Joins matches that overlap or touch. Words touch only in scripts without spaces. */
function joined(matches: readonly Match[]): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = []
  for (const { start, end } of matches) {
    const last = spans.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else spans.push({ start, end })
  }
  return spans
}
