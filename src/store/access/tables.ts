import { each, table } from '../engine/table.ts'

/** Tables of `engine/upgrades/` as code writes and reads them. A column added there must be added here. */
export const CLIENTS = table('clients', ['owner_id', 'client_id'], {
  ...each('text', 'owner_id', 'client_id', 'name', 'created_at'),
  origin: 'text?',
})

export const GRANTS = table('grants', ['owner_id', 'grant_id'], {
  ...each('text', 'owner_id', 'grant_id', 'client_id', 'created_at'),
  expires_at: 'text?',
  single_use: 'bigint',
  ...each('text?', 'consumed_at', 'revoked_at'),
  content: 'text',
})

export const TOKENS = table('tokens', ['owner_id', 'token_hash'], {
  ...each('text', 'owner_id', 'token_hash', 'kind', 'created_at'),
  expires_at: 'text?',
})

export const TOKEN_GRANTS = table('token_grants', ['owner_id', 'token_hash', 'grant_id'], {
  ...each('text', 'owner_id', 'token_hash', 'grant_id'),
})

export const CONSENTS = table('consents', ['owner_id', 'consent_id'], {
  ...each('text', 'owner_id', 'consent_id', 'client_id', 'interaction_hash', 'decided_at'),
  strict: 'bigint',
  evidence: 'text?',
})

export const CONSENT_GRANTS = table('consent_grants', ['owner_id', 'consent_id', 'grant_id'], {
  ...each('text', 'owner_id', 'consent_id', 'grant_id'),
})

export const AUDIT_EVENTS = table('audit_events', ['owner_id', 'event_id'], {
  ...each('text', 'owner_id', 'event_id', 'at', 'event', 'actor'),
  ...each('text?', 'client_id', 'grant_id', 'detail'),
})

export const OAUTH_ARTIFACTS = table('oauth_artifacts', ['owner_id', 'model', 'artifact_key'], {
  ...each('text', 'owner_id', 'model', 'artifact_key'),
  ...each('text?', 'consent_id', 'lookup_key'),
  ...each('text', 'payload', 'created_at'),
  ...each('text?', 'expires_at', 'consumed_at', 'asked_from'),
})

export const SIGN_IN_LINKS = table('sign_in_links', ['owner_id', 'link_hash'], {
  ...each('text', 'owner_id', 'link_hash', 'created_at', 'expires_at'),
})

export const OWNER_SESSIONS = table('owner_sessions', ['owner_id', 'session_hash'], {
  ...each('text', 'owner_id', 'session_hash', 'created_at', 'expires_at'),
  ...each('text?', 'browser', 'seen_at'),
})

export const PASSKEYS = table('passkeys', ['owner_id', 'credential_id'], {
  ...each('text', 'owner_id', 'credential_id', 'rp_id', 'public_key'),
  counter: 'bigint',
  ...each('text', 'name', 'created_at'),
  used_at: 'text?',
})

/** Challenges that a passkey has answered, stored until they expire. */
export const USED_CHALLENGES = table('used_challenges', ['owner_id', 'challenge_hash'], {
  ...each('text', 'owner_id', 'challenge_hash', 'expires_at'),
})

export const LIMIT_USAGE = table('limit_usage', ['owner_id', 'limit_key'], {
  ...each('text', 'owner_id', 'limit_key'),
  ...each('bigint', 'used_until', 'used_since'),
})

export const PASSPHRASES = table('passphrases', ['owner_id'], {
  ...each('text', 'owner_id', 'salt', 'hash', 'changed_at'),
})

export const SIGN_IN_FAILURES = table('sign_in_failures', ['owner_id'], {
  owner_id: 'text',
  failures: 'bigint',
  blocked_until: 'text?',
})

export const DISCLOSURES = table('disclosures', ['owner_id', 'disclosure_id'], {
  ...each('text', 'owner_id', 'disclosure_id', 'at', 'request_id'),
  ...each('text', 'client_id', 'grant_ids', 'route', 'shown'),
  status: 'bigint',
  decided: 'text',
  ...each('text?', 'query', 'query_mac', 'chain_id'),
  link_no: 'bigint?',
  ...each('text?', 'opening', 'mac'),
})

export const LEDGER_MARKS = table('ledger_marks', ['owner_id', 'kind'], {
  ...each('text', 'owner_id', 'kind', 'at', 'content', 'key_id', 'mac'),
})

/** Successive lines of the ledger, with hashes of the records that they show. */
export const LINE_BLOCKS = table('line_blocks', ['owner_id', 'last_id'], {
  ...each('text', 'owner_id', 'last_id', 'after_id'),
  records: 'bytes',
  mac: 'text',
})

/** Where pages of lists end, for cursors too short to contain it. */
export const PAGE_POSITIONS = table('page_positions', ['owner_id', 'position_key'], {
  ...each('text', 'owner_id', 'position_key', 'state', 'kept_at'),
})
