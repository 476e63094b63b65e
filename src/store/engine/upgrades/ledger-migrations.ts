import type { Migration } from './store-migrations.ts'

const LEDGER_TABLES = `
CREATE TABLE disclosures (
  owner_id TEXT NOT NULL, disclosure_id TEXT NOT NULL, at TEXT NOT NULL, request_id TEXT NOT NULL,
  client_id TEXT NOT NULL, grant_ids TEXT NOT NULL, route TEXT NOT NULL, shown TEXT NOT NULL,
  status BIGINT NOT NULL, decided TEXT NOT NULL, query TEXT, query_mac TEXT,
  chain_id TEXT, link_no BIGINT, opening TEXT, mac TEXT,
  PRIMARY KEY (owner_id, disclosure_id)
) /* clustered */;
CREATE INDEX disclosures_by_client ON disclosures (owner_id, client_id, disclosure_id);
CREATE TABLE ledger_marks (
  owner_id TEXT NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL, content TEXT NOT NULL, key_id TEXT NOT NULL,
  mac TEXT NOT NULL,
  PRIMARY KEY (owner_id, kind)
) /* clustered */;
CREATE TABLE line_blocks (
  owner_id TEXT NOT NULL, last_id TEXT NOT NULL, after_id TEXT NOT NULL, records BYTES NOT NULL, mac TEXT NOT NULL,
  PRIMARY KEY (owner_id, last_id)
);
CREATE TABLE page_positions (
  owner_id TEXT NOT NULL, position_key TEXT NOT NULL, state TEXT NOT NULL, kept_at TEXT NOT NULL,
  PRIMARY KEY (owner_id, position_key)
) /* clustered */;
`

/** Like those of the store, but for the ledger, which is a separate file on SQLite. */
export const LEDGER_MIGRATIONS: readonly Migration[] = [[6, LEDGER_TABLES]]
