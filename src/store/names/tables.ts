import { table } from '../engine/table.ts'

/** Texts that name people, by stream and field, with the number of records: see write-names.ts. */
export const NAMES = table('names', ['owner_id', 'connection_id', 'stream', 'name_key'], {
  owner_id: 'text',
  connection_id: 'text',
  stream: 'text',
  name_key: 'text',
  name_no: 'bigint',
  field: 'text',
  text: 'text',
  person: 'text',
  words: 'text',
  wrote: 'bigint',
  n: 'bigint',
})

/** The records that contain each name. A record without a time has an empty one. */
export const NAME_RECORDS = table('name_records', ['owner_id', 'name_no', 'time_key', 'record_key'], {
  owner_id: 'text',
  name_no: 'bigint',
  time_key: 'text',
  record_key: 'text',
})
