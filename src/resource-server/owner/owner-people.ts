import * as api from '../../api/owner/people.ts'
import { CodedError } from '../../model/errors.ts'
import { listItems, type OwnerItem } from '../../store/records/owner-items.ts'
import { empty, json } from '../request/responses.ts'
import { serve } from '../request/serve.ts'

export const readPeople = serve(api.listPeople, async context => {
  const items = await listItems(context.store.database, { owner_id: context.owner_id, kind: 'person' })
  return context.list(items.map(shown))
})

export const joinPeople = serve(api.joinPeople, async context => {
  const { store, owner_id, now } = context
  const { name, members } = (await context.body()).body
  const content = { name, members: [...new Set(members)] }
  const item = { owner_id, kind: 'person', content, now: now.toISOString() } as const
  return json(shown(await store.writer.call('keepItem', item)), 201)
})

export const separatePeople = serve(api.separatePeople, async ({ store, owner_id, path }) => {
  const item = { owner_id, kind: 'person', item_id: path.person_id } as const
  if (await store.writer.call('dropItem', item)) return empty(204)
  throw new CodedError('not_found', 'There is no such person.')
})

function shown({ item_id, created_at, content }: OwnerItem) {
  const { name, members } = content as { name: string; members: string[] }
  return { object: 'person', person_id: item_id, created_at, name, members } as const
}
