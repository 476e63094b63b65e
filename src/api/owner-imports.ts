import { IMPORT_STATES } from '../model/import-states.ts'
import { list, PAGE } from './list.ts'
import { text } from './parameter.ts'
import { ownerRoute } from './route.ts'
import {
  ANY,
  COUNT,
  choice,
  closed,
  constant,
  FLAG,
  listOf,
  named,
  object,
  orNull,
  TEXT,
  TIME,
  type Typed,
  textUpTo,
} from './schema.ts'

const IMPORTS = '/v1/owner/imports'
const NAME = textUpTo(200)
const COUNTS = { seen: COUNT, added: COUNT, updated: COUNT, unchanged: COUNT, rejected: COUNT }
const RUN = {
  object: constant('import'),
  import_id: TEXT,
  connection_id: TEXT,
  connector_key: TEXT,
  format: TEXT,
  source: TEXT,
  state: choice(IMPORT_STATES),
  started_at: TIME,
  changed_at: TIME,
  ...COUNTS,
}
const IMPORT = named('Import', object(RUN))
const BEGUN = object({ ...RUN, resumed: FLAG, checkpoint: ANY })
const REJECTION = { place: TEXT, code: TEXT, message: TEXT }

export type BegunImport = Typed<typeof BEGUN>

export const listImports = ownerRoute('GET', IMPORTS, {
  summary: 'The imports, newest first',
  parameters: { ...PAGE, connection_id: text() },
  reply: list(IMPORT),
})

export const beginImport = ownerRoute('POST', IMPORTS, {
  summary: 'Begins an import, or resumes one that was interrupted',
  body: closed(
    object(
      {
        connector_key: NAME,
        format: NAME,
        source: textUpTo(4_096),
        fingerprint: NAME,
        stamp: NAME,
        default_name: NAME,
      },
      { account: orNull(textUpTo(1_000)), connection_id: orNull(NAME), name: orNull(NAME) },
    ),
  ),
  reply: BEGUN,
})

export const readImport = ownerRoute('GET', `${IMPORTS}/:import_id`, {
  summary: 'One import',
  reply: IMPORT,
})

export const noteImport = ownerRoute('PATCH', `${IMPORTS}/:import_id`, {
  summary: 'Notes how far an import has come',
  body: closed(
    object(
      {},
      {
        state: choice(IMPORT_STATES),
        checkpoint: ANY,
        counts: closed(object({}, COUNTS)),
        rejections: listOf(object({ no: COUNT, ...REJECTION })),
      },
    ),
  ),
  reply: IMPORT,
})

export const listRejections = ownerRoute('GET', `${IMPORTS}/:import_id/rejections`, {
  summary: 'What an import did not take, in the order of its source',
  parameters: PAGE,
  reply: list(object({ object: constant('rejection'), ...REJECTION })),
})
