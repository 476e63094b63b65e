import { createHash } from 'node:crypto'
import { byTime, source, stream } from './mailbox.ts'
import type { StillServer } from './twin-servers.ts'

/** Occurs in all hidden data and in no visible data. */
export const SECRET = 'xylograph'
/** Part of the name of everything that no grant in these tests covers. */
export const HUSHED = 'hushed'

const TIME = { type: ['string', 'null'], format: 'date-time' }
const OPERATORS = ['gte', 'gt', 'lte', 'lt']

/** Mail with hidden fields that, if they were granted, could be used for filters, sorting, grouping and titles. */
const MESSAGES = stream(
  'messages',
  {
    [`${HUSHED}_title`]: { type: ['string', 'null'], x_pdpp_role: 'primary-title' },
    subject: { type: ['string', 'null'] },
    body: { type: ['string', 'null'] },
    from: { type: ['string', 'null'], x_pdpp_role: 'actor' },
    size: { type: ['integer', 'null'] },
    received_at: { ...TIME, x_pdpp_role: 'event-time' },
    [`${HUSHED}_at`]: TIME,
    [`${HUSHED}_size`]: { type: ['integer', 'null'] },
    [HUSHED]: { type: ['string', 'null'], x_pdpp_role: 'participant' },
    [`${HUSHED}_file`]: { type: ['object', 'null'] },
  },
  {
    ...byTime('received_at'),
    views: [{ id: 'all', label: 'All', fields: ['id', 'subject', HUSHED] }],
    query: {
      search: { lexical_fields: ['subject', 'body', HUSHED] },
      range_filters: {
        received_at: OPERATORS,
        size: OPERATORS,
        [`${HUSHED}_at`]: OPERATORS,
        [`${HUSHED}_size`]: OPERATORS,
      },
      aggregations: {
        count: true,
        sum: ['size', `${HUSHED}_size`],
        min: ['size', 'received_at', `${HUSHED}_at`],
        max: ['size', 'received_at', `${HUSHED}_at`],
        count_distinct: ['from', HUSHED],
        group_by: ['from', 'size', HUSHED],
        group_by_time: ['received_at', `${HUSHED}_at`],
      },
    },
    schema: { x_pdpp_conversation: { key: 'from', order: ['received_at'] } },
  },
)
const DECLARATION = {
  ...source('letters', 'Letters'),
  streams: [MESSAGES, stream(`${HUSHED}_notes`, { text: { type: 'string' } })],
}

export interface Places {
  work: string
  home: string
  hushed: string
  /** The client's token. */
  token: string
}

/** A line with a value in every hidden field; `no` sets the time and therefore the order. */
export function letter(id: string, no: number, more: Record<string, unknown> = {}, emitted = no): object {
  const [day, at] = [String(1 + (no % 28)).padStart(2, '0'), String(emitted).padStart(2, '0')]
  return {
    data: {
      id,
      subject: `Subject of ${id}`,
      body: `Body of ${id}. `.repeat(no % 3 === 0 ? 2_000 : 3),
      from: `sender ${no % 2}`,
      size: no,
      received_at: `2026-03-${day}T10:00:00Z`,
      [`${HUSHED}_title`]: 'first',
      [`${HUSHED}_at`]: '2026-03-01T00:00:00Z',
      [`${HUSHED}_size`]: 1,
      [HUSHED]: 'first',
      ...more,
    },
    emitted_at: `2026-04-01T00:00:${at}Z`,
  }
}

export const WORK_IDS = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7']
export const HOME_IDS = ['m1', 'm2', 'h3', 'h4']

/**
 * Creates connections, records and a client for each scenario in one store. Each scenario is hidden from all others.
 */
export async function prepare(server: StillServer): Promise<Map<Scenario, Places>> {
  await server.own('POST', '/v1/owner/declarations', DECLARATION)
  const all = new Map<Scenario, Places>()
  for (const scenario of SCENARIOS) all.set(scenario, await preparePlaces(server, scenario))
  return all
}

async function preparePlaces(server: StillServer, { grants }: Scenario): Promise<Places> {
  const connect = (name: string) => server.connect(DECLARATION, name)
  const places: Places = {
    work: await connect('Work'),
    home: await connect('Home'),
    hushed: await connect(`The ${HUSHED} one`),
    token: '',
  }
  await server.ingest(
    'messages',
    places.work,
    WORK_IDS.map((id, no) => letter(id, no + 1)),
  )
  await server.ingest(
    'messages',
    places.home,
    HOME_IDS.map((id, no) => letter(id, no + 11)),
  )
  await server.ingest('messages', places.hushed, [letter('m1', 21), letter('z1', 22)])
  await server.ingest(`${HUSHED}_notes`, places.work, [{ data: { id: 'n1', text: 'first' } }])
  return { ...places, token: await tokenFor(server, grants(places)) }
}

