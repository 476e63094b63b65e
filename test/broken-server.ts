import type { Loose } from '../conformance/target.ts'

/** A request as the broken server sees it: the path with its decoded query, and the body. */
interface Asked {
  method: string
  path: string
  body: string
}

/** The correct answer, for a breakage to change. */
interface Told {
  status: number
  headers: Headers
  body: Loose
}

type Breakage = (asked: Asked, told: Told) => void

/** A server that answers like the one behind it, except for one rule. */
export function broken(breakage: Breakage): typeof fetch {
  return async (input, init) => {
    const url = new URL(String(input))
    const response = await fetch(input, init)
    const text = await response.text()
    const told = { status: response.status, headers: new Headers(response.headers), body: parsed(text) }
    const body = typeof init?.body === 'string' ? init.body : String(init?.body ?? '')
    breakage(
      { method: init?.method ?? 'GET', path: decodeURIComponent(url.pathname + url.search), body },
      told,
    )
    const isEmpty = told.status === 204 || init?.method === 'HEAD'
    const answer = told.body === null ? text : JSON.stringify(told.body)
    return new Response(isEmpty ? null : answer, told)
  }
}

function parsed(text: string): Loose {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Changes the value at a path such as `data.*.id`; undefined removes it. */
function change(value: Loose, [first = '', ...rest]: string[], to: Loose): void {
  if (typeof value !== 'object' || value === null) return
  if (first === '*') for (const child of Object.values(value)) change(child, rest, to)
  else if (rest.length > 0) change(value[first], rest, to)
  else if (to === undefined) delete value[first]
  else value[first] = typeof to === 'function' ? to(value[first]) : to
}

/** Changes one member of the answers with a matching path. */
const setting =
  (fits: RegExp, path: string, to: Loose): Breakage =>
  (asked, told) => {
    if (fits.test(asked.path)) change(told.body, path.split('.'), to)
  }

const removing = (fits: RegExp, path: string) => setting(fits, path, undefined)

/** Accepts everything that would be refused. */
const accepting =
  (fits: RegExp, status = 200): Breakage =>
  (asked, told) => {
    if (!fits.test(asked.path) || told.status < 400) return
    told.status = status
    told.body = { object: 'list', url: '/', data: [], has_more: false, request_uri: 'urn:x', rejected: 0 }
  }

/** Refuses with a wrong code. */
const renaming = (fits: RegExp, code: string): Breakage => setting(fits, 'error.code', code)

const withHeader =
  (name: string, value: string | null): Breakage =>
  (_, { headers }) => {
    if (value === null) headers.delete(name)
    else headers.set(name, value)
  }

/** Changes every object with a blob_id. */
const blobs =
  (member: string, to: Loose): Breakage =>
  (_, told) => {
    const look = (value: Loose): void => {
      if (typeof value !== 'object' || value === null) return
      if (typeof value.blob_id === 'string' && 'mime_type' in value) value[member] = to
      for (const child of Object.values(value)) look(child)
    }
    look(told.body)
  }

const ANY = /./
const LIST = /^\/v1\/streams\/\w+\/records(\?|$)/
const RECORD = /^\/v1\/streams\/\w+\/records\//
const METADATA = /^\/v1\/streams\/\w+$/
const PAR = /\/(par|request)$/
const SEARCH = /^\/v1\/search/
const AGGREGATE = /\/aggregate/
const DECLARATIONS = /^\/v1\/owner\/declarations/
const GRANTS = /^\/v1\/owner\/grants/
const INGEST = /^\/v1\/ingest/
const RESOURCE = /oauth-protected-resource/

const acceptsAnyRequest = accepting(PAR, 201)
const acceptsAnyDeclaration = accepting(DECLARATIONS, 201)

/** For each check, by its title, a server that violates it. */
export const BREAKAGES: Readonly<Record<string, Breakage>> = {
  'an error has type, code, message and request_id': removing(ANY, 'error.request_id'),
  'no token and an unknown token are 401 authentication_error': renaming(ANY, 'invalid_token'),
  'a token of an unknown kind opens nothing': accepting(ANY),
  'an address that does not exist is 404 not_found': renaming(ANY, 'route_not_found'),
  'every answer has Request-Id': withHeader('Request-Id', null),
  'every answer has PDPP-Version': withHeader('PDPP-Version', null),
  'an unsupported PDPP-Version is 400 unsupported_version': accepting(ANY),
  'an unknown parameter is 400 invalid_request': accepting(ANY),

  'capabilities is an object': setting(RESOURCE, 'capabilities', ['search']),
  'lexical_retrieval has its members, and the route fits them': removing(
    RESOURCE,
    'capabilities.lexical_retrieval.max_limit',
  ),
  'pushed requests of the type data-access are offered': removing(
    ANY,
    'authorization_details_types_supported',
  ),

  'the stream list has name, record_count and last_updated': removing(ANY, 'data.*.record_count'),
  'a stream outside the grant is 403 grant_stream_not_allowed': renaming(ANY, 'not_found'),
  'stream metadata has every member': removing(METADATA, 'relationships'),
  'selection has two booleans, semantics is known': setting(METADATA, 'selection.fields', 'yes'),
  'key, cursor, consent time and views name declared fields': setting(METADATA, 'cursor_field', 'nowhere'),
  'schemas are of JSON Schema 2020-12': setting(
    METADATA,
    'schema.$schema',
    'http://json-schema.org/draft-07/schema#',
  ),
  'schemas have only references that begin with #': setting(METADATA, 'schema.properties.far', {
    $ref: 'https://example.org/far',
  }),
  'freshness has captured_at, last_attempted_at and status': setting(ANY, 'data.*.freshness.status', 'good'),

  'lists and records have their envelopes': removing(LIST, 'data.*.emitted_at'),
  'pages of one record are the list': setting(/cursor=/, 'data', []),
  'limit above 100 is 100 with the warning limit_clamped': removing(LIST, 'meta'),
  'lists are ordered by cursor field, missing values last': setting(/order=asc/, 'data', (data: Loose[]) =>
    data.toReversed(),
  ),
  'a cursor with another order is invalid_cursor': accepting(LIST),
  'a client’s filter is 400 invalid_request': accepting(LIST),
  'a client’s view and expand are 400 invalid_request': accepting(LIST),
  'a field outside the schema is 400 unknown_field': renaming(LIST, 'invalid_request'),
  'fields keeps the fields that the schema requires': removing(/fields=/, 'data.*.data.walk_id'),
  'one record is read by its percent-encoded key': setting(RECORD, 'id', 'another'),
  'a client cannot delete': ({ method }, told) => {
    if (method === 'DELETE') told.status = 204
  },

  'the changes from the beginning are the records; the last page has the next mark': removing(
    /changes_since=beginning/,
    'next_changes_since',
  ),
  'the last page of a plain list has next_changes_since': removing(LIST, 'next_changes_since'),
  'page cursors and change marks do not mix': accepting(LIST),

  'an unknown blob is 404 blob_not_found': renaming(ANY, 'not_found'),
  'a blob has its headers, and HEAD answers the same': withHeader('Cache-Control', 'public'),
  'fetch_url leads to the server itself': blobs('fetch_url', 'https://elsewhere.example/'),
  'the mime_type of a blob reference is a media type': blobs('mime_type', 'nonsense'),

  'streams[] selects streams': setting(SEARCH, 'data.*.stream', 'another'),
  'for the owner an unknown stream finds nothing': setting(SEARCH, 'data', [{}]),
  'a hit has its members': removing(SEARCH, 'data.*.record_key'),
  'the snippet is literal text of a matched field': setting(SEARCH, 'data.*.snippet', {
    field: 'notes',
    text: 'Made up',
  }),
  'meta has count, count_accuracy and recall': removing(SEARCH, 'meta'),
  'foreign parameters are 400, q is required': accepting(SEARCH),
  'a stream outside the grant is 403': accepting(SEARCH),
  'matched_fields are declared as searchable': setting(SEARCH, 'data.*.matched_fields', ['place']),
  'cursors of search and of records are not interchangeable': accepting(SEARCH),

  'a stream that declares no aggregations is 404 not_found': accepting(AGGREGATE),
  'what is not declared is 400': accepting(AGGREGATE),
  'minute is a granularity, an offset is not a time zone': accepting(AGGREGATE),
  'limit is refused out of range and without a group': accepting(AGGREGATE),
  'the envelope of a figure is complete': removing(AGGREGATE, 'filtered_record_count'),
  'buckets are in order of time, and other_count counts the rest': setting(
    AGGREGATE,
    'groups',
    (groups: Loose[]) => groups.toReversed(),
  ),
  'groups are ordered by count, then key': setting(AGGREGATE, 'groups', (groups: Loose[]) =>
    groups.toReversed(),
  ),
  'the aggregation of a stream outside the grant is 403': renaming(AGGREGATE, 'not_found'),

  'the owner reads streams and records without a grant': removing(LIST, 'data.*.data'),
  'a client sees nothing that the owner does not have': setting(LIST, 'data.*.data.pace', 99),
  'an owner’s filter takes scalars and declared ranges only': accepting(LIST),

  'a detail is accepted, with an unknown member it is refused': acceptsAnyRequest,
  'only an accepted source can be asked for, of its own kind': acceptsAnyRequest,
  'purpose and access mode are required, any purpose URI is accepted': acceptsAnyRequest,
  'either streams or a preset': acceptsAnyRequest,
  'streams are declared, named once, and * excludes others': acceptsAnyRequest,
  'a view excludes fields, and must be declared': acceptsAnyRequest,
  'fields must be declared': acceptsAnyRequest,
  'fields are refused where they cannot be selected': acceptsAnyRequest,
  'resources are refused where they cannot be selected': acceptsAnyRequest,
  'a compound key has as many parts as declared': acceptsAnyRequest,
  'a time range needs a consent time': acceptsAnyRequest,
  'a time range is accepted where there is a consent time': acceptsAnyRequest,
  'necessity must be required or optional': acceptsAnyRequest,
  'retention is accepted in its exact form': acceptsAnyRequest,
  'every detail is checked': acceptsAnyRequest,
  'claims are accepted in their exact form': acceptsAnyRequest,
  'an unsupported PDPP-Version is 400': acceptsAnyRequest,

  'token answers are not stored': withHeader('Pragma', null),
  'introspection tells kind, subject and resolved rights': removing(ANY, 'pdpp_token_kind'),
  'introspection of an unknown token is inactive': setting(ANY, 'active', true),

  'a declaration of another shape is refused': acceptsAnyDeclaration,
  'semantics and selection are required and valid': acceptsAnyDeclaration,
  'stream names are unique and not *': acceptsAnyDeclaration,
  'undeclared fields are refused': acceptsAnyDeclaration,
  'other drafts and invalid schemas are refused': acceptsAnyDeclaration,
  'references to elsewhere are refused': acceptsAnyDeclaration,
  'a preset that names a stream twice is refused': acceptsAnyDeclaration,
  'extensions are kept as they are': removing(DECLARATIONS, 'data.*.extensions'),
  'other content under a known version is refused': acceptsAnyDeclaration,
  'texts without bounds are refused': acceptsAnyDeclaration,

  'a grant has exactly its members': setting(GRANTS, 'grants.*.status', 'active'),
  'required fields are in the grant': setting(GRANTS, 'grants.*.streams.*.fields', ['km']),
  'since is included and until is excluded': removing(GRANTS, 'grants.*.streams.*.time_constraint.until'),
  'later records are readable': setting(LIST, 'data', []),
  'a grant is the same after it has ended': setting(GRANTS, 'grant.access_mode', 'ended'),
  'fields and records outside the grant are not readable': accepting(RECORD),
  'a revoked grant is 403 grant_revoked': accepting(ANY),
  'an expired grant is 403 grant_expired': accepting(ANY),
  'a grant whose account is gone is 403 grant_invalid': accepting(ANY),

  'a record without cursor value is last in both orders': setting(LIST, 'data', (data: Loose[]) =>
    data.toReversed(),
  ),
  'a long text is whole, in a list and alone': setting(LIST, 'data.*.data.notes', (notes: string) =>
    notes?.slice(0, 16_384),
  ),
  'only changes of what is granted show': setting(/changes_since=(?!beginning)/, 'data', [{ id: 'x' }]),
  'a deleted record is a tombstone without data': removing(LIST, 'data.*.deleted_at'),
  'the owner deletes a record with 204': ({ method }, told) => {
    if (method === 'DELETE') told.status = 200
  },
  'a blob is readable only through a granted field': accepting(/^\/v1\/blobs/),
  'the address of a producer is not passed on': blobs('fetch_url', 'https://elsewhere.example/blob'),
  'a key that differs from the data is refused': setting(INGEST, 'rejected', 0),
  'a second write replaces a mutable record': setting(RECORD, 'data.km', 1),
  'a compound key is a JSON array of strings': setting(RECORD, 'id', 'w1,2'),
  'a second write of an append-only record changes nothing': setting(RECORD, 'data.word', 'second'),
  'a blob reference with a wrong mime_type is refused': setting(INGEST, 'rejected', 0),
}
