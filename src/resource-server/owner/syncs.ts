import * as api from '../../api/owner/syncs.ts'
import { listSyncMessages, listSyncs } from '../../store/records/syncs.ts'
import { serve } from '../request/context.ts'
import { empty, json } from '../request/responses.ts'

/** A sync that has something to do loads all known messages at the start of its run. */
const MESSAGES_AT_ONCE = 5_000

export const readSyncs = serve(api.listSyncs, async context => {
  const { store, owner_id, now } = context
  return context.list(await listSyncs(store.database, { owner_id, now: now.toISOString() }))
})

export const addSync = serve(api.addSync, async context =>
  json(await context.write('addSync', { request: await context.body() }), 201),
)

export const removeSync = serve(api.removeSync, async context => {
  await context.write('removeSync', context.path)
  return empty(204)
})

export const requestSyncRun = serve(api.requestSyncRun, async context =>
  json(await context.write('requestSyncRun', context.path)),
)

export const beginSyncRun = serve(api.beginSyncRun, async context => {
  const begun = await context.write('beginSyncRun', { ...context.path, ...(await context.body()) })
  return json({ object: 'sync_run', ...begun } as const, 201)
})

export const noteSyncRun = serve(api.noteSyncRun, async context =>
  json(await context.write('noteSyncRun', { ...context.path, note: await context.body() })),
)

export const readSyncMessages = serve(api.readSyncMessages, async context => {
  const { owner_id, parameters, path, store } = context
  const { folder: folder_no = 0, after = 0 } = parameters
  const from = { folder_no, after, limit: MESSAGES_AT_ONCE + 1 }
  const found = await listSyncMessages(store.database, { owner_id, sync_id: path.sync_id, ...from })
  const messages = found.slice(0, MESSAGES_AT_ONCE)
  return json({ object: 'sync_messages', messages, has_more: found.length > messages.length } as const)
})
