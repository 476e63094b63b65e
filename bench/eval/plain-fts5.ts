import { DatabaseSync } from 'node:sqlite'
import { countCodePoints, sliceCodePoints } from '../../src/model/text/code-points.ts'
import type { JudgedCollection, JudgedDocument } from './collections.ts'
import { passagesIn, READ_CHARS } from './long-records.ts'
import type { Shown } from './measures.ts'

export const PLAIN_SETTINGS = ['unicode61', 'porter unicode61', 'trigram'] as const

/** A document, or a piece of a long record with what is in it. */
interface Indexed extends Pick<JudgedDocument, 'title' | 'text'> {
  record: string
  names: readonly string[]
}

/**
 * Plain FTS5: words combined with OR, sorted by its own bm25. Of a long record, the best of its pieces of as many
 * characters as are read around a window.
 */
export function searchPlainly(
  collection: JudgedCollection,
  tokenizer: (typeof PLAIN_SETTINGS)[number],
): Shown {
  const database = new DatabaseSync(':memory:')
  database.exec(
    `CREATE VIRTUAL TABLE documents USING fts5(title, text, record UNINDEXED, tokenize = '${tokenizer}')`,
  )
  const insert = database.prepare('INSERT INTO documents (rowid, title, text, record) VALUES (?, ?, ?, ?)')
  const indexed = [...indexedOf(collection)]
  for (const [i, { title, text, record }] of indexed.entries()) insert.run(i, title, text, record)
  const ofRecord = collection.passages ? 'AND record = ?' : ''
  const select = database.prepare(
    `SELECT rowid FROM documents WHERE documents MATCH ? ${ofRecord} ORDER BY bm25(documents) LIMIT 10`,
  )
  const shown: Shown = new Map()
  for (const query of collection.queries) {
    const words = query.text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
    const match = words.map(word => `"${word}"`).join(' OR ')
    const rows = match === '' ? [] : select.all(match, ...(collection.passages ? [query.record ?? ''] : []))
    shown.set(
      query.id,
      rows.map(({ rowid }) => indexed[Number(rowid)]?.names ?? []),
    )
  }
  database.close()
  return shown
}

function* indexedOf({ documents, passages }: JudgedCollection): Generator<Indexed> {
  for (const { id, title, text } of documents) {
    const within = passages?.get(id)
    if (!within) yield { title, text, record: id, names: [id] }
    else {
      const size = countCodePoints(text)
      for (let start = 0; start < size; start += READ_CHARS) {
        const end = start + READ_CHARS
        const names = passagesIn(within, { start, end })
        yield { title, text: sliceCodePoints(text, start, end), record: id, names }
      }
    }
  }
}
