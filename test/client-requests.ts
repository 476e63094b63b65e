import { HOME_IDS, HUSHED, type Places, SECRET, SECRET_BLOB, WORK_IDS } from './hidden-scenarios.ts'

export interface ClientRequest {
  path: string
  method?: string
  headers?: Record<string, string>
}

/** What a client has kept from before the owner's last changes. */
export interface Earlier {
  mark: string
  windowCursor: string | null
  etag: string | null
}

const MESSAGES = '/v1/streams/messages'
const NOBODY = 'cin_nobody'

/** All requests by which a client could try to learn about hidden data. */
export function clientRequests(places: Places, earlier: Earlier): ClientRequest[] {
  return [
    ...described(places),
    ...listed(places),
    ...changed(earlier),
    ...read(places, earlier),
    ...windowed(places, earlier),
    ...aggregated(places),
    ...searched(places),
    ...byRole(),
    ...conversations(places),
    ...files(),
    ...refused(places),
  ]
}

function paths(base: string, queries: readonly string[]): ClientRequest[] {
  return queries.map(query => ({ path: query === '' ? base : `${base}?${query}` }))
}

function scopes({ work, home, hushed }: Places): string[] {
  return [work, home, hushed, NOBODY].map(connection => `connection_id=${connection}`)
}

function described(places: Places): ClientRequest[] {
  return [
    { path: '/v1/declarations' },
    ...paths('/v1/schema', [
      '',
      'view=compact',
      'stream=messages',
      `stream=${HUSHED}_notes`,
      'stream=none',
      ...scopes(places),
    ]),
    ...paths('/v1/streams', ['']),
    ...paths(MESSAGES, ['', ...scopes(places)]),
    ...paths(`/v1/streams/${HUSHED}_notes`, ['', ...scopes(places)]),
    ...paths('/v1/streams/none', ['']),
    { path: '/.well-known/oauth-protected-resource' },
    { path: '/.well-known/oauth-protected-resource/mcp' },
    { path: '/.well-known/oauth-protected-resource/mcp/research' },
    { path: '/healthz' },
    { path: '/readyz' },
  ]
}

function listed(places: Places): ClientRequest[] {
  const pages = ['limit=1', 'limit=3&order=asc&count=exact', 'limit=25&count=exact']
  const filters = [
    'where[from]=sender+1',
    `where[from]=${SECRET}`,
    'where[size]=77',
    'where[size][gte]=2&where[size][lt]=6&limit=2',
    'where[received_at][gte]=2026-03-04T00:00:00Z&limit=2',
    'where[received_at][gte]=2026-05-01&count=exact',
    `where[${HUSHED}]=first`,
    `where[${HUSHED}_size][gt]=1`,
    `where[${HUSHED}_size]=no+number`,
    `where[${HUSHED}_new][gte]=a`,
    'where[none]=first',
    'where[subject][gte]=a',
  ]
  const shapes = [
    'fields=id,subject',
    `fields=id,${HUSHED}`,
    'fields=none',
    'max_field_chars=5',
    'limit=0',
    'cursor=bm90aGluZw',
    `order=${HUSHED}`,
    'sort=size',
  ]
  return [
    ...paths(`${MESSAGES}/records`, ['', ...pages, ...filters.map(encodeURI), ...shapes, ...scopes(places)]),
    ...paths(`/v1/streams/${HUSHED}_notes/records`, ['']),
  ]
}

function changed({ mark }: Earlier): ClientRequest[] {
  const limits = [1, 4]
  return paths(
    `${MESSAGES}/records`,
    ['beginning', mark].flatMap(since => limits.map(limit => `changes_since=${since}&limit=${limit}`)),
  )
}

function read(places: Places, { etag }: Earlier): ClientRequest[] {
  const ids = [
    ...new Set([...WORK_IDS, ...HOME_IDS, 'm0', 'm8', 'm9', 'm10', 'x1', 'x2', 'z1', 'z2', 'nothing']),
  ]
  const one = `${MESSAGES}/records/m1`
  return [
    ...ids.map(id => ({ path: `${MESSAGES}/records/${id}` })),
    ...['m2', 'm3', 'm6', 'x1'].map(id => ({
      path: `${MESSAGES}/records/${id}?connection_id=${places.work}`,
    })),
    ...paths(one, [
      ...scopes(places),
      `connection_id=${places.work}&fields=id,body`,
      'fields=none',
      `fields=${HUSHED}`,
    ]),
    ...paths(`${MESSAGES}/records/m3`, ['max_field_chars=10']),
    { path: `${one}?connection_id=${places.work}`, method: 'HEAD' },
    { path: `${one}?connection_id=${places.work}`, headers: { 'If-None-Match': etag ?? '*' } },
    { path: `/v1/streams/${HUSHED}_notes/records/n1` },
  ]
}

function windowed(places: Places, { windowCursor }: Earlier): ClientRequest[] {
  const window = `${MESSAGES}/records/m3/field-window`
  const scope = `connection_id=${places.work}`
  const fields = [
    'body',
    'subject',
    'size',
    HUSHED,
    `/${HUSHED}`,
    `/${HUSHED}_file/blob_id`,
    'none',
    `${HUSHED}_title`,
    'received_at',
  ]
  return [
    ...paths(
      window,
      fields.map(field => `field=${field}&${scope}&q=${SECRET}`),
    ),
    ...paths(window, [
      'field=body&q=body+of&before_chars=5&after_chars=5',
      'field=body&offset_chars=16380&limit_chars=10',
      'field=body&offset_chars=999999',
      `field=body&cursor=${windowCursor ?? 'bm90aGluZw'}`,
    ]),
    ...['m0', 'm1', 'm2', 'm6', 'm8', 'x1', 'nothing'].map(id => ({
      path: `${MESSAGES}/records/${id}/field-window?field=body`,
    })),
    ...paths(
      `${MESSAGES}/records/m1/field-window`,
      scopes(places).map(one => `field=body&${one}`),
    ),
  ]
}