async function tokenFor(server: StillServer, grants: object[]): Promise<string> {
  const grant_ids: string[] = []
  for (const grant of grants) {
    const made = await server.own('POST', '/v1/owner/grants', { client_name: 'Client', ...grant })
    for (const { grant_id } of made.grants) grant_ids.push(grant_id)
  }
  const { owner_id, writer } = server.store
  return writer.call('createClientToken', { owner_id, grant_ids, now: new Date().toISOString() })
}

const OPEN_FIELDS = ['id', 'subject', 'body', 'from', 'size', 'received_at']
const UNTIMED = OPEN_FIELDS.filter(field => field !== 'received_at')

interface Scenario {
  name: string
  /** The grants of the one client. */
  grants(places: Places): object[]
  /** What the owner does on each of two identical stores. */
  plain?(server: StillServer, places: Places): Promise<void>
  secret(server: StillServer, places: Places): Promise<void>
}

const everything = ({ work, home }: Places) => ({
  connections: [work, home],
  streams: ['messages'],
  fields: OPEN_FIELDS,
})
const filled = (no: number) => ({
  [HUSHED]: `${SECRET} `.repeat(no === 3 ? 4_000 : no),
  [`${HUSHED}_title`]: SECRET,
  [`${HUSHED}_at`]: `2026-05-0${no}T00:00:00Z`,
  [`${HUSHED}_size`]: 1_000 * no,
})

export const SECRET_BLOB = `sha256-${createHash('sha256').update(SECRET).digest('hex')}`

