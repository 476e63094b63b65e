import { list } from '../list.ts'
import { ownerRoute } from '../route.ts'
import type { Typed } from '../schema.ts'
import * as s from '../schema.ts'

const WATCHED = '/v1/owner/watched-folders'
const ONE = `${WATCHED}/:folder_id` as const

const FOLDER = s.object({
  object: s.constant('watched_folder'),
  ...s.each(s.TEXT, 'folder_id', 'path'),
  /** The name of the source; null means the name of the folder. */
  name: s.orNull(s.TEXT),
  format: s.orNull(s.TEXT),
  /** When the server last checked it; null if it has not yet. */
  looked_at: s.orNull(s.TIME),
  /** Why the last check failed. */
  last_error: s.orNull(s.object({ code: s.TEXT, message: s.TEXT })),
  /** The newest import of the folder, or of something inside it. */
  last_import: s.orNull(
    s.object({
      ...s.each(s.TEXT, 'import_id', 'connection_id'),
      changed_at: s.TIME,
      ...s.each(s.COUNT, 'added', 'updated', 'rejected'),
    }),
  ),
})

export type WatchedFolder = Typed<typeof FOLDER>

export const listWatched = ownerRoute('GET', WATCHED, { summary: 'The watched folders', reply: list(FOLDER) })

export const lookAgain = ownerRoute('POST', `${ONE}/look`, {
  summary: 'Has all of a watched folder imported again; what is unchanged stays',
})

export const unwatch = ownerRoute('DELETE', ONE, { summary: 'Stops watching a folder; its records stay' })
