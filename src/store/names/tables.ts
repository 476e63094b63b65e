import { each, table } from '../engine/table.ts'

/** Texts that name people, by stream and field, with the number of records: see write-names.ts. */
export const NAMES = table('names', ['owner_id', 'connection_id', 'stream', 'name_key'], {
  ...each('text', 'owner_id', 'connection_id', 'stream', 'name_key'),
  name_no: 'bigint',
  ...each('text', 'field', 'text', 'person', 'words'),
  ...each('bigint', 'wrote', 'n'),
})

/** The records that contain each name. A record without a time has an empty one. */
export const NAME_RECORDS = table('name_records', ['owner_id', 'name_no', 'time_key', 'record_key'], {
  owner_id: 'text',
  name_no: 'bigint',
  ...each('text', 'time_key', 'record_key'),
})
