import { list } from '../list.ts'
import { ownerRoute } from '../route.ts'
import * as s from '../schema.ts'

const SEARCHES = '/v1/owner/searches'
const WORDS = { name: s.textUpTo(200), query: s.textUpTo(4_000) }
const SAVED = s.object({
  object: s.constant('saved_search'),
  search_id: s.TEXT,
  created_at: s.TIME,
  ...WORDS,
})

export const listSearches = ownerRoute('GET', SEARCHES, {
  summary: 'The searches that the owner saved',
  reply: list(SAVED),
})

export const saveSearch = ownerRoute('POST', SEARCHES, {
  summary: 'Saves a search',
  body: s.closed(WORDS),
  reply: SAVED,
})

export const deleteSearch = ownerRoute('DELETE', `${SEARCHES}/:search_id`, {
  summary: 'Removes a saved search',
})
