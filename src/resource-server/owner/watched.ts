import * as api from '../../api/owner/watched-folders.ts'
import { CodedError } from '../../model/errors.ts'
import { newestImportOf } from '../../store/records/imports.ts'
import { serve } from '../request/context.ts'
import { empty } from '../request/responses.ts'

export const readWatched = serve(api.listWatched, async context => {
  const { store, owner_id } = context
  const folders = store.watched.list().map(async ({ path, name, format }): Promise<api.WatchedFolder> => {
    const state = store.watched.stateOf(path)
    const run = await newestImportOf(store.database, owner_id, path)
    return {
      object: 'watched_folder',
      folder_id: store.watched.idOf(path),
      path,
      name,
      format,
      looked_at: state?.looked_at ?? null,
      last_error: state?.error ?? null,
      last_import: run ?? null,
    }
  })
  return context.list(await Promise.all(folders))
})

export const lookAgain = serve(api.lookAgain, async ({ store, path, now }) => {
  if (await store.watched.ask(path.folder_id, now)) return empty(204)
  throw notWatched()
})

export const unwatch = serve(api.unwatch, async ({ store, path }) => {
  if (await store.watched.remove(path.folder_id)) return empty(204)
  throw notWatched()
})

function notWatched(): CodedError {
  return new CodedError('not_found', 'There is no such watched folder.')
}