/** Uploads a file and refers to it in a field that no grant covers. */
async function plantFile(server: StillServer, connection: string, id: string, no: number): Promise<void> {
  await server.own('POST', '/v1/blobs', SECRET, 'text/plain')
  const file = { [`${HUSHED}_file`]: { blob_id: SECRET_BLOB } }
  await server.ingest('messages', connection, [letter(id, no, file, 50)])
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'hidden fields',
    grants: places => [everything(places)],
    async secret(server, { work, home }) {
      await server.ingest(
        'messages',
        work,
        [...WORK_IDS.entries()].reverse().map(([no, id]) => letter(id, no + 1, filled(no + 1), 40)),
      )
      await server.ingest('messages', home, [letter('h3', 13, filled(3), 41)])
      await plantFile(server, home, 'h4', 14)
    },
  },
  {
    name: 'hidden records',
    grants: places => [{ ...everything(places), records: ['messages:m1', 'messages:m2', 'messages:m6'] }],
    async secret(server, { work, home }) {
      const text = { subject: SECRET, body: SECRET.repeat(3_000), from: SECRET, ...filled(2) }
      await server.ingest('messages', work, [
        letter('m3', 5, text, 40),
        letter('m8', 6, text, 41),
        letter('m0', 0, text, 41),
      ])
      await server.ingest('messages', home, [{ op: 'delete', key: 'h3' }, letter('m6x', 7, text, 42)])
      await plantFile(server, work, 'm4', 4)
    },
  },
  {
    name: 'a hidden time',
    grants: places => [
      { ...everything(places), since: '2026-03-03T10:00:00Z', until: '2026-03-13T10:00:00Z' },
    ],
    async secret(server, { work, home }) {
      const text = { subject: SECRET, body: SECRET.repeat(3_000), from: SECRET, size: 77 }
      await server.ingest('messages', work, [
        letter('m1', 1, text, 40),
        letter('m9', 1, text, 41),
        letter('m8', 20, text, 42),
      ])
      await server.ingest('messages', work, [
        letter('m10', 3, { ...text, received_at: '2026-03-03T09:59:59.999Z' }, 43),
      ])
      await server.ingest('messages', home, [
        { op: 'delete', key: 'h4' },
        letter('m10', 3, { ...text, received_at: null }, 44),
      ])
      await server.ingest('messages', home, [
        letter('m11', 3, { ...text, received_at: '2026-03-13T10:00:00Z' }, 45),
      ])
    },
  },
  {
    name: 'a hidden connection',
    grants: places => [everything(places)],
    async secret(server, { hushed }) {
      const text = { subject: SECRET, body: SECRET.repeat(3_000), from: SECRET }
      await server.ingest('messages', hushed, [letter('m1', 2, text, 40), letter('z2', 3, text, 41)])
      const other = { ...DECLARATION, ...source(HUSHED, SECRET) }
      const connection = await server.connect(other, SECRET)
      await server.ingest('messages', connection, [letter('m2', 2, text, 42)])
      await server.own('PATCH', `/v1/owner/connections/${hushed}`, { display_name: SECRET })
    },
  },
  {
    name: 'a hidden stream',
    grants: places => [everything(places)],
    async secret(server, { work, home }) {
      for (const connection of [work, home]) {
        await server.ingest(`${HUSHED}_notes`, connection, [
          { data: { id: 'm1', text: SECRET.repeat(3_000) } },
          { data: { id: 'n2', text: SECRET } },
        ])
      }
    },
  },
  {
    name: 'records that are deleted',
    grants: places => [everything(places)],
    async plain(server, { work }) {
      await server.ingest('messages', work, [{ op: 'delete', key: 'm6', emitted_at: '2026-04-02T00:00:00Z' }])
    },
    async secret(server, { work, home }) {
      const text = { subject: SECRET, body: SECRET.repeat(3_000), from: SECRET, size: 77 }
      await server.ingest('messages', work, [letter('x1', 6, text, 40), letter('m6', 6, text, 41)])
      await server.ingest('messages', home, [letter('x2', 6, text, 42), { op: 'delete', key: 'x2' }])
      await server.ingest('messages', work, [
        { op: 'delete', key: 'x1' },
        { op: 'delete', key: 'm6', emitted_at: '2026-04-02T00:00:00Z' },
      ])
    },
  },
  {
    name: 'versions that are past',
    grants: places => [everything(places)],
    async plain(server, { work }) {
      await server.ingest('messages', work, [letter('m2', 2, { body: 'new' }, 50)])
    },
    async secret(server, { work }) {
      const text = { subject: SECRET, body: SECRET.repeat(3_000), from: SECRET, size: 77 }
      for (let no = 1; no < 4; no++)
        await server.ingest('messages', work, [letter('m2', 2 + no, text, 40 + no)])
      await server.ingest('messages', work, [letter('m2', 2, { body: 'new' }, 50)])
    },
  },
  {
    name: 'a hidden order',
    grants: ({ work }) => [{ connections: [work], streams: ['messages'], fields: UNTIMED }],
    async secret(server, { work }) {
      await server.ingest(
        'messages',
        work,
        WORK_IDS.map((id, no) => letter(id, no + 1, { received_at: `2026-0${8 - no}-01T00:00:00Z` }, 40)),
      )
    },
  },
  {
    name: 'hidden times within the granted range',
    grants: ({ work }) => [
      {
        connections: [work],
        streams: ['messages'],
        fields: UNTIMED,
        since: '2026-03-01',
        until: '2026-04-01',
      },
    ],
    async secret(server, { work }) {
      await server.ingest(
        'messages',
        work,
        WORK_IDS.map((id, no) => letter(id, no + 1, { received_at: `2026-03-${20 - no}T00:00:00Z` }, 40)),
      )
    },
  },
  {
    name: 'fields that are open in another connection only',
    grants: ({ work, home }) => [
      { connections: [work], streams: ['messages'], fields: OPEN_FIELDS },
      { connections: [home], streams: ['messages'], fields: ['id', 'subject'] },
    ],
    async secret(server, { home }) {
      await server.ingest(
        'messages',
        home,
        HOME_IDS.map((id, no) =>
          letter(
            id,
            no + 11,
            { received_at: `2026-05-0${9 - no}T00:00:00Z`, size: 77, from: SECRET, body: SECRET },
            40,
          ),
        ),
      )
    },
  },
  {
    name: 'fields that are open for some records only',
    grants: ({ work }) => [
      { connections: [work], streams: ['messages'], fields: ['id', 'subject'] },
      {
        connections: [work],
        streams: ['messages'],
        fields: OPEN_FIELDS,
        records: ['messages:m1', 'messages:m2'],
      },
    ],
    async secret(server, { work }) {
      await server.ingest(
        'messages',
        work,
        ['m3', 'm4', 'm5'].map((id, no) =>
          letter(
            id,
            no + 3,
            { received_at: `2026-05-0${9 - no}T00:00:00Z`, size: 77, from: SECRET, body: SECRET },
            40,
          ),
        ),
      )
    },
  },
  {
    name: 'fields and streams that a later declaration adds',
    grants: places => [everything(places)],
    async secret(server, { work }) {
      const [, notes] = DECLARATION.streams
      const properties = { ...MESSAGES.schema.properties, [`${HUSHED}_new`]: { type: 'string' } }
      const query = { ...MESSAGES.query, search: { lexical_fields: ['subject', 'body', `${HUSHED}_new`] } }
      const later = {
        ...MESSAGES,
        schema: { ...MESSAGES.schema, properties },
        query,
        display: { label: SECRET },
      }
      const streams = [later, notes, { ...notes, name: `${HUSHED}_more` }]
      await server.own('POST', '/v1/owner/declarations', {
        ...DECLARATION,
        declaration_version: '1.1.0',
        streams,
      })
      await server.ingest('messages', work, [letter('m3', 3, { [`${HUSHED}_new`]: SECRET }, 40)])
      await server.ingest(`${HUSHED}_more`, work, [{ data: { id: 'm1', text: SECRET } }])
    },
  },
]
