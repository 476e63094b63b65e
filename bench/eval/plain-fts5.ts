import { DatabaseSync } from 'node:sqlite'
import type { JudgedCollection } from './collections.ts'

export const PLAIN_SETTINGS = ['unicode61', 'porter unicode61', 'trigram'] as const

/** Plain FTS5: words combined with OR, sorted by its own bm25. */
export function searchPlainly(
  collection: JudgedCollection,
  tokenizer: (typeof PLAIN_SETTINGS)[number],
): Map<string, string[]> {
  const database = new DatabaseSync(':memory:')
  database.exec(
    `CREATE VIRTUAL TABLE documents USING fts5(id UNINDEXED, title, text, tokenize = '${tokenizer}')`,
  )
  const insert = database.prepare('INSERT INTO documents (id, title, text) VALUES (?, ?, ?)')
  for (const { id, title, text } of collection.documents) insert.run(id, title, text)
  const select = database.prepare(
    'SELECT id FROM documents WHERE documents MATCH ? ORDER BY bm25(documents) LIMIT 10',
  )
  const found = new Map<string, string[]>()
  for (const { id, text } of collection.queries) {
    const words = text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
    const match = words.map(word => `"${word}"`).join(' OR ')
    found.set(id, match === '' ? [] : select.all(match).map(row => String(row.id)))
  }
  database.close()
  return found
}
