import assert from 'node:assert/strict'
import type { Source } from '../src/model/access/enforce.ts'
import { REFINEMENTS } from '../src/model/search/refinements.ts'
import { parseSearchQuery } from '../src/model/search/search-query.ts'
import { MOST_RECORDS } from '../src/model/search/tuning.ts'
import { UNBOUNDED } from '../src/model/time-bounds.ts'
import { Budget, SCAN_ALLOWANCE } from '../src/store/budget/budget.ts'
import { FreeTurn } from '../src/store/budget/turns.ts'
import { countMatching } from '../src/store/search/finding/holders.ts'
import { findByWords } from '../src/store/search/finding/word-finder.ts'
import { SearchScope } from '../src/store/search/search-scope.ts'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source, stream } from './mailbox.ts'

const OPEN = { fields: null, since: null, until: null, record_ids: null }

/** Another searchable field, so that its records are looked up separately. */
const BOOKS = {
  ...source('books'),
  streams: [
    stream('books', { text: { type: 'string' } }, { query: { search: { lexical_fields: ['text'] } } }),
  ],
}

onEachEngine('EV-1 a long record is looked into only for words that lead there', async engine => {
  await using server = await TestServer.start(engine)
  const [mail, books] = [await server.connect(MAILBOX, 'Mail'), await server.connect(BOOKS, 'Books')]
  const common = Array.from({ length: MOST_RECORDS + 100 }, (_, n) =>
    message(`m${n}`, { body: 'harbour lantern' }),
  )
  await server.ingest('messages', mail, [...common, message('rare', { body: 'harbour lantern compass' })])
  const text = `harbour lantern ${'filler '.repeat(2_000)} rudder`
  await server.ingest('books', books, [{ data: { id: 'b', text } }])
  const { database, owner_id } = server.store
  const selected = [
    { connection_id: mail, stream: MAILBOX.streams[0], clauses: [OPEN] },
    { connection_id: books, stream: BOOKS.streams[0], clauses: [OPEN] },
  ].map(each => ({ source: each as unknown as Source, conditions: [] }))

  let lookups = 0
  const { words } = database
  const match = words.match.bind(words)
  words.match = (owner, expression, range, limit) => {
    if (range.later) lookups++
    return match(owner, expression, range, limit)
  }
  const count = async (q: string) => {
    lookups = 0
    const budget = new Budget(SCAN_ALLOWANCE, new FreeTurn())
    const asked = { owner_id, bounds: UNBOUNDED, below: 10_000, population: common.length }
    const scope = await SearchScope.open({ ...asked, database, budget, selected })
    const query = parseSearchQuery(q, REFINEMENTS)
    const found = await findByWords(scope, { ...query, areAllMeant: false })
    return { ...(await countMatching(scope, query, { timedOnly: false, found })), lookups }
  }
  const exactly = { count: 1, count_accuracy: 'exact' }
  // Which sources have long records is learnt by two lookups, and half of it remembered. The others look in books for
  // the rare word, and for the common ones together; that no long record has all three needs no lookup.
  assert.deepEqual(await count('harbour lantern compass'), { ...exactly, lookups: 4 })
  assert.deepEqual(await count('harbour lantern compass'), { ...exactly, lookups: 3 })
  assert.deepEqual({ ...(await count('harbour lantern rudder')), lookups: 0 }, { ...exactly, lookups: 0 })
})