function aggregated(places: Places): ClientRequest[] {
  const open = ['size', 'from', 'subject', HUSHED, 'none']
  const metrics = ['max', 'count_distinct'].flatMap(metric =>
    ['size', 'received_at', 'body', `${HUSHED}_at`, HUSHED].map(field => `metric=${metric}&field=${field}`),
  )
  const groups = open.map(field => `group_by=${field}&limit=2`)
  const times = ['received_at', `${HUSHED}_at`, 'subject', 'none'].flatMap(field =>
    ['hour', 'day'].map(granularity => `group_by_time=${field}&granularity=${granularity}&limit=100`),
  )
  const zone = 'group_by_time=received_at&granularity=day&time_zone=Asia/Kolkata'
  const filters = ['where[size][gte]=3', `where[from]=${SECRET}`, `where[${HUSHED}]=first`].map(encodeURI)
  const words = ['body', `${SECRET}`, 'body subject', 'body -m2', '"body of"', 'bod*', 'from:sender body']
  const byTime = 'group_by_time=received_at&granularity=day'
  const queries = words
    .map(encodeURIComponent)
    .flatMap(q => [`q=${q}`, `q=${q}&group_by=from&split_by=size`, `q=${q}&${byTime}&order=desc&limit=2`])
  const splits = ['from', 'size', 'subject', HUSHED, 'none'].map(
    field => `${byTime}&split_by=${field}&split_limit=1`,
  )
  return paths(`${MESSAGES}/aggregate`, [
    '',
    ...queries,
    ...splits,
    `q=body&person=sender`,
    `q=body&since=2026-03-05T00:00:00Z&until=2026-03-13T00:00:00Z`,
    ...metrics,
    ...groups,
    ...times,
    zone,
    ...filters,
    ...scopes(places),
  ])
}

function searched(places: Places): ClientRequest[] {
  const words = [
    SECRET,
    'first',
    'body',
    'subject',
    'sender',
    `${SECRET}*`,
    `body -${SECRET}`,
    '"body of"',
    'nowhere',
  ]
  const scoped = [
    ...scopes(places),
    'streams=messages',
    `streams=${HUSHED}_notes`,
    'since=2026-03-05',
    'until=2026-03-05',
  ]
  const filters = ['where[size][gte]=3', `where[${HUSHED}]=first`].map(encodeURI)
  const records = ['m1', 'm3', 'x1'].map(
    id => `record=${encodeURIComponent(`${places.work}/messages:${id}`)}`,
  )
  return paths('/v1/search', [
    ...words.map(word => `q=${encodeURIComponent(word)}`),
    ...['limit=1', 'windows=0', 'sort=newest&limit=2', 'sort=oldest', ...scoped, ...records].map(
      one => `q=body&${one}`,
    ),
    ...[...records, 'limit=2'].map(one => `q=${SECRET}+subject&${one}`),
    ...filters.map(one => `q=subject&streams=messages&${one}`),
  ])
}

/** Requests for people, places and times, which are found by field roles. */
function byRole(): ClientRequest[] {
  const people = ['sender', 'ada', SECRET, HUSHED, 'nobody']
  const conditions = [
    ...people.flatMap(name => [`person=${name}`, `from=${name}`, `with=${name}`, `to=${name}`]),
    `in=${SECRET}`,
    'has=attachment',
    'since=2026-03-05',
    'until=2026-03-05',
  ]
  const operators = [
    'from:sender',
    `from:${SECRET} body`,
    'with:ada subject',
    'on:2026-03-05',
    `in:${HUSHED} body`,
  ]
  return [
    ...paths('/v1/records', ['', 'limit=2', 'streams=messages', `streams=${HUSHED}_notes`, ...conditions]),
    ...paths(`${MESSAGES}/records`, conditions),
    ...paths(`${MESSAGES}/aggregate`, conditions),
    ...paths('/v1/search', [
      ...conditions.map(one => `q=body&${one}`),
      ...operators.map(query => `q=${encodeURIComponent(query)}`),
    ]),
  ]
}

function conversations(places: Places): ClientRequest[] {
  return ['m1', 'm3', 'm5', 'x1', 'none'].flatMap(id =>
    paths(`${MESSAGES}/records/${id}/conversation`, [
      `connection_id=${places.work}`,
      `connection_id=${places.work}&before=1&after=1`,
      `connection_id=${places.hushed}`,
    ]),
  )
}

function files(): ClientRequest[] {
  const path = `/v1/blobs/${SECRET_BLOB}`
  return [
    { path },
    { path, method: 'HEAD' },
    { path, headers: { Range: 'bytes=0-3' } },
    { path, headers: { 'If-None-Match': '*' } },
    { path: `/v1/blobs/sha256-${'0'.repeat(64)}` },
  ]
}

/** Routes of the owner, wrong methods, addresses that do not exist. */
function refused({ work, hushed }: Places): ClientRequest[] {
  return [
    ...['declarations', 'connections', `connections/${hushed}`, 'grants', 'clients', 'disclosures'].map(
      name => ({
        path: `/v1/owner/${name}`,
      }),
    ),
    { path: `/v1/owner/connections/${hushed}`, method: 'DELETE' },
    { path: `${MESSAGES}/records/m1?connection_id=${work}`, method: 'DELETE' },
    { path: `/v1/ingest/messages?connection_id=${work}`, method: 'POST' },
    { path: '/v1/blobs', method: 'POST' },
    { path: `${MESSAGES}/records`, method: 'PUT' },
    { path: '/v1/everything' },
  ]
}
