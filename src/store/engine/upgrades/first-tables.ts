/** The tables of the first version. */
export const FIRST_TABLES = `
CREATE TABLE owners (
  owner_id TEXT NOT NULL PRIMARY KEY, created_at TEXT NOT NULL,
  catalog_seq BIGINT NOT NULL, change_seq BIGINT NOT NULL, text_seq BIGINT NOT NULL
) /* clustered */;
CREATE TABLE declarations (
  owner_id TEXT NOT NULL, connector_key TEXT NOT NULL, version TEXT NOT NULL, seq BIGINT NOT NULL,
  created_at TEXT NOT NULL, content TEXT NOT NULL,
  PRIMARY KEY (owner_id, connector_key, version)
);
CREATE TABLE connections (
  owner_id TEXT NOT NULL, connection_id TEXT NOT NULL, connector_key TEXT NOT NULL, display_name TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (owner_id, connection_id)
);
CREATE TABLE records (
  owner_id TEXT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL, record_key TEXT NOT NULL,
  long_id TEXT, seq BIGINT NOT NULL, version BIGINT NOT NULL, deleted BIGINT NOT NULL,
  sort_key TEXT, time_key TEXT, emitted_at TEXT NOT NULL, changed_at TEXT NOT NULL,
  data TEXT NOT NULL, long_texts TEXT, history TEXT,
  first_row BIGINT NOT NULL, row_count BIGINT NOT NULL,
  PRIMARY KEY (owner_id, connection_id, stream, record_key)
);
CREATE INDEX records_in_order ON records (owner_id, connection_id, stream, sort_key, record_key) WHERE deleted = 0;
CREATE INDEX records_by_change ON records (owner_id, connection_id, stream, seq);
CREATE TABLE tallies (
  owner_id TEXT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL, day TEXT NOT NULL, n BIGINT NOT NULL,
  PRIMARY KEY (owner_id, connection_id, stream, day)
) /* clustered */;
CREATE TABLE pieces (
  owner_id TEXT NOT NULL, text_no BIGINT NOT NULL, piece_no BIGINT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (owner_id, text_no, piece_no)
) /* clustered */;
CREATE TABLE search_rows (
  row_id BIGINT NOT NULL PRIMARY KEY, owner_id TEXT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL,
  record_key TEXT NOT NULL, row_no BIGINT NOT NULL, time_key TEXT
);
CREATE TABLE search_counts (row_id BIGINT NOT NULL PRIMARY KEY, sections BYTES NOT NULL);
CREATE TABLE search_fields (
  owner_id TEXT NOT NULL, field TEXT NOT NULL, code BIGINT NOT NULL,
  PRIMARY KEY (owner_id, field)
) /* clustered */;
CREATE TABLE search_state (
  owner_id TEXT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL, version TEXT NOT NULL,
  rebuilt_to TEXT,
  PRIMARY KEY (owner_id, connection_id, stream)
) /* clustered */;
CREATE TABLE counters (name TEXT NOT NULL PRIMARY KEY, value BIGINT NOT NULL) /* clustered */;
INSERT INTO counters (name, value) VALUES ('search_rows', 0);
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
CREATE TABLE clients (
  owner_id TEXT NOT NULL, client_id TEXT NOT NULL, name TEXT NOT NULL, created_at TEXT NOT NULL,
  PRIMARY KEY (owner_id, client_id)
);
CREATE TABLE grants (
  owner_id TEXT NOT NULL, grant_id TEXT NOT NULL, client_id TEXT NOT NULL, created_at TEXT NOT NULL,
  expires_at TEXT, single_use BIGINT NOT NULL, first_used_at TEXT, revoked_at TEXT, streams TEXT NOT NULL,
  PRIMARY KEY (owner_id, grant_id)
);
CREATE TABLE tokens (
  owner_id TEXT NOT NULL, token_hash TEXT NOT NULL, kind TEXT NOT NULL, created_at TEXT NOT NULL,
  PRIMARY KEY (owner_id, token_hash)
) /* clustered */;
CREATE TABLE token_grants (
  owner_id TEXT NOT NULL, token_hash TEXT NOT NULL, grant_id TEXT NOT NULL,
  PRIMARY KEY (owner_id, token_hash, grant_id)
) /* clustered */;
CREATE TOKEN INDEX;
CREATE TABLE secrets (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) /* clustered */;
`
