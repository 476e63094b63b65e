/** The tables of the store. */
export const STORE_TABLES = `
CREATE TABLE owners (
  owner_id TEXT NOT NULL PRIMARY KEY, created_at TEXT NOT NULL,
  catalog_seq BIGINT NOT NULL, change_seq BIGINT NOT NULL, text_seq BIGINT NOT NULL, row_seq BIGINT NOT NULL,
  words_seq BIGINT NOT NULL, name_seq BIGINT NOT NULL
) /* clustered */;
CREATE TABLE secrets (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) /* clustered */;

CREATE TABLE declarations (
  owner_id TEXT NOT NULL, source_id TEXT NOT NULL, version TEXT NOT NULL, seq BIGINT NOT NULL,
  created_at TEXT NOT NULL, content TEXT NOT NULL,
  PRIMARY KEY (owner_id, source_id, version)
);
CREATE TABLE connections (
  owner_id TEXT NOT NULL, connection_id TEXT NOT NULL, source_id TEXT NOT NULL, display_name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (owner_id, connection_id)
);

CREATE TABLE records (
  owner_id TEXT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL, record_key TEXT NOT NULL,
  long_id TEXT, seq BIGINT NOT NULL, version BIGINT NOT NULL, deleted BIGINT NOT NULL,
  sort_key TEXT, time_key TEXT, emitted_at TEXT NOT NULL, changed_at TEXT NOT NULL,
  data TEXT NOT NULL, long_texts TEXT, history TEXT,
  first_row BIGINT NOT NULL, row_count BIGINT NOT NULL,
  thread_key TEXT, place_key TEXT, order_key TEXT, earliest_key TEXT, latest_key TEXT,
  PRIMARY KEY (owner_id, connection_id, stream, record_key)
);
CREATE INDEX records_in_order ON records (owner_id, connection_id, stream, sort_key, record_key) WHERE deleted = 0;
CREATE INDEX records_by_change ON records (owner_id, connection_id, stream, seq);
CREATE INDEX records_in_thread ON records (owner_id, connection_id, stream, thread_key, order_key, record_key)
  WHERE thread_key IS NOT NULL;
CREATE INDEX records_in_place ON records (owner_id, connection_id, stream, place_key, order_key, record_key)
  WHERE place_key IS NOT NULL;
CREATE INDEX records_moved ON records (owner_id, earliest_key, latest_key) WHERE earliest_key IS NOT NULL;
CREATE TABLE tallies (
  owner_id TEXT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL, day TEXT NOT NULL, n BIGINT NOT NULL,
  PRIMARY KEY (owner_id, connection_id, stream, day)
) /* clustered */;
CREATE TABLE pieces (
  owner_id TEXT NOT NULL, text_no BIGINT NOT NULL, piece_no BIGINT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (owner_id, text_no, piece_no)
) /* clustered */;
CREATE TABLE blobs (
  owner_id TEXT NOT NULL, blob_id TEXT NOT NULL, mime_type TEXT NOT NULL, size_bytes BIGINT NOT NULL,
  upload_id TEXT NOT NULL, created_at TEXT NOT NULL,
  PRIMARY KEY (owner_id, blob_id)
);
CREATE TABLE blob_pieces (
  owner_id TEXT NOT NULL, upload_id TEXT NOT NULL, piece_no BIGINT NOT NULL, bytes BYTES NOT NULL,
  PRIMARY KEY (owner_id, upload_id, piece_no)
) /* clustered */;
CREATE TABLE blob_references (
  owner_id TEXT NOT NULL, blob_id TEXT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL,
  record_key TEXT NOT NULL, field TEXT NOT NULL,
  PRIMARY KEY (owner_id, blob_id, connection_id, stream, record_key, field)
) /* clustered */;
CREATE INDEX blob_references_of_record ON blob_references (owner_id, connection_id, stream, record_key);

CREATE TOKEN INDEX;
CREATE TABLE search_rows (
  owner_id TEXT NOT NULL, row_id BIGINT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL,
  record_key TEXT NOT NULL, row_no BIGINT NOT NULL, time_key TEXT,
  PRIMARY KEY (owner_id, row_id)
);
CREATE TABLE search_counts (
  owner_id TEXT NOT NULL, row_id BIGINT NOT NULL, sections TEXT NOT NULL, PRIMARY KEY (owner_id, row_id)
);
CREATE TABLE search_fields (
  owner_id TEXT NOT NULL, field TEXT NOT NULL, code BIGINT NOT NULL,
  PRIMARY KEY (owner_id, field)
) /* clustered */;
CREATE TABLE search_state (
  owner_id TEXT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL, version TEXT NOT NULL,
  rebuilt_to TEXT,
  PRIMARY KEY (owner_id, connection_id, stream)
) /* clustered */;
CREATE TABLE word_hashes (
  owner_id TEXT NOT NULL, seq BIGINT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL,
  version TEXT NOT NULL, hashes BYTES NOT NULL, PRIMARY KEY (owner_id, seq)
);
CREATE TABLE names (
  owner_id TEXT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL, name_key TEXT NOT NULL,
  name_no BIGINT NOT NULL, field TEXT NOT NULL, text TEXT NOT NULL, person TEXT NOT NULL, words TEXT NOT NULL,
  wrote BIGINT NOT NULL, n BIGINT NOT NULL,
  PRIMARY KEY (owner_id, connection_id, stream, name_key)
) /* clustered */;
CREATE INDEX names_by_person ON names (owner_id, person);
CREATE TABLE name_records (
  owner_id TEXT NOT NULL, name_no BIGINT NOT NULL, time_key TEXT NOT NULL, record_key TEXT NOT NULL,
  PRIMARY KEY (owner_id, name_no, time_key, record_key)
) /* clustered */;
CREATE TABLE meaning_vectors (
  owner_id TEXT NOT NULL, row_id BIGINT NOT NULL, digest TEXT NOT NULL, vector BYTES NOT NULL,
  PRIMARY KEY (owner_id, row_id)
);
CREATE TABLE meaning_state (
  owner_id TEXT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL, version TEXT NOT NULL,
  done_to BIGINT NOT NULL, made BIGINT NOT NULL, spent_ms BIGINT NOT NULL,
  PRIMARY KEY (owner_id, connection_id, stream)
) /* clustered */;

CREATE TABLE imports (
  owner_id TEXT NOT NULL, import_id TEXT NOT NULL, connection_id TEXT NOT NULL, source_id TEXT NOT NULL,
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
CREATE TABLE provenance (
  owner_id TEXT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL, record_key TEXT NOT NULL,
  import_id TEXT NOT NULL, place TEXT NOT NULL, imported BIGINT NOT NULL,
  PRIMARY KEY (owner_id, connection_id, stream, record_key, import_id)
) /* clustered */;
CREATE INDEX provenance_by_import ON provenance (owner_id, import_id, connection_id, stream, record_key);
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

CREATE TABLE clients (
  owner_id TEXT NOT NULL, client_id TEXT NOT NULL, name TEXT NOT NULL, created_at TEXT NOT NULL, origin TEXT,
  PRIMARY KEY (owner_id, client_id)
);
CREATE TABLE grants (
  owner_id TEXT NOT NULL, grant_id TEXT NOT NULL, client_id TEXT NOT NULL, created_at TEXT NOT NULL,
  expires_at TEXT, single_use BIGINT NOT NULL, consumed_at TEXT, revoked_at TEXT, content TEXT NOT NULL,
  PRIMARY KEY (owner_id, grant_id)
);
CREATE TABLE tokens (
  owner_id TEXT NOT NULL, token_hash TEXT NOT NULL, kind TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT,
  PRIMARY KEY (owner_id, token_hash)
) /* clustered */;
CREATE TABLE token_grants (
  owner_id TEXT NOT NULL, token_hash TEXT NOT NULL, grant_id TEXT NOT NULL,
  PRIMARY KEY (owner_id, token_hash, grant_id)
) /* clustered */;
CREATE TABLE consents (
  owner_id TEXT NOT NULL, consent_id TEXT NOT NULL, client_id TEXT NOT NULL, interaction_hash TEXT NOT NULL,
  decided_at TEXT NOT NULL, strict BIGINT NOT NULL, evidence TEXT,
  PRIMARY KEY (owner_id, consent_id)
);
CREATE UNIQUE INDEX consents_by_interaction ON consents (owner_id, interaction_hash);
CREATE TABLE consent_grants (
  owner_id TEXT NOT NULL, consent_id TEXT NOT NULL, grant_id TEXT NOT NULL,
  PRIMARY KEY (owner_id, consent_id, grant_id)
) /* clustered */;
CREATE TABLE oauth_artifacts (
  owner_id TEXT NOT NULL, model TEXT NOT NULL, artifact_key TEXT NOT NULL, consent_id TEXT, lookup_key TEXT,
  payload TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT, consumed_at TEXT, asked_from TEXT,
  PRIMARY KEY (owner_id, model, artifact_key)
);
CREATE INDEX oauth_artifacts_of_consent ON oauth_artifacts (owner_id, consent_id);
CREATE INDEX oauth_artifacts_by_lookup ON oauth_artifacts (owner_id, model, lookup_key);
CREATE INDEX oauth_artifacts_by_expiry ON oauth_artifacts (owner_id, expires_at);
CREATE INDEX oauth_artifacts_by_asker ON oauth_artifacts (owner_id, model, asked_from, created_at);
CREATE TABLE limit_usage (
  owner_id TEXT NOT NULL, limit_key TEXT NOT NULL, used_until BIGINT NOT NULL, used_since BIGINT NOT NULL,
  PRIMARY KEY (owner_id, limit_key)
) /* clustered */;
CREATE INDEX limit_usage_by_end ON limit_usage (owner_id, used_until);

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
CREATE TABLE passkeys (
  owner_id TEXT NOT NULL, credential_id TEXT NOT NULL, rp_id TEXT NOT NULL, public_key TEXT NOT NULL,
  counter BIGINT NOT NULL, name TEXT NOT NULL, created_at TEXT NOT NULL, used_at TEXT,
  PRIMARY KEY (owner_id, credential_id)
);
CREATE TABLE used_challenges (
  owner_id TEXT NOT NULL, challenge_hash TEXT NOT NULL, expires_at TEXT NOT NULL,
  PRIMARY KEY (owner_id, challenge_hash)
);
CREATE TABLE owner_sessions (
  owner_id TEXT NOT NULL, session_hash TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL,
  browser TEXT, seen_at TEXT,
  PRIMARY KEY (owner_id, session_hash)
);
CREATE TABLE audit_events (
  owner_id TEXT NOT NULL, event_id TEXT NOT NULL, at TEXT NOT NULL, event TEXT NOT NULL, actor TEXT NOT NULL,
  client_id TEXT, grant_id TEXT, detail TEXT,
  PRIMARY KEY (owner_id, event_id)
) /* clustered */;
CREATE TABLE owner_items (
  owner_id TEXT NOT NULL, kind TEXT NOT NULL, item_id TEXT NOT NULL, created_at TEXT NOT NULL, content TEXT NOT NULL,
  PRIMARY KEY (owner_id, kind, item_id)
) /* clustered */;
`
