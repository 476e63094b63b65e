import { DISCLOSURES } from '../access/disclosures.ts'
import type { Table } from '../engine/database.ts'
import { REJECTIONS } from '../records/imports.ts'

/** A table whose rows leave and come back as they are; columns of JSON stand as JSON in a line. */
export interface ExportedTable extends Table {
  /** What a row is called in a line. */
  object: string
  json: readonly string[]
  part: 'store' | 'ledger'
}

/** Rows that are exported as they are, in this order. The owner, blobs and records have lines of their own form. */
export const EXPORTED_TABLES: readonly ExportedTable[] = [
  {
    object: 'declaration',
    part: 'store',
    name: 'declarations',
    key: ['owner_id', 'connector_key', 'version'],
    columns: {
      owner_id: 'text',
      connector_key: 'text',
      version: 'text',
      seq: 'bigint',
      created_at: 'text',
      content: 'text',
    },
    json: ['content'],
  },
  {
    object: 'connection',
    part: 'store',
    name: 'connections',
    key: ['owner_id', 'connection_id'],
    columns: {
      owner_id: 'text',
      connection_id: 'text',
      connector_key: 'text',
      display_name: 'text',
      created_at: 'text',
    },
    json: [],
  },
  {
    object: 'client',
    part: 'store',
    name: 'clients',
    key: ['owner_id', 'client_id'],
    columns: { owner_id: 'text', client_id: 'text', name: 'text', created_at: 'text', origin: 'text' },
    json: [],
  },
  {
    object: 'grant',
    part: 'store',
    name: 'grants',
    key: ['owner_id', 'grant_id'],
    columns: {
      owner_id: 'text',
      grant_id: 'text',
      client_id: 'text',
      created_at: 'text',
      expires_at: 'text',
      single_use: 'bigint',
      first_used_at: 'text',
      revoked_at: 'text',
      streams: 'text',
    },
    json: ['streams'],
  },
  {
    object: 'token',
    part: 'store',
    name: 'tokens',
    key: ['owner_id', 'token_hash'],
    columns: {
      owner_id: 'text',
      token_hash: 'text',
      kind: 'text',
      created_at: 'text',
      expires_at: 'text',
    },
    json: [],
  },
  {
    object: 'token_grant',
    part: 'store',
    name: 'token_grants',
    key: ['owner_id', 'token_hash', 'grant_id'],
    columns: { owner_id: 'text', token_hash: 'text', grant_id: 'text' },
    json: [],
  },
  {
    object: 'consent',
    part: 'store',
    name: 'consents',
    key: ['owner_id', 'consent_id'],
    columns: {
      owner_id: 'text',
      consent_id: 'text',
      client_id: 'text',
      interaction_hash: 'text',
      decided_at: 'text',
    },
    json: [],
  },
  {
    object: 'consent_grant',
    part: 'store',
    name: 'consent_grants',
    key: ['owner_id', 'consent_id', 'grant_id'],
    columns: {
      owner_id: 'text',
      consent_id: 'text',
      grant_id: 'text',
    },
    json: [],
  },
  {
    object: 'audit_event',
    part: 'store',
    name: 'audit_events',
    key: ['owner_id', 'event_id'],
    columns: {
      owner_id: 'text',
      event_id: 'text',
      at: 'text',
      event: 'text',
      actor: 'text',
      client_id: 'text',
      grant_id: 'text',
      detail: 'text',
    },
    json: [],
  },
  {
    object: 'import',
    part: 'store',
    name: 'imports',
    key: ['owner_id', 'import_id'],
    columns: {
      owner_id: 'text',
      import_id: 'text',
      connection_id: 'text',
      connector_key: 'text',
      format: 'text',
      source: 'text',
      fingerprint: 'text',
      stamp: 'text',
      account: 'text',
      state: 'text',
      started_at: 'text',
      changed_at: 'text',
      seen: 'bigint',
      added: 'bigint',
      updated: 'bigint',
      unchanged: 'bigint',
      rejected: 'bigint',
      checkpoint: 'text',
    },
    json: [],
  },
  {
    object: 'import_rejection',
    part: 'store',
    ...REJECTIONS,
    json: [],
  },
  {
    object: 'disclosure',
    part: 'ledger',
    ...DISCLOSURES,
    json: ['shown'],
  },
]

/** Tables with lines of their own form: the owner in the first line, blobs with their bytes, records with their texts. */
export const EXPORTED_OTHERWISE: readonly string[] = ['owners', 'blobs', 'blob_pieces', 'records', 'pieces']

/**
 * Tables that are left behind: what is computed from the rest, the server's own secrets and what is sealed with them,
 * and everything that signs people and apps in.
 */
export const NOT_EXPORTED: readonly string[] = [
  'migrations',
  'tallies',
  'blob_references',
  'search_rows',
  'search_counts',
  'search_fields',
  'search_state',
  'token_index',
  'later_token_index',
  'counters',
  'secrets',
  'oauth_artifacts',
  'passphrases',
  'owner_sessions',
  'sign_in_links',
  'sign_in_failures',
]
