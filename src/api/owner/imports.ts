import { list, PAGE } from '../list.ts'
import * as p from '../parameter.ts'
import { ownerRoute } from '../route.ts'
import type { Typed } from '../schema.ts'
import * as s from '../schema.ts'

/** The states that an import notes. One that was interrupted could not note it, so that is computed. */
export const IMPORT_STATES = ['running', 'finished', 'failed'] as const
export type ImportState = (typeof IMPORT_STATES)[number]

/** The source of an import of sample data begins with this. */
export const SAMPLE_PREFIX = 'sample: '

/** The connections into which nothing but samples was imported. */
export function sampleConnections(runs: readonly { connection_id: string; source: string }[]): Set<string> {
  const own = new Set(runs.flatMap(run => (run.source.startsWith(SAMPLE_PREFIX) ? [] : [run.connection_id])))
  return new Set(runs.map(run => run.connection_id)).difference(own)
}

const IMPORTS = '/v1/owner/imports'
const COUNTS = s.each(s.COUNT, 'seen', 'added', 'updated', 'unchanged', 'rejected')
const RUN = {
  object: s.constant('import'),
  ...s.each(s.TEXT, 'import_id', 'connection_id', 'source_id', 'format', 'source'),
  state: s.choice([...IMPORT_STATES, 'interrupted']),
  ...s.each(s.TIME, 'started_at', 'changed_at'),
  ...COUNTS,
}
const IMPORT = s.named('Import', RUN)
const BEGUN = s.object({ ...RUN, resumed: s.FLAG, checkpoint: s.ANY })
const REJECTION = s.each(s.TEXT, 'place', 'code', 'message')

export type Import = Typed<typeof IMPORT>
export type BegunImport = Typed<typeof BEGUN>

export const listImports = ownerRoute('GET', IMPORTS, {
  summary: 'The imports, newest first',
  parameters: { ...PAGE, connection_id: p.text() },
  reply: list(IMPORT),
})

export const beginImport = ownerRoute('POST', IMPORTS, {
  summary: 'Begins an import, or resumes one that was interrupted',
  body: s.closed(
    {
      source_id: s.textUpTo(2_000),
      ...s.each(s.NAME, 'format', 'fingerprint', 'stamp', 'default_name'),
      source: s.textUpTo(4_096),
    },
    { account: s.orNull(s.textUpTo(1_000)), ...s.each(s.orNull(s.NAME), 'connection_id', 'name') },
  ),
  reply: BEGUN,
})

export const readImport = ownerRoute('GET', `${IMPORTS}/:import_id`, { summary: 'One import', reply: IMPORT })

export const noteImport = ownerRoute('PATCH', `${IMPORTS}/:import_id`, {
  summary: 'Records the progress of an import',
  body: s.closed(
    {},
    {
      state: s.choice(IMPORT_STATES),
      checkpoint: s.ANY,
      counts: s.closed({}, COUNTS),
      rejections: s.listOf(s.closed({ no: s.COUNT, ...REJECTION })),
    },
  ),
  reply: IMPORT,
})

export const removeImport = ownerRoute('DELETE', `${IMPORTS}/:import_id`, {
  summary: 'Removes an import with the records that only it brought',
  reply: s.object({
    object: s.constant('removed_import'),
    import_id: s.TEXT,
    ...s.each(s.COUNT, 'deleted', 'kept'),
  }),
})

export const recordImports = ownerRoute('GET', '/v1/streams/:stream/records/:record_id/imports', {
  summary: 'The imports that brought a record, and where it was in their files',
  parameters: { connection_id: p.text() },
  reply: list(
    s.object({
      object: s.constant('record_import'),
      ...s.each(s.TEXT, 'import_id', 'place', 'format', 'source'),
      started_at: s.TIME,
    }),
  ),
})

export const listRejections = ownerRoute('GET', `${IMPORTS}/:import_id/rejections`, {
  summary: 'What an import rejected, in the order of its source',
  parameters: PAGE,
  reply: list(s.object({ object: s.constant('rejection'), ...REJECTION })),
})
