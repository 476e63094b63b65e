import { table } from '../engine/table.ts'

/** Tables of `engine/upgrades/` as code writes and reads them. A column added there must be added here. */
export const CLIENTS = table('clients', ['owner_id', 'client_id'], {
  owner_id: 'text',
  client_id: 'text',
  name: 'text',
  created_at: 'text',
  origin: 'text?',
})

export const GRANTS = table('grants', ['owner_id', 'grant_id'], {
  owner_id: 'text',
  grant_id: 'text',
  client_id: 'text',
  created_at: 'text',
  expires_at: 'text?',
  single_use: 'bigint',
  consumed_at: 'text?',
  revoked_at: 'text?',
  content: 'text',
})

export const TOKENS = table('tokens', ['owner_id', 'token_hash'], {
  owner_id: 'text',
  token_hash: 'text',
  kind: 'text',
  created_at: 'text',
  expires_at: 'text?',
})

export const TOKEN_GRANTS = table('token_grants', ['owner_id', 'token_hash', 'grant_id'], {
  owner_id: 'text',
  token_hash: 'text',
  grant_id: 'text',
})

export const CONSENTS = table('consents', ['owner_id', 'consent_id'], {
  owner_id: 'text',
  consent_id: 'text',
  client_id: 'text',
  interaction_hash: 'text',
  decided_at: 'text',
  strict: 'bigint',
  evidence: 'text?',
})

export const CONSENT_GRANTS = table('consent_grants', ['owner_id', 'consent_id', 'grant_id'], {
  owner_id: 'text',
  consent_id: 'text',
  grant_id: 'text',
})

export const AUDIT_EVENTS = table('audit_events', ['owner_id', 'event_id'], {
  owner_id: 'text',
  event_id: 'text',
  at: 'text',
  event: 'text',
  actor: 'text',
  client_id: 'text?',
  grant_id: 'text?',
  detail: 'text?',
})

export const OAUTH_ARTIFACTS = table('oauth_artifacts', ['owner_id', 'model', 'artifact_key'], {
  owner_id: 'text',
  model: 'text',
  artifact_key: 'text',
  consent_id: 'text?',
  lookup_key: 'text?',
  payload: 'text',
  created_at: 'text',
  expires_at: 'text?',
  consumed_at: 'text?',
  asked_from: 'text?',
})

export const SIGN_IN_LINKS = table('sign_in_links', ['owner_id', 'link_hash'], {
  owner_id: 'text',
  link_hash: 'text',
  created_at: 'text',
  expires_at: 'text',
})

export const OWNER_SESSIONS = table('owner_sessions', ['owner_id', 'session_hash'], {
  owner_id: 'text',
  session_hash: 'text',
  created_at: 'text',
  expires_at: 'text',
  browser: 'text?',
  seen_at: 'text?',
})

export const PASSKEYS = table('passkeys', ['owner_id', 'credential_id'], {
  owner_id: 'text',
  credential_id: 'text',
  rp_id: 'text',
  public_key: 'text',
  counter: 'bigint',
  name: 'text',
  created_at: 'text',
  used_at: 'text?',
})

/** Challenges that a passkey has answered, stored until they expire. */
export const USED_CHALLENGES = table('used_challenges', ['owner_id', 'challenge_hash'], {
  owner_id: 'text',
  challenge_hash: 'text',
  expires_at: 'text',
})

export const LIMIT_USAGE = table('limit_usage', ['owner_id', 'limit_key'], {
  owner_id: 'text',
  limit_key: 'text',
  used_until: 'bigint',
  used_since: 'bigint',
})

export const PASSPHRASES = table('passphrases', ['owner_id'], {
  owner_id: 'text',
  salt: 'text',
  hash: 'text',
  changed_at: 'text',
})

export const DISCLOSURES = table('disclosures', ['owner_id', 'disclosure_id'], {
  owner_id: 'text',
  disclosure_id: 'text',
  at: 'text',
  request_id: 'text',
  client_id: 'text',
  grant_ids: 'text',
  route: 'text',
  shown: 'text',
  status: 'bigint',
  decided: 'text',
  query: 'text?',
  query_mac: 'text?',
  chain_id: 'text?',
  link_no: 'bigint?',
  opening: 'text?',
  mac: 'text?',
})

export const LEDGER_MARKS = table('ledger_marks', ['owner_id', 'kind'], {
  owner_id: 'text',
  kind: 'text',
  at: 'text',
  content: 'text',
  key_id: 'text',
  mac: 'text',
})

/** Where pages of lists end, for cursors too short to contain it. */
export const PAGE_POSITIONS = table('page_positions', ['owner_id', 'position_key'], {
  owner_id: 'text',
  position_key: 'text',
  state: 'text',
  kept_at: 'text',
})
