import * as api from '../../api/owner-imports.ts'
import type { Json } from '../../model/json.ts'
import {
  type ImportRow,
  listImports,
  listRejections,
  readImport as readRow,
} from '../../store/records/imports.ts'
import { json } from '../request/responses.ts'
import { serve } from '../request/serve.ts'

/** Begins an import or resumes one that was interrupted; the answer tells where to start reading. */
export const beginImport = serve(api.beginImport, async context => {
  const { account = null, connection_id = null, name = null, ...rest } = (await context.body()).body
  const request = { ...rest, account, connection_id, name }
  const args = { owner_id: context.owner_id, request, now: context.now.toISOString() }
  const { run, checkpoint, resumed } = await context.store.writer.call('beginImport', args)
  const state = checkpoint === null ? null : (JSON.parse(checkpoint) as Json)
  return json({ ...shown(run), resumed, checkpoint: state }, resumed ? 200 : 201)
})

export const noteImport = serve(api.noteImport, async context => {
  const { checkpoint, ...rest } = (await context.body()).body
  const note = { ...rest, ...(checkpoint === undefined ? {} : { checkpoint: JSON.stringify(checkpoint) }) }
  const { import_id } = context.path
  const args = { owner_id: context.owner_id, import_id, note, now: context.now.toISOString() }
  return json(shown(await context.store.writer.call('noteImport', args)))
})

export const readImport = serve(api.readImport, async ({ store, owner_id, path }) =>
  json(shown(await readRow(store.database, { owner_id, import_id: path.import_id }))),
)

export const readImports = serve(api.listImports, async ({ page, parameters, store, owner_id }) => {
  const { connection_id = null } = parameters
  const query = { owner_id, connection_id, after: await page.open<string>(), limit: page.limit + 1 }
  return page.close(await listImports(store.database, query), last => last.import_id, shown)
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

function shown(run: ImportRow) {
  return { object: 'import', ...run } as const
}
