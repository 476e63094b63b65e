import type { Random } from './random.ts'
import { type Asked, handle, type Parameters, query, some, type TwinRequest } from './twin-asked.ts'
import { called } from './twin-calls.ts'
import { FIELDS, FILES, RECORD_IDS, STREAMS, WORDS } from './twin-world.ts'

/** A random request of a client that knows these connections. */
export function twinRequest(random: Random, connections: readonly string[]): TwinRequest {
  const [connection, stream, id] = [random.pick(connections), random.pick(STREAMS), random.pick(RECORD_IDS)]
  return random.pick(REQUESTS)({ random, connection, stream, id })
}

const REQUESTS: readonly ((asked: Asked) => TwinRequest)[] = [
  listed,
  listed,
  changed,
  byTime,
  read,
  windowed,
  searched,
  searched,
  searched,
  searchedInside,
  aggregated,
  conversation,
  unplaced,
  bytesOfBlob,
  refused,
  described,
  called,
]

function address(path: string, parameters: Parameters): TwinRequest {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) query.set(name, String(value))
  return { path: query.size > 0 ? `${path}?${query}` : path }
}

/** A record by its id alone, which several connections may have. */
function unplaced(asked: Asked): TwinRequest {
  const { random } = asked
  const way = random.pick(['', '', '/conversation', '/field-window'])
  const field = way === '/field-window' ? { field: random.pick(FIELDS) } : {}
  const some_fields = way === '' && random.chance(0.5) ? { fields: random.some(FIELDS, 0.4).join() } : {}
  return address(recordPath(asked) + way, { ...field, ...some_fields })
}

function bytesOfBlob({ random }: Asked): TwinRequest {
  const headers = some(random, 0.5, { Range: ['bytes=1-2', 'bytes=9-', 'bytes=-1'], 'If-None-Match': ['*'] })
  const method = random.pick(['GET', 'HEAD'])
  const init = { method, headers: headers as Record<string, string> }
  return { path: `/v1/blobs/${random.pick(FILES).blob_id}`, init }
}

/** What is nearly always refused, with a message that says what there is. */
function refused({ random, connection, stream, id }: Asked): TwinRequest {
  const place = `/v1/streams/${stream}`
  const unknown = random.pick(['none', 'At', 'body', 'extra'])
  return random.pick([
    address('/v1/streams/gamma/records', {}),
    address('/v1/search', { q: 'walrus', 'streams[]': 'gamma' }),
    address('/v1/search', { q: 'walrus', connection_id: 'cin_none' }),
    address('/v1/search', { q: 'walrus', streams: stream, [`where[${unknown}]`]: 'x' }),
    address('/v1/search', { q: 'walrus', record: `${stream}:${id}` }),
    address('/v1/search', { q: 'walrus', record: `${connection}/gamma:${id}` }),
    address(`${place}/records`, { fields: unknown }),
    address(`${place}/records`, { [`where[${unknown}][gte]`]: '2026' }),
    address(`${place}/records`, { connector: 'none' }),
    address(`${place}/aggregate`, { group_by: unknown }),
    address(`${place}/aggregate`, { metric: 'sum', field: unknown }),
    address(`${place}/aggregate`, { group_by_time: unknown, granularity: 'day' }),
    { path: `${place}/records/${encodeURIComponent(id)}`, init: { method: 'DELETE' } },
  ])
}

const recordPath = ({ stream, id }: Asked) => `/v1/streams/${stream}/records/${encodeURIComponent(id)}`

const page = (random: Random) => some(random, 0.6, { limit: [1, 2, 3, 5, 100] })

const narrowing = (random: Random) =>
  some(random, 0.1, {
    person: ['ada', 'grace', 'nobody', 'walrus', 'me'],
    from: ['ada', 'müller', 'me'],
    to: ['grace', 'me'],
    with: ['ada@x.org'],
    type: ['pdf', 'image'],
    in: ['harbour', 'inbox'],
    has: ['attachment'],
    since: ['2026-01-31', '2026-02-01T00:10:00Z', '2026-02'],
    until: ['2026-02-01', '2026-02-01T06:10:00Z'],
  })

const where = (random: Random) =>
  some(random, 0.06, {
    [`where[${random.pick(FIELDS)}]`]: ['ada', '7', 'harbour', 't1', 'true', 'walrus'],
    'where[n][gte]': [2],
    'where[at][lt]': ['2026-02-01'],
    'where[thread]': ['t1'],
    [`where[${random.pick(FIELDS)}][contains]`]: ['ada', 'harbour', 'plan', '7', 'sha256'],
    [`where[${random.pick(FIELDS)}][in]`]: ['t1', 'Müller', 'general'],
    'where[other_at][gte]': ['2026-01-31T18:00:00Z'],
  })

const zone = (random: Random) =>
  some(random, 0.1, { time_zone: ['Asia/Kolkata', 'America/New_York', 'Pacific/Apia'] })

