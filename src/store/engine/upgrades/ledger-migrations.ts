import type { Migration } from './store-migrations.ts'

/** Like those of the store, but for the ledger, which is a separate file on SQLite. */
export const LEDGER_MIGRATIONS: readonly Migration[] = [
  `
  CREATE TABLE disclosures (
    owner_id TEXT NOT NULL, disclosure_id TEXT NOT NULL, at TEXT NOT NULL, request_id TEXT NOT NULL,
    client_id TEXT NOT NULL, grant_ids TEXT NOT NULL, route TEXT NOT NULL, shown TEXT NOT NULL,
    PRIMARY KEY (owner_id, disclosure_id)
  ) /* clustered */;
  `,
  `
  CREATE TABLE page_positions (
    owner_id TEXT NOT NULL, position_key TEXT NOT NULL, state TEXT NOT NULL, kept_at TEXT NOT NULL,
    PRIMARY KEY (owner_id, position_key)
  ) /* clustered */;
  `,
  // Until then only responses that showed something were recorded, all of them with status 200 or 206.
  `
  ALTER TABLE disclosures ADD COLUMN status BIGINT NOT NULL DEFAULT 200;
  ALTER TABLE disclosures ADD COLUMN decided TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE disclosures ADD COLUMN query TEXT;
  `,
  // Older lines have no signature.
  `
  ALTER TABLE disclosures ADD COLUMN query_mac TEXT;
  ALTER TABLE disclosures ADD COLUMN chain_id TEXT;
  ALTER TABLE disclosures ADD COLUMN link_no BIGINT;
  ALTER TABLE disclosures ADD COLUMN opening TEXT;
  ALTER TABLE disclosures ADD COLUMN mac TEXT;
  CREATE TABLE ledger_marks (
    owner_id TEXT NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL, content TEXT NOT NULL, key_id TEXT NOT NULL,
    mac TEXT NOT NULL,
    PRIMARY KEY (owner_id, kind)
  ) /* clustered */;
  `,
  // Allows the lines of one client to be read without scanning those of others.
  `
  CREATE INDEX disclosures_by_client ON disclosures (owner_id, client_id, disclosure_id);
  `,
  `
  CREATE TABLE line_blocks (
    owner_id TEXT NOT NULL, last_id TEXT NOT NULL, after_id TEXT NOT NULL, records BYTES NOT NULL, mac TEXT NOT NULL,
    PRIMARY KEY (owner_id, last_id)
  );
  `,
]
