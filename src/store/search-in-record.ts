import { analyze } from '../model/analyzer.ts'
import { countCodePoints } from '../model/code-points.ts'
import { pathOf } from '../model/field-path.ts'
import { digestOf } from '../model/long-text.ts'
import { cutWindow, findMatches, type Match } from '../model/match-windows.ts'
import { PIECE_CHARS } from '../model/pieces.ts'
import type { Projection } from '../model/record.ts'
import type { SearchQuery } from '../model/search-query.ts'
import { leavesOf, pieceText } from '../model/search-rows.ts'
import type { Database } from './database.ts'
import { searchedFields } from './indexing.ts'
import { readRange } from './long-text.ts'
import type { MatchWindow } from './search-proof.ts'

/** A place in a record's matches: the text they stand in, in order, and where in it. */
export interface MatchPosition {
  text: number
  start_chars: number
}

export interface InRecordArgs {
  owner_id: string
  projection: Projection
  query: SearchQuery
  after: MatchPosition | null
  limit: number
  window_chars: number
}

interface SearchedText {
  field_path: string
  size_chars: number
  digest: string
  /** Reads a piece with its neighbours' edges. */
  piece(no: number): Promise<{ before: string; own: string; after: string }>
}

/** Every match inside one record's visible searchable fields, in order, a page at a time. */
export async function matchesInRecord(
  database: Database,
  args: InRecordArgs,
): Promise<{ windows: MatchWindow[]; next: MatchPosition | null }> {
  const { query, after, limit, window_chars } = args
  const windows: MatchWindow[] = []
  let next: MatchPosition | null = null
  for (const [index, text] of textsOf(database, args).entries()) {
    if (after && index < after.text) continue
    const from = after && index === after.text ? after.start_chars : -1
    for (let no = Math.floor(Math.max(0, from) / PIECE_CHARS); no * PIECE_CHARS < text.size_chars; no++) {
      const { before, own, after: overlap } = await text.piece(no)
      const whole = pieceText(before, own, overlap)
      const tokens = analyze(whole.text).filter(token => !(whole.continued && token.start === 0))
      const matches = findMatches(whole.text, tokens, query.clues).filter(({ start }) => start < whole.own)
      for (const span of joined(whole.text, matches)) {
        const cut = cutWindow(whole.text, no * PIECE_CHARS, { ...span, distinct: 1 }, window_chars)
        if (cut.start_chars <= from) continue
        if (windows.length === limit) return { windows, next }
        windows.push({
          field_path: text.field_path,
          ...cut,
          size_chars: text.size_chars,
          digest: text.digest,
        })
        next = { text: index, start_chars: cut.start_chars }
      }
    }
  }
  return { windows, next: null }
}

/** Matches that overlap or touch in a script without spaces are one. */
function joined(text: string, matches: readonly Match[]): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = []
  for (const { start, end } of matches) {
    const last = spans.at(-1)
    if (
      last &&
      (start < last.end || (start === last.end && /\S\S/u.test(text.slice(start - 1, start + 1))))
    ) {
      last.end = Math.max(last.end, end)
    } else spans.push({ start, end })
  }
  return spans
}

function textsOf(database: Database, { owner_id, projection }: InRecordArgs): SearchedText[] {
  const texts: SearchedText[] = []
  for (const field of searchedFields(projection.source.stream)) {
    for (const { path, text } of leavesOf(projection.data[field], [field])) {
      if (text === '') continue
      const size_chars = countCodePoints(text)
      const field_path = pathOf(path[0] ?? '', path.slice(1)).text
      texts.push({
        field_path,
        size_chars: Math.min(size_chars, PIECE_CHARS),
        digest: digestOf(text),
        piece: async () => ({ before: '', own: text, after: '' }),
      })
      const last = texts.at(-1)
      if (last) last.size_chars = size_chars
    }
    for (const long of projection.long_texts.filter(({ path }) => path[0] === field)) {
      texts.push({
        field_path: pathOf(long.path[0] ?? '', long.path.slice(1)).text,
        size_chars: long.size_chars,
        digest: long.digest,
        piece: async no => {
          const start = no * PIECE_CHARS
          const read = (from: number, to: number) =>
            readRange(database, owner_id, long.text_no, {
              start: Math.max(0, from),
              end: Math.min(long.size_chars, to),
            })
          const [before, own, after] = [
            await read(start - 1, start),
            await read(start, start + PIECE_CHARS),
            await read(start + PIECE_CHARS, start + PIECE_CHARS + 256),
          ]
          return { before, own, after }
        },
      })
    }
  }
  return texts
}
