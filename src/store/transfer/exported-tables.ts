import * as access from '../access/tables.ts'
import { columnsOf, type Table } from '../engine/table.ts'
import * as records from '../records/tables.ts'

/** A table whose rows are exported and restored unchanged; JSON columns are written as JSON. */
export interface ExportedTable {
  /** The name of this kind of row in a line. */
  object: string
  table: Table
  json: readonly string[]
  /** Columns that are not exported: what clients asked is kept separate from what they were shown. */
  without: readonly string[]
  part: 'store' | 'ledger'
}

function exported(
  object: string,
  table: Table,
  json: readonly string[] = [],
  without: readonly string[] = [],
): ExportedTable {
  return { object, table, json, without, part: 'store' }
}

/** Tables that are exported row by row, in this order. The owner, blobs and records have their own line formats. */
export const EXPORTED_TABLES: readonly ExportedTable[] = [
  exported('declaration', records.DECLARATIONS, ['content']),
  exported('connection', records.CONNECTIONS),
  exported('client', access.CLIENTS),
  exported('grant', access.GRANTS, ['content']),
  exported('token', access.TOKENS),
  exported('token_grant', access.TOKEN_GRANTS),
  exported('consent', access.CONSENTS, ['evidence']),
  exported('consent_grant', access.CONSENT_GRANTS),
  exported('audit_event', access.AUDIT_EVENTS),
  exported('import', records.IMPORTS),
  exported('import_rejection', records.IMPORT_REJECTIONS),
  exported('provenance', records.PROVENANCE),
  exported('owner_item', records.OWNER_ITEMS, ['content']),
  { ...exported('disclosure', access.DISCLOSURES, ['shown', 'decided'], ['query']), part: 'ledger' },
  { ...exported('ledger_mark', access.LEDGER_MARKS), part: 'ledger' },
]

/** Columns of records that are exported unchanged. The others are written in another form, or computed again. */
export const PLAIN_RECORD_COLUMNS = columnsOf(records.RECORDS, [
  'owner_id',
  'record_key',
  'long_id',
  'deleted',
  'thread_key',
  'place_key',
  'order_key',
  'data',
  'long_texts',
  'history',
  'first_row',
  'row_count',
  'moved_row',
])

/**
 * Tables with their own line formats: the owner in the first line, blobs with their bytes, records with their texts.
 */
export const EXPORTED_OTHERWISE: readonly string[] = ['owners', 'blobs', 'blob_pieces', 'records', 'pieces']

/**
 * Tables that are not exported: what is computed from the rest, the server's own secrets and what is sealed with them,
 * everything that people and apps sign in with, and synced accounts, whose passwords cannot be read elsewhere.
 */
export const NOT_EXPORTED: readonly string[] = [
  'migrations',
  'tallies',
  'blob_references',
  'search_rows',
  'search_counts',
  'search_fields',
  'search_state',
  'word_hashes',
  'names',
  'name_records',
  'meaning_vectors',
  'meaning_state',
  'token_index',
  'later_token_index',
  'secrets',
  'oauth_artifacts',
  'passphrases',
  'passkeys',
  'used_challenges',
  'owner_sessions',
  'sign_in_links',
  'sign_in_failures',
  'limit_usage',
  'page_positions',
  'line_blocks',
  'syncs',
  'sync_messages',
]
