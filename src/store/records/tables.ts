import { type Row, table } from '../engine/table.ts'

/** Tables of `engine/upgrades/` as code writes and reads them. A column added there must be added here. */
export const OWNERS = table('owners', ['owner_id'], {
  owner_id: 'text',
  created_at: 'text',
  catalog_seq: 'bigint',
  change_seq: 'bigint',
  text_seq: 'bigint',
  row_seq: 'bigint',
  words_seq: 'bigint',
  name_seq: 'bigint',
})

export const DECLARATIONS = table('declarations', ['owner_id', 'source_id', 'version'], {
  owner_id: 'text',
  source_id: 'text',
  version: 'text',
  seq: 'bigint',
  created_at: 'text',
  content: 'text',
})

export const CONNECTIONS = table('connections', ['owner_id', 'connection_id'], {
  owner_id: 'text',
  connection_id: 'text',
  source_id: 'text',
  display_name: 'text',
  created_at: 'text',
})

export const RECORDS = table('records', ['owner_id', 'connection_id', 'stream', 'record_key'], {
  owner_id: 'text',
  connection_id: 'text',
  stream: 'text',
  record_key: 'text',
  long_id: 'text?',
  seq: 'bigint',
  version: 'bigint',
  deleted: 'bigint',
  sort_key: 'text?',
  time_key: 'text?',
  thread_key: 'text?',
  place_key: 'text?',
  order_key: 'text?',
  emitted_at: 'text',
  changed_at: 'text',
  data: 'text',
  long_texts: 'text?',
  history: 'text?',
  first_row: 'bigint',
  row_count: 'bigint',
})
export type StoredRow = Row<typeof RECORDS>

export const PIECES = table('pieces', ['owner_id', 'text_no', 'piece_no'], {
  owner_id: 'text',
  text_no: 'bigint',
  piece_no: 'bigint',
  text: 'text',
})

export const TALLIES = table('tallies', ['owner_id', 'connection_id', 'stream', 'day'], {
  owner_id: 'text',
  connection_id: 'text',
  stream: 'text',
  day: 'text',
  n: 'bigint',
})

export const SEARCH_ROWS = table('search_rows', ['owner_id', 'row_id'], {
  owner_id: 'text',
  row_id: 'bigint',
  connection_id: 'text',
  stream: 'text',
  record_key: 'text',
  row_no: 'bigint',
  time_key: 'text?',
})

/** A separate table, so that many rows can be read without their counts. */
export const SEARCH_COUNTS = table('search_counts', ['owner_id', 'row_id'], {
  owner_id: 'text',
  row_id: 'bigint',
  sections: 'text',
})

export const SEARCH_STATE = table('search_state', ['owner_id', 'connection_id', 'stream'], {
  owner_id: 'text',
  connection_id: 'text',
  stream: 'text',
  version: 'text',
  rebuilt_to: 'text?',
})

/** Hashes of words that were new to a stream, in any field: see vocabulary.ts. */
export const WORD_HASHES = table('word_hashes', ['owner_id', 'seq'], {
  owner_id: 'text',
  seq: 'bigint',
  connection_id: 'text',
  stream: 'text',
  version: 'text',
  hashes: 'bytes',
})

/** Vectors of records, by the number of their first row in the index. */
export const MEANING_VECTORS = table('meaning_vectors', ['owner_id', 'row_id'], {
  owner_id: 'text',
  row_id: 'bigint',
  digest: 'text',
  vector: 'bytes',
})

export const MEANING_STATE = table('meaning_state', ['owner_id', 'connection_id', 'stream'], {
  owner_id: 'text',
  connection_id: 'text',
  stream: 'text',
  version: 'text',
  done_to: 'bigint',
  made: 'bigint',
  spent_ms: 'bigint',
})

export const BLOBS = table('blobs', ['owner_id', 'blob_id'], {
  owner_id: 'text',
  blob_id: 'text',
  mime_type: 'text',
  size_bytes: 'bigint',
  upload_id: 'text',
  created_at: 'text',
})

export const BLOB_PIECES = table('blob_pieces', ['owner_id', 'upload_id', 'piece_no'], {
  owner_id: 'text',
  upload_id: 'text',
  piece_no: 'bigint',
  bytes: 'bytes',
})

export const BLOB_REFERENCES = table(
  'blob_references',
  ['owner_id', 'blob_id', 'connection_id', 'stream', 'record_key', 'field'],
  {
    owner_id: 'text',
    blob_id: 'text',
    connection_id: 'text',
    stream: 'text',
    record_key: 'text',
    field: 'text',
  },
)

export const IMPORTS = table('imports', ['owner_id', 'import_id'], {
  owner_id: 'text',
  import_id: 'text',
  connection_id: 'text',
  source_id: 'text',
  format: 'text',
  source: 'text',
  fingerprint: 'text',
  stamp: 'text',
  account: 'text?',
  state: 'text',
  started_at: 'text',
  changed_at: 'text',
  seen: 'bigint',
  added: 'bigint',
  updated: 'bigint',
  unchanged: 'bigint',
  rejected: 'bigint',
  checkpoint: 'text?',
})

export const IMPORT_REJECTIONS = table('import_rejections', ['owner_id', 'import_id', 'no'], {
  owner_id: 'text',
  import_id: 'text',
  no: 'bigint',
  place: 'text',
  code: 'text',
  message: 'text',
})

export const OWNER_ITEMS = table('owner_items', ['owner_id', 'kind', 'item_id'], {
  owner_id: 'text',
  kind: 'text',
  item_id: 'text',
  created_at: 'text',
  content: 'text',
})

/**
 * An account that is kept in sync. `secret` is sealed with a key that is not in the database. `runner` is the server
 * that runs the sync; its lease ends at `runner_until` unless it is extended.
 */
export const SYNCS = table('syncs', ['owner_id', 'sync_id'], {
  owner_id: 'text',
  sync_id: 'text',
  connection_id: 'text',
  name: 'text',
  created_at: 'text',
  settings: 'text',
  secret: 'text',
  state: 'text',
  next_run_at: 'text?',
  runner: 'text?',
  runner_until: 'text?',
})

/** The messages of a synced account: which record each became, and with which labels. */
export const SYNC_MESSAGES = table('sync_messages', ['owner_id', 'sync_id', 'folder_no', 'uid'], {
  owner_id: 'text',
  sync_id: 'text',
  folder_no: 'bigint',
  uid: 'bigint',
  record_id: 'text',
  labels: 'text',
})

/**
 * Which imports contained a record. `imported` is 1 if the record exists because of imports, and 0 if it existed before
 * the first of them, so that removing an import leaves it alone.
 */
export const PROVENANCE = table(
  'provenance',
  ['owner_id', 'connection_id', 'stream', 'record_key', 'import_id'],
  {
    owner_id: 'text',
    connection_id: 'text',
    stream: 'text',
    record_key: 'text',
    import_id: 'text',
    place: 'text',
    imported: 'bigint',
  },
)
