import type { Transaction } from '../database.ts'
import { FIRST_TABLES } from './first-tables.ts'
import { nameSourcesByUri, nameStreamsByContent } from './old-names.ts'

/** Statements that define tables, or a function if stored values change their form. */
export type Migration = string | ((transaction: Transaction) => Promise<void>)

/** Each entry is applied once, in order, and never edited after a release. */
export const STORE_MIGRATIONS: readonly Migration[] = [
  FIRST_TABLES,
  `
  CREATE TABLE imports (
    owner_id TEXT NOT NULL, import_id TEXT NOT NULL, connection_id TEXT NOT NULL, connector_key TEXT NOT NULL,
    format TEXT NOT NULL, source TEXT NOT NULL, fingerprint TEXT NOT NULL, stamp TEXT NOT NULL, account TEXT,
    state TEXT NOT NULL, started_at TEXT NOT NULL, changed_at TEXT NOT NULL,
    seen BIGINT NOT NULL, added BIGINT NOT NULL, updated BIGINT NOT NULL, unchanged BIGINT NOT NULL,
    rejected BIGINT NOT NULL, checkpoint TEXT,
    PRIMARY KEY (owner_id, import_id)
  );
  CREATE TABLE import_rejections (
    owner_id TEXT NOT NULL, import_id TEXT NOT NULL, no BIGINT NOT NULL, place TEXT NOT NULL, code TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (owner_id, import_id, no)
  ) /* clustered */;
  `,
  `
  ALTER TABLE tokens ADD COLUMN expires_at TEXT;
  ALTER TABLE clients ADD COLUMN origin TEXT;
  CREATE TABLE oauth_artifacts (
    owner_id TEXT NOT NULL, model TEXT NOT NULL, artifact_key TEXT NOT NULL, consent_id TEXT, lookup_key TEXT,
    payload TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT, consumed_at TEXT,
    PRIMARY KEY (owner_id, model, artifact_key)
  );
  CREATE INDEX oauth_artifacts_of_consent ON oauth_artifacts (owner_id, consent_id);
  CREATE INDEX oauth_artifacts_by_lookup ON oauth_artifacts (owner_id, model, lookup_key);
  CREATE INDEX oauth_artifacts_by_expiry ON oauth_artifacts (owner_id, expires_at);
  CREATE TABLE consents (
    owner_id TEXT NOT NULL, consent_id TEXT NOT NULL, client_id TEXT NOT NULL, interaction_hash TEXT NOT NULL,
    decided_at TEXT NOT NULL,
    PRIMARY KEY (owner_id, consent_id)
  );
  CREATE UNIQUE INDEX consents_by_interaction ON consents (owner_id, interaction_hash);
  CREATE TABLE consent_grants (
    owner_id TEXT NOT NULL, consent_id TEXT NOT NULL, grant_id TEXT NOT NULL,
    PRIMARY KEY (owner_id, consent_id, grant_id)
  ) /* clustered */;
  CREATE TABLE sign_in_links (
    owner_id TEXT NOT NULL, link_hash TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL,
    PRIMARY KEY (owner_id, link_hash)
  );
  CREATE TABLE passphrases (
    owner_id TEXT NOT NULL PRIMARY KEY, salt TEXT NOT NULL, hash TEXT NOT NULL, changed_at TEXT NOT NULL
  );
  CREATE TABLE sign_in_failures (
    owner_id TEXT NOT NULL PRIMARY KEY, failures BIGINT NOT NULL, blocked_until TEXT
  );
  CREATE TABLE owner_sessions (
    owner_id TEXT NOT NULL, session_hash TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL,
    PRIMARY KEY (owner_id, session_hash)
  );
  CREATE TABLE audit_events (
    owner_id TEXT NOT NULL, event_id TEXT NOT NULL, at TEXT NOT NULL, event TEXT NOT NULL, actor TEXT NOT NULL,
    client_id TEXT, grant_id TEXT, detail TEXT,
    PRIMARY KEY (owner_id, event_id)
  ) /* clustered */;
  `,
  // Word counts are now text; they are written again when the index is rebuilt.
  `
  DROP TABLE search_counts;
  CREATE TABLE search_counts (row_id BIGINT NOT NULL PRIMARY KEY, sections TEXT NOT NULL);
  `,
  // Sources are named by URIs, and grants are stored in the form of PDPP Core. Older grants have another form.
  `
  ALTER TABLE declarations RENAME COLUMN connector_key TO source_id;
  ALTER TABLE connections RENAME COLUMN connector_key TO source_id;
  ALTER TABLE imports RENAME COLUMN connector_key TO source_id;
  ALTER TABLE grants RENAME COLUMN streams TO content;
  ALTER TABLE grants RENAME COLUMN first_used_at TO consumed_at;
  ALTER TABLE consents ADD COLUMN strict BIGINT NOT NULL DEFAULT 0;
  ALTER TABLE consents ADD COLUMN evidence TEXT;
  `,
  nameSourcesByUri,
  nameStreamsByContent,
  // Later rows of long records have other numbers now. They are written again when the index is rebuilt.
  `
  DELETE FROM later_token_index;
  DELETE FROM search_counts WHERE row_id IN (SELECT row_id FROM search_rows WHERE row_no > 0);
  DELETE FROM search_rows WHERE row_no > 0;
  UPDATE records SET row_count = 1 WHERE row_count > 1;
  `,
  // A request that nobody has approved stores its caller as a keyed hash, so that space can be freed fairly.
  `
  ALTER TABLE oauth_artifacts ADD COLUMN asked_from TEXT;
  CREATE INDEX oauth_artifacts_by_asker ON oauth_artifacts (owner_id, model, asked_from, created_at);
  `,
  // What callers have used of the limits that several servers share.
  `
  CREATE TABLE limit_usage (
    owner_id TEXT NOT NULL, limit_key TEXT NOT NULL, used_until BIGINT NOT NULL, used_since BIGINT NOT NULL,
    PRIMARY KEY (owner_id, limit_key)
  ) /* clustered */;
  CREATE INDEX limit_usage_by_end ON limit_usage (owner_id, used_until);
  `,
  // The place of a record in its conversation; for stored records it is computed when the index is rebuilt.
  `
  ALTER TABLE records ADD COLUMN thread_key TEXT;
  ALTER TABLE records ADD COLUMN place_key TEXT;
  ALTER TABLE records ADD COLUMN order_key TEXT;
  CREATE INDEX records_in_thread ON records (owner_id, connection_id, stream, thread_key, order_key, record_key)
    WHERE thread_key IS NOT NULL;
  CREATE INDEX records_in_place ON records (owner_id, connection_id, stream, place_key, order_key, record_key)
    WHERE place_key IS NOT NULL;
  `,
  // What the owner saves in the console: searches, which names are the same person, alerts.
  `
  CREATE TABLE owner_items (
    owner_id TEXT NOT NULL, kind TEXT NOT NULL, item_id TEXT NOT NULL, created_at TEXT NOT NULL, content TEXT NOT NULL,
    PRIMARY KEY (owner_id, kind, item_id)
  ) /* clustered */;
  `,
  // Which imports added a record, and where it was in their files. Unknown for older records.
  `
  CREATE TABLE provenance (
    owner_id TEXT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL, record_key TEXT NOT NULL,
    import_id TEXT NOT NULL, place TEXT NOT NULL, imported BIGINT NOT NULL,
    PRIMARY KEY (owner_id, connection_id, stream, record_key, import_id)
  ) /* clustered */;
  CREATE INDEX provenance_by_import ON provenance (owner_id, import_id, connection_id, stream, record_key);
  `,
  // Which browser a session is in, and when it was last seen. Unknown for older sessions.
  `
  ALTER TABLE owner_sessions ADD COLUMN browser TEXT;
  ALTER TABLE owner_sessions ADD COLUMN seen_at TEXT;
  `,
  // Passkeys, by their public keys, and the challenges that were answered.
  `
  CREATE TABLE passkeys (
    owner_id TEXT NOT NULL, credential_id TEXT NOT NULL, rp_id TEXT NOT NULL, public_key TEXT NOT NULL,
    counter BIGINT NOT NULL, name TEXT NOT NULL, created_at TEXT NOT NULL, used_at TEXT,
    PRIMARY KEY (owner_id, credential_id)
  );
  CREATE TABLE used_challenges (
    owner_id TEXT NOT NULL, challenge_hash TEXT NOT NULL, expires_at TEXT NOT NULL,
    PRIMARY KEY (owner_id, challenge_hash)
  );
  `,
  // Hashes of the words of each stream; those of stored records are written when the index is rebuilt.
  `
  CREATE TABLE word_hashes (
    owner_id TEXT NOT NULL, seq BIGINT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL,
    version TEXT NOT NULL, hashes BYTES NOT NULL, PRIMARY KEY (owner_id, seq)
  );
  INSERT INTO counters (name, value) VALUES ('word_hashes', 0);
  `,
  // The meaning of records as vectors, and how many are done. Both stay empty until the owner turns meaning on.
  `
  CREATE TABLE meaning_vectors (
    row_id BIGINT NOT NULL PRIMARY KEY, owner_id TEXT NOT NULL, made BIGINT NOT NULL, digest TEXT NOT NULL,
    vector BYTES NOT NULL
  );
  CREATE TABLE meaning_state (
    owner_id TEXT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL, version TEXT NOT NULL,
    done_to BIGINT NOT NULL, made BIGINT NOT NULL, spent_ms BIGINT NOT NULL,
    PRIMARY KEY (owner_id, connection_id, stream)
  ) /* clustered */;
  INSERT INTO counters (name, value) VALUES ('meaning_vectors', 0);
  `,
  // Accounts that are kept in sync, and the record that each of their messages became.
  `
  CREATE TABLE syncs (
    owner_id TEXT NOT NULL, sync_id TEXT NOT NULL, connection_id TEXT NOT NULL, name TEXT NOT NULL,
    created_at TEXT NOT NULL, settings TEXT NOT NULL, secret TEXT NOT NULL, state TEXT NOT NULL,
    next_run_at TEXT, runner TEXT, runner_until TEXT,
    PRIMARY KEY (owner_id, sync_id)
  );
  CREATE TABLE sync_messages (
    owner_id TEXT NOT NULL, sync_id TEXT NOT NULL, folder_no BIGINT NOT NULL, uid BIGINT NOT NULL,
    record_id TEXT NOT NULL, labels TEXT NOT NULL,
    PRIMARY KEY (owner_id, sync_id, folder_no, uid)
  ) /* clustered */;
  `,
  // Who is named in which records, by field. The names in stored records are written when the index is rebuilt; streams
  // without searchable fields are rebuilt too.
  `
  CREATE TABLE names (
    owner_id TEXT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL, name_key TEXT NOT NULL,
    name_no BIGINT NOT NULL, field TEXT NOT NULL, text TEXT NOT NULL, person TEXT NOT NULL, words TEXT NOT NULL,
    wrote BIGINT NOT NULL, n BIGINT NOT NULL,
    PRIMARY KEY (owner_id, connection_id, stream, name_key)
  ) /* clustered */;
  CREATE INDEX names_by_person ON names (owner_id, person);
  CREATE TABLE name_records (
    name_no BIGINT NOT NULL, time_key TEXT NOT NULL, record_key TEXT NOT NULL,
    PRIMARY KEY (name_no, time_key, record_key)
  ) /* clustered */;
  INSERT INTO counters (name, value) VALUES ('names', 0);
  INSERT INTO search_state (owner_id, connection_id, stream, version)
    SELECT DISTINCT owner_id, connection_id, stream, '' FROM tallies t WHERE NOT EXISTS
      (SELECT 1 FROM search_state s WHERE s.owner_id = t.owner_id AND s.connection_id = t.connection_id
         AND s.stream = t.stream);
  `,
  // Numbers are counted per owner, and every key starts with the owner, so that owners can be distributed over several
  // machines.
  `
  ALTER TABLE owners ADD COLUMN row_seq BIGINT NOT NULL DEFAULT 0;
  ALTER TABLE owners ADD COLUMN words_seq BIGINT NOT NULL DEFAULT 0;
  ALTER TABLE owners ADD COLUMN vector_seq BIGINT NOT NULL DEFAULT 0;
  ALTER TABLE owners ADD COLUMN name_seq BIGINT NOT NULL DEFAULT 0;
  UPDATE owners SET row_seq = (SELECT value FROM counters WHERE name = 'search_rows'),
    words_seq = (SELECT value FROM counters WHERE name = 'word_hashes'),
    vector_seq = (SELECT value FROM counters WHERE name = 'meaning_vectors'),
    name_seq = (SELECT value FROM counters WHERE name = 'names');
  DROP TABLE counters;
  OWNER LEADS TOKEN INDEX;
  ALTER TABLE search_counts RENAME TO search_counts_before;
  CREATE TABLE search_counts (
    owner_id TEXT NOT NULL, row_id BIGINT NOT NULL, sections TEXT NOT NULL, PRIMARY KEY (owner_id, row_id)
  );
  INSERT INTO search_counts (owner_id, row_id, sections)
    SELECT r.owner_id, b.row_id, b.sections FROM search_counts_before AS b JOIN search_rows AS r ON r.row_id = b.row_id;
  DROP TABLE search_counts_before;
  ALTER TABLE name_records RENAME TO name_records_before;
  CREATE TABLE name_records (
    owner_id TEXT NOT NULL, name_no BIGINT NOT NULL, time_key TEXT NOT NULL, record_key TEXT NOT NULL,
    PRIMARY KEY (owner_id, name_no, time_key, record_key)
  ) /* clustered */;
  INSERT INTO name_records (owner_id, name_no, time_key, record_key)
    SELECT n.owner_id, b.name_no, b.time_key, b.record_key FROM name_records_before AS b
      JOIN names AS n ON n.name_no = b.name_no;
  DROP TABLE name_records_before;
  OWNER LEADS KEY OF search_rows;
  OWNER LEADS KEY OF meaning_vectors;
  `,
  // SQLite merges the word index less often during imports; PostgreSQL keeps statistics of more words.
  'TUNE TOKEN INDEX;',
  // The same again with other numbers: a batch does not wait any longer until sixteen segments are merged at once.
  'TUNE TOKEN INDEX;',
  // A search compares the vectors up to a change, whenever they were stored.
  'ALTER TABLE meaning_vectors DROP COLUMN made; ALTER TABLE owners DROP COLUMN vector_seq;',
  // PostgreSQL finds words among the newest rows without reading those of all others. SQLite does that by itself.
  'CUT TOKEN INDEX INTO BLOCKS;',
  // A move in time is numbered like a new record. The numbers of earlier moves are not known.
  `
  ALTER TABLE records ADD COLUMN earliest_key TEXT;
  ALTER TABLE records ADD COLUMN latest_key TEXT;
  CREATE INDEX records_moved ON records (owner_id, earliest_key, latest_key) WHERE earliest_key IS NOT NULL;
  `,
]