function listed({ random, connection, stream }: Asked): TwinRequest {
  return address(`/v1/streams/${stream}/records`, {
    ...{ ...page(random), ...narrowing(random), ...where(random) },
    ...some(random, 0.3, { order: ['asc'], count: ['exact'], connection_id: [connection] }),
    ...some(random, 0.2, { fields: [random.some(FIELDS, 0.4).join()], max_field_chars: [20] }),
  })
}

function changed({ random, connection, stream }: Asked): TwinRequest {
  return address(`/v1/streams/${stream}/records`, {
    ...{ changes_since: 'beginning', ...page(random) },
    ...some(random, 0.3, { connection_id: [connection], fields: ['id'] }),
  })
}

function byTime({ random }: Asked): TwinRequest {
  const order = some(random, 0.3, { order: ['asc'], count: ['exact'] })
  const narrowed = some(random, 0.1, {
    'streams[]': STREAMS,
    connector: ['left', 'right'],
    max_field_chars: [20],
  })
  return address('/v1/records', {
    ...page(random),
    ...narrowing(random),
    ...order,
    ...narrowed,
    ...zone(random),
    ...some(random, 0.2, { fields: [random.some(FIELDS, 0.4).join()] }),
  })
}

function read(asked: Asked): TwinRequest {
  const { random, connection } = asked
  const cut = some(random, 0.3, { max_field_chars: [10] })
  const request = address(recordPath(asked), { connection_id: connection, ...cut })
  return random.chance(0.1) ? { ...request, init: { method: 'HEAD' } } : request
}

function windowed(asked: Asked): TwinRequest {
  const { random, connection } = asked
  const field = random.pick([...FIELDS, '/parts/1/a~1b', '/parts/deep/blob_id', '/to/0', 'none'])
  const place = random.chance(0.5)
    ? { q: random.pick(WORDS), ...some(random, 0.3, { before_chars: [0, 30], after_chars: [0, 30] }) }
    : some(random, 0.5, { offset_chars: [0, 5, 8190, 16380, 99999], limit_chars: [50] })
  return address(`${recordPath(asked)}/field-window`, { connection_id: connection, field, ...place })
}

function searched({ random, connection, stream }: Asked): TwinRequest {
  return address('/v1/search', {
    ...{ q: query(random), ...page(random), ...narrowing(random) },
    ...some(random, 0.2, {
      cursors: [true],
      view: ['compact'],
      windows: [0, 5],
      places: [4],
      varied: [true],
      'streams[]': STREAMS,
      connector: ['left', 'right'],
    }),
    ...some(random, 0.1, { window_chars: [20, 400], connection_id: [connection] }),
    ...zone(random),
    ...some(random, 0.3, { sort: ['newest', 'oldest'] }),
    ...(random.chance(0.2) ? { streams: stream, ...where(random) } : {}),
  })
}

function searchedInside(asked: Asked): TwinRequest {
  return address('/v1/search', { q: query(asked.random), record: handle(asked), ...page(asked.random) })
}

function aggregated({ random, connection, stream }: Asked): TwinRequest {
  const field = random.pick(['from', 'place', 'n', 'shown', 'thread', 'title', 'extra'])
  const time = {
    group_by_time: random.pick(['at', 'other_at']),
    granularity: random.pick(['hour', 'day', 'week', 'month', 'year']),
    ...some(random, 0.3, { order: ['desc'], limit: [1, 3] }),
    ...zone(random),
  }
  const metric = random.pick(['sum', 'min', 'max', 'count_distinct'])
  return address(`/v1/streams/${stream}/aggregate`, {
    ...random.pick<Parameters>([
      { group_by: field, limit: 2 },
      time,
      { ...time, split_by: field },
      { group_by: field, split_by: 'place', split_limit: 2 },
      {},
    ]),
    ...some(random, 0.1, { connector: ['left'], connection_id: [connection] }),
    ...(random.chance(0.2) ? { metric, field: random.pick(['n', 'at', 'from', 'place']) } : {}),
    ...(random.chance(0.4) ? { q: query(random) } : {}),
    ...{ ...narrowing(random), ...where(random) },
  })
}

function conversation(asked: Asked): TwinRequest {
  const { random, connection } = asked
  const size = some(random, 0.4, { before: [2], after: [1], limit_chars: [300] })
  return address(`${recordPath(asked)}/conversation`, { connection_id: connection, ...size })
}

function described({ random, connection, stream }: Asked): TwinRequest {
  return random.pick([
    { path: '/v1/streams' },
    address('/v1/schema', some(random, 0.5, { view: ['compact'] })),
    address(`/v1/streams/${stream}`, some(random, 0.5, { connection_id: [connection] })),
    { path: `/v1/blobs/${random.pick(FILES).blob_id}` },
  ])
}
