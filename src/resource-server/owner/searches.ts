import * as api from '../../api/owner/searches.ts'
import { CodedError } from '../../model/errors.ts'
import { listItems, type OwnerItem } from '../../store/records/owner-items.ts'
import { serve } from '../request/context.ts'
import { empty, json } from '../request/responses.ts'

export const readSearches = serve(api.listSearches, async context => {
  const items = await listItems(context.store.database, { owner_id: context.owner_id, kind: 'search' })
  return context.list(items.map(describe))
})

export const saveSearch = serve(api.saveSearch, async context => {
  const { name, query } = await context.body()
  return json(describe(await context.write('keepItem', { kind: 'search', content: { name, query } })), 201)
})

export const deleteSearch = serve(api.deleteSearch, async context => {
  const item = { kind: 'search', item_id: context.path.search_id } as const
  if (await context.write('dropItem', item)) return empty(204)
  throw new CodedError('not_found', 'There is no such saved search.')
})

function describe({ item_id, created_at, content }: OwnerItem) {
  const { name, query } = content as { name: string; query: string }
  return { object: 'saved_search', search_id: item_id, created_at, name, query } as const
}
