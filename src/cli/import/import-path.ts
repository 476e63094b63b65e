import type { WatchedFolder } from '../../data-folder/watched-folders.ts'
import { openSource } from '../../importers/source/open.ts'
import { number } from '../../model/amounts.ts'
import type { Log } from '../log.ts'
import type { OwnServer } from '../own-server.ts'
import { importInto } from './import-into.ts'
import { partsOf, planOf } from './import-plan.ts'

/** Imports what was added or changed in a watched folder: a file, or a folder in it. */
export async function importPath(
  path: string,
  { name, format }: WatchedFolder,
  { server, log }: { server: OwnServer; log: Log },
  stop: AbortSignal,
): Promise<void> {
  stop.throwIfAborted()
  await using source = await openSource(path)
  const plan = await planOf({ ...source, timeZone: server.timeZone.name }, format ?? undefined)
  for (const part of partsOf(plan, source, format === null ? 'all' : 'one')) {
    const { counts } = await importInto(
      server,
      source,
      part,
      { connection_id: null, name },
      { begun() {}, progress: () => stop.throwIfAborted() },
    )
    const { added, updated, rejected } = counts
    if (added + updated === 0) continue
    const words = [`${number(added)} added`, `${number(updated)} updated`, `${number(rejected)} rejected`]
    const facts = { format: part.importer.format, added, updated, rejected }
    log.event(`Imported ${path}: ${words.join(', ')}.`, 'watched_folder_imported', facts)
  }
}
