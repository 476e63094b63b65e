/** MUST, SHOULD, MUST for those who claim an optional profile, optional. */
type Level = 'M' | 'S' | 'P' | 'O'

export interface Row {
  id: string
  subject: string
  level: Level
  rule: string
}

/** Every rule with its level, by subject, in the order of their ids. */
const RULES: Record<string, readonly `${Level} ${string}`[]> = {
  'Selection requests': [
    'M A detail of PDPP Core is accepted; a detail with an unknown member is refused',
    'M source.id names a source that the server has accepted; source.kind may be absent and must match if it is present',
    'M purpose_code (an absolute URI, also an unknown one) and access_mode are required',
    'M A detail has either streams or selection_preset; a preset is expanded, an unknown one is refused',
    'M The stream * excludes others and is expanded; no stream is named twice',
    'M A stream that the source does not declare is refused',
    'M view and fields cannot be combined',
    'M A view becomes a list of fields in the grant; an unknown view is refused',
    'M Unknown fields are refused, and so are fields on a stream that does not allow selecting them',
    'M Every grant contains the fields that the schema requires',
    'M resources are accepted only where they can be selected; the parts of a compound key are counted',
    'M time_range is accepted only on a stream with consent_time_field',
    'M Named accounts are checked; without names the only eligible account is taken or the owner picks, never all',
    'M The owner can leave out an optional stream, and cannot leave out a required one',
    'M retention is accepted, shown and kept in the grant',
    'M Several details stay apart, each with its own purpose, access mode and grants',
    'M purpose_description is shown to the owner',
    'M An unknown purpose code is shown by its description or as the URI, and is never a reason to refuse',
    'M ai_training needs a control of its own that is not ticked beforehand',
    'M The claims of a client are shown as its own words, kept as evidence, and are not part of the grant',
    'M The client is named by registration, software statement, client_display or client_id, in this order',
    'M A trust signal is shown, otherwise the client counts as unverified and its logo is not fetched',
    'M Who asks, enforced terms, policies, the publisher’s descriptions and the client’s claims are visibly apart',
    'M The consent page says in words which time a time range is measured against',
    'M The authorization server answers 400 to an unsupported PDPP-Version',
    'S A stream is shown by label, description or name; pushed authorization requests are offered',
  ],
  'Source declarations': [
    'M A source declaration has the shape of PDPP Core with protocol_version 0.1.0',
    'M semantics and selection are required and valid',
    'M Stream names are unique, and none is *',
    'M Keys, cursor field, consent time field and views name declared fields only',
    'M A schema is JSON Schema 2020-12 and valid by its meta-schema',
    'M A schema has only references that begin with #',
    'M A preset names a stream once',
    'M extensions are kept and not interpreted',
    'M One snapshot of the declaration is used from the request to the kept evidence',
    'M Later revisions of a declaration widen no grant',
    'M Other content under a version that is known already is refused',
    'M Texts of a publisher are escaped and bounded',
  ],
  Consent: [
    'M Everything is resolved before the final page is shown',
    'M The approval is bound to a digest of everything that was shown',
    'M An approval of something that has changed in the meantime is refused',
    'M The evidence of a consent is kept',
    'M Nobody widens what was asked for',
  ],
  Grants: [
    'M A grant has exactly the members of PDPP Core',
    'M A grant has one source',
    'M Fields and accounts of a grant are explicit and not empty',
    'M The time field is frozen in the grant together with its bounds',
    'M A grant never changes; its state is kept beside it',
    'M since is included, until is excluded; later records are readable, later streams and fields are not',
    'M A grant of an unsupported version or stored shape is refused',
  ],
  Tokens: [
    'M A single_use grant is consumed with its first access token',
    'M The token of a single_use grant works until it expires',
    'M There is no refresh token for single_use',
    'M Using a replaced refresh token ends its family and their access tokens',
    'M A token never outlives its family or grant; expires_in is true',
    'M Token answers have Cache-Control: no-store and Pragma: no-cache',
    'M An authorization code works once',
    'M Revocation shows in introspection at once',
    'M Introspection tells pdpp_token_kind, subject_id, grant_id and the resolved rights',
    'M The kind of a token is known from its state; unknown kinds are unauthorized',
    'M An ended grant is 403 grant_revoked or 403 grant_expired',
    'M A grant that cannot be served as it was approved is 403 grant_invalid',
  ],
  'Streams and records': [
    'M The stream list shows what the grant opens',
    'M Stream metadata is complete',
    'M Records and lists have their envelopes',
    'M limit is 25 by default and 100 at most; more is clamped with the warning limit_clamped',
    'M Lists are ordered by cursor field, then primary key; missing values come last',
    'M A cursor of another order is invalid_cursor',
    'M Unknown parameters are 400',
    'M A client that sends filter[…] gets 400',
    'M A client that sends view, expand[] or expand_limit gets 400',
    'M fields keeps the fields that the schema requires',
    'M A field outside the schema is 400 unknown_field',
    'M Filters of an owner take scalars and declared ranges only, everything else is 400',
    'M Stream, account, time, fields and records of the grant are enforced on every request',
    'M Records are whole unless less was asked for',
  ],
  Changes: [
    'M A record is in the changes when what the grant shows of it has changed',
    'M The first page fixes the horizon; the last page has next_changes_since',
    'M Page cursors and change marks do not mix; a mark that is too old is 410 cursor_expired',
    'M Tombstones have deleted_at and emitted_at, and no data',
  ],
  'Single records and blobs': [
    'M One record is read by its canonical key; the owner deletes it with 204',
    'M A blob is readable only through a readable record; its headers are right; HEAD works',
    'M fetch_url is written by the server',
  ],
  'Errors and versions': [
    'M Errors have the envelope of PDPP Core',
    'M Without a valid token the answer is 401 authentication_error',
    'M 404 is not_found, 429 is rate_limit_exceeded, 500 is api_error',
    'M Every answer has Request-Id',
    'M Every answer has PDPP-Version',
    'M An unsupported PDPP-Version is 400 unsupported_version',
  ],
  'Owner tokens and capabilities': [
    'M An owner token opens the data of one subject',
    'S The owner can export everything with an owner token',
    'M Optional capabilities are found in the metadata, as an object',
    'O freshness has its members',
  ],
  Writing: [
    'M The key of a record and the key fields in its data agree, otherwise the record is refused',
    'M Keys are canonical; mutable_state replaces records',
    'M append_only: a second write of a key changes nothing',
    'M The mime_type of a blob reference is a media type',
  ],
  'Lexical search profile': [
    'P The profile is advertised as an object, without a token',
    'P streams[] selects streams; for the owner an unknown stream finds nothing',
    'P A hit has its members, matched_fields and a literal snippet',
    'P meta has count, count_accuracy and recall',
    'P Foreign parameters are 400, q is required, a stream outside the grant is 403',
    'P Only granted and declared fields are searched; cursors are not interchangeable',
  ],
  'Aggregation profile': [
    'P A stream that declares no aggregations is 404',
    'P Only what is declared and granted can be aggregated',
    'P minute is a granularity; an offset is not a time zone',
    'P limit is refused when it is out of range or without a group',
    'P The envelope is complete; groups are ordered; other_count counts the rest',
  ],
}

const ALL = Object.entries(RULES).flatMap(([subject, rules]) => rules.map(text => ({ subject, text })))

export const ROWS: readonly Row[] = ALL.map(({ subject, text }, index) => ({
  id: `PC-${index + 1}`,
  subject,
  level: text.charAt(0) as Level,
  rule: text.slice(2),
}))
