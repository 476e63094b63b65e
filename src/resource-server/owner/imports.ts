import * as api from '../../api/owner/imports.ts'
import type { Json } from '../../model/json.ts'
import {
  type ImportRow,
  listImports,
  listRejections,
  readImport as readRow,
} from '../../store/records/imports.ts'
import { originsOf } from '../../store/records/provenance.ts'
import { findOne } from '../reads/read-record.ts'
import { serve } from '../request/context.ts'
import { json } from '../request/responses.ts'

/** Begins an import or resumes an interrupted one; the response says where to start reading. */
export const beginImport = serve(api.beginImport, async context => {
  const { account = null, connection_id = null, name = null, ...rest } = await context.body()
  const request = { ...rest, account, connection_id, name }
  const { run, checkpoint, resumed } = await context.write('beginImport', { request })
  const state = checkpoint === null ? null : (JSON.parse(checkpoint) as Json)
  return json({ ...describe(run, context.now), resumed, checkpoint: state }, resumed ? 200 : 201)
})

export const noteImport = serve(api.noteImport, async context => {
  const { checkpoint, ...rest } = await context.body()
  const note = { ...rest, ...(checkpoint === undefined ? {} : { checkpoint: JSON.stringify(checkpoint) }) }
  return json(describe(await context.write('noteImport', { ...context.path, note }), context.now))
})

export const readImport = serve(api.readImport, async ({ store, owner_id, path, now }) =>
  json(describe(await readRow(store.database, { owner_id, import_id: path.import_id }), now)),
)

export const readImports = serve(api.listImports, async ({ page, parameters, store, owner_id, now }) => {
  const { connection_id = null } = parameters
  const query = { owner_id, connection_id, after: await page.open<string>(), limit: page.limit + 1 }
  return page.close(
    await listImports(store.database, query),
    last => last.import_id,
    run => describe(run, now),
  )
})

export const readRejections = serve(api.listRejections, async ({ page, path, store, owner_id }) => {
  const from = (await page.open<number>()) ?? 0
  const query = { owner_id, import_id: path.import_id, from, limit: page.limit + 1 }
  return page.close(
    await listRejections(store.database, query),
    last => last.no + 1,
    ({ place, code, message }) => ({ object: 'rejection', place, code, message }),
  )
})

export const removeImport = serve(api.removeImport, async context => {
  const { store, owner_id } = context
  const { import_id } = context.path
  const { connection_id } = await readRow(store.database, { owner_id, import_id })
  const targets = context
    .sources(undefined, connection_id)
    .map(({ stream }) => ({ owner_id, connection_id, stream }))
  const removed = await context.write('removeImport', { import_id, targets })
  return json({ object: 'removed_import', import_id, ...removed } as const)
})

export const readRecordImports = serve(api.recordImports, async context => {
  const { stream, record_id } = context.path
  const sources = context.sources(stream, context.parameters.connection_id)
  const { source } = await findOne(context, sources, record_id)
  const place = { owner_id: context.owner_id, connection_id: source.connection_id, stream, record_id }
  const origins = await originsOf(context.store.database, place)
  return context.list(origins.map(origin => ({ object: 'record_import', ...origin }) as const))
})

/** A running import reports its progress far more often than this. */
const SILENT_MS = 10 * 60_000

function describe(run: ImportRow, now: Date) {
  const isSilent = run.state === 'running' && now.getTime() - Date.parse(run.changed_at) > SILENT_MS
  return { object: 'import', ...run, state: isSilent ? 'interrupted' : run.state } as const
}
