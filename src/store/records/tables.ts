import { each, type Row, table } from '../engine/table.ts'

/** Tables of `engine/upgrades/` as code writes and reads them. A column added there must be added here. */
export const OWNERS = table('owners', ['owner_id'], {
  ...each('text', 'owner_id', 'created_at'),
  ...each('bigint', 'catalog_seq', 'change_seq', 'text_seq', 'row_seq', 'words_seq', 'name_seq'),
})

export const DECLARATIONS = table('declarations', ['owner_id', 'source_id', 'version'], {
  ...each('text', 'owner_id', 'source_id', 'version'),
  seq: 'bigint',
  ...each('text', 'created_at', 'content'),
})

export const CONNECTIONS = table('connections', ['owner_id', 'connection_id'], {
  ...each('text', 'owner_id', 'connection_id', 'source_id', 'display_name', 'created_at'),
})

export const RECORDS = table('records', ['owner_id', 'connection_id', 'stream', 'record_key'], {
  ...each('text', 'owner_id', 'connection_id', 'stream', 'record_key'),
  long_id: 'text?',
  ...each('bigint', 'seq', 'version', 'deleted'),
  ...each('text?', 'sort_key', 'time_key', 'thread_key', 'place_key', 'order_key'),
  ...each('text', 'emitted_at', 'changed_at', 'data'),
  ...each('text?', 'long_texts', 'history'),
  ...each('bigint', 'first_row', 'row_count'),
  // Of a record that was moved in time: between these are all times that it had.
  ...each('text?', 'earliest_key', 'latest_key'),
})
export type StoredRow = Row<typeof RECORDS>

export const PIECES = table('pieces', ['owner_id', 'text_no', 'piece_no'], {
  owner_id: 'text',
  ...each('bigint', 'text_no', 'piece_no'),
  text: 'text',
})

export const TALLIES = table('tallies', ['owner_id', 'connection_id', 'stream', 'day'], {
  ...each('text', 'owner_id', 'connection_id', 'stream', 'day'),
  n: 'bigint',
})

export const SEARCH_ROWS = table('search_rows', ['owner_id', 'row_id'], {
  owner_id: 'text',
  row_id: 'bigint',
  ...each('text', 'connection_id', 'stream', 'record_key'),
  row_no: 'bigint',
  time_key: 'text?',
})

/** A separate table, so that many rows can be read without their counts. */
export const SEARCH_COUNTS = table('search_counts', ['owner_id', 'row_id'], {
  owner_id: 'text',
  row_id: 'bigint',
  sections: 'text',
})

/**
 * How the index of a stream was built. While it is built again, `rebuilt_to` has the version that is being built, the
 * number of records done, and the key of the last of them.
 */
export const SEARCH_STATE = table('search_state', ['owner_id', 'connection_id', 'stream'], {
  ...each('text', 'owner_id', 'connection_id', 'stream', 'version'),
  rebuilt_to: 'text?',
})

/** Hashes of words that were new to a stream, in any field: see vocabulary.ts. */
export const WORD_HASHES = table('word_hashes', ['owner_id', 'seq'], {
  owner_id: 'text',
  seq: 'bigint',
  ...each('text', 'connection_id', 'stream', 'version'),
  hashes: 'bytes',
})

/** Vectors of records, by the number of their first row in the index. */
export const MEANING_VECTORS = table('meaning_vectors', ['owner_id', 'row_id'], {
  owner_id: 'text',
  row_id: 'bigint',
  digest: 'text',
  vector: 'bytes',
})

/**
 * How far the vectors of a stream have come: to which change, how many were made, and in which time. If the version, which
 * names the model and the fields, is another, the stream starts over.
 */
export const MEANING_STATE = table('meaning_state', ['owner_id', 'connection_id', 'stream'], {
  ...each('text', 'owner_id', 'connection_id', 'stream', 'version'),
  ...each('bigint', 'done_to', 'made', 'spent_ms'),
})

export const BLOBS = table('blobs', ['owner_id', 'blob_id'], {
  ...each('text', 'owner_id', 'blob_id', 'mime_type'),
  size_bytes: 'bigint',
  ...each('text', 'upload_id', 'created_at'),
})

export const BLOB_PIECES = table('blob_pieces', ['owner_id', 'upload_id', 'piece_no'], {
  ...each('text', 'owner_id', 'upload_id'),
  piece_no: 'bigint',
  bytes: 'bytes',
})

export const BLOB_REFERENCES = table(
  'blob_references',
  ['owner_id', 'blob_id', 'connection_id', 'stream', 'record_key', 'field'],
  each('text', 'owner_id', 'blob_id', 'connection_id', 'stream', 'record_key', 'field'),
)

export const IMPORTS = table('imports', ['owner_id', 'import_id'], {
  ...each('text', 'owner_id', 'import_id', 'connection_id', 'source_id'),
  ...each('text', 'format', 'source', 'fingerprint', 'stamp'),
  account: 'text?',
  ...each('text', 'state', 'started_at', 'changed_at'),
  ...each('bigint', 'seen', 'added', 'updated', 'unchanged', 'rejected'),
  checkpoint: 'text?',
})

export const IMPORT_REJECTIONS = table('import_rejections', ['owner_id', 'import_id', 'no'], {
  ...each('text', 'owner_id', 'import_id'),
  no: 'bigint',
  ...each('text', 'place', 'code', 'message'),
})

export const OWNER_ITEMS = table('owner_items', ['owner_id', 'kind', 'item_id'], {
  ...each('text', 'owner_id', 'kind', 'item_id', 'created_at', 'content'),
})

/**
 * An account that is kept in sync. `secret` is sealed with a key that is not in the database. `runner` is the server
 * that runs the sync; its lease ends at `runner_until` unless it is extended.
 */
export const SYNCS = table('syncs', ['owner_id', 'sync_id'], {
  ...each('text', 'owner_id', 'sync_id', 'connection_id', 'name', 'created_at'),
  ...each('text', 'settings', 'secret', 'state'),
  ...each('text?', 'next_run_at', 'runner', 'runner_until'),
})

/** The messages of a synced account: which record each became, and with which labels. */
export const SYNC_MESSAGES = table('sync_messages', ['owner_id', 'sync_id', 'folder_no', 'uid'], {
  ...each('text', 'owner_id', 'sync_id'),
  ...each('bigint', 'folder_no', 'uid'),
  ...each('text', 'record_id', 'labels'),
})

/**
 * Which imports contained a record. `imported` is 1 if the record exists because of imports, and 0 if it existed before
 * the first of them, so that removing an import leaves it alone.
 */
export const PROVENANCE = table(
  'provenance',
  ['owner_id', 'connection_id', 'stream', 'record_key', 'import_id'],
  {
    ...each('text', 'owner_id', 'connection_id', 'stream', 'record_key', 'import_id', 'place'),
    imported: 'bigint',
  },
)
