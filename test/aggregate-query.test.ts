import assert from 'node:assert/strict'
import { type Answer, type Engine, onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source } from './mailbox.ts'

const AGGREGATE = '/v1/streams/messages/aggregate'
const MONTHLY = 'group_by_time=received_at&granularity=month'

const FILLER = 'Nothing to see here. '.repeat(1_200)

/** Messages of two mailboxes. In the long message the words are far apart. */
const MESSAGES: [connection: number, id: string, from: string, at: string, body: string][] = [
  [0, 'a1', 'Ada Lovelace <ada@example.org>', '2026-01-05T10:00:00Z', 'The engine of the boat is broken.'],
  [0, 'a2', 'Ada Lovelace <ada@example.org>', '2026-01-31T23:30:00Z', 'A new engine for the boat?'],
  [0, 'a3', 'Ben <ben@example.org>', '2026-02-10T10:00:00Z', 'Engines are expensive, boats too.'],
  [0, 'a4', 'Ben <ben@example.org>', '2026-02-11T10:00:00Z', 'The harbour is closed.'],
  [
    0,
    'a5',
    'Ada Lovelace <ada@example.org>',
    '2026-03-01T10:00:00Z',
    `Engine. ${FILLER} And the boat, at last.`,
  ],
  [
    1,
    'b1',
    'Cleo <cleo@example.org>',
    '2026-03-02T10:00:00Z',
    'The engine is paid, the boat engine that is.',
  ],
  [1, 'b2', 'Cleo <cleo@example.org>', '2026-03-03T10:00:00Z', `The boat. ${FILLER} No motor.`],
]

async function mailboxes(engine: Engine) {
  const server = await TestServer.start(engine)
  const connections = [await server.connect(MAILBOX, 'Work'), await server.connect(MAILBOX, 'Home')]
  for (const [no, connection] of connections.entries())
    await server.ingest(
      'messages',
      connection,
      MESSAGES.filter(([own]) => own === no).map(([, id, from, received_at, body]) =>
        message(id, { from, received_at, body, subject: null, secret: 'sesame' }),
      ),
    )
  const [work = '', home = ''] = connections
  const get = async (query: Record<string, string>, token = server.ownerToken): Promise<Answer> =>
    server.json(`${AGGREGATE}?${new URLSearchParams(query)}`, { token })
  return { server, work, home, get }
}

interface Figure {
  key: string | null
  count: number
  splits?: Figure[]
}

function pairs(groups: Figure[]): unknown[] {
  return groups.map(({ key, count, splits }) => (splits ? [key, count, pairs(splits)] : [key, count]))
}

onEachEngine('AN-42 an aggregate with a query counts records that contain all its words', async engine => {
  const { server, work, home, get } = await mailboxes(engine)
  await using _ = server
  for (const [q, count] of [
    ['engine', 5],
    ['boat', 6],
    ['engine boat', 5],
    ['the engine of the boat', 5],
    ['engines boats', 5],
    ['engine boat harbour', 0],
    ['boat -engine', 1],
    ['engine -paid -expensive', 3],
    ['"boat engine"', 1],
    ['"engine boat"', 0],
    ['eng* expens*', 1],
    ['boat motor', 1],
    ['from:ada engine', 3],
    ['from:ada', 3],
    ['from:ada after:2026-02', 1],
    ['engine before:2026-02', 2],
    ['engine on:2026-02-10', 1],
    ['nowhere', 0],
  ] as const) {
    const { status, body } = await get({ q })
    assert.equal(status, 200, `${q} ${JSON.stringify(body)}`)
    assert.deepEqual([body.value, body.filtered_record_count, body.approximate], [count, count, false], q)
  }
  const summed = await get({ q: 'boat' })
  assert.deepEqual(summed.body.connections, [
    { connection_id: work, display_name: 'Work', record_count: 4 },
    { connection_id: home, display_name: 'Home', record_count: 2 },
  ])
  const narrowed = await get({ q: 'boat', since: '2026-02-01T00:00:00Z', until: '2026-03-02T00:00:00Z' })
  assert.equal(narrowed.body.value, 2)
  const filtered = await get({ q: 'boat', 'where[from][contains]': 'cleo', connection_id: home })
  assert.equal(filtered.body.value, 2)
  assert.deepEqual(server.failures, [])
})

onEachEngine(
  'AN-42 counts per week, per sender and month, and per month for a person each take one request',
  async engine => {
    const { server, get } = await mailboxes(engine)
    await using _ = server
    const weekly = { q: 'engine boat', group_by_time: 'received_at', granularity: 'week' }
    const weeks = await get({ ...weekly, time_zone: 'Europe/Berlin' })
    assert.deepEqual(pairs(weeks.body.groups), [
      ['2026-01-05', 1],
      ['2026-01-26', 1],
      ['2026-02-09', 1],
      ['2026-02-23', 1],
      ['2026-03-02', 1],
    ])
    const months = { group_by_time: 'received_at', granularity: 'month' }
    const bySender = await get({ ...months, split_by: 'from' })
    assert.deepEqual(pairs(bySender.body.groups), [
      ['2026-01', 2, [['Ada Lovelace <ada@example.org>', 2]]],
      ['2026-02', 2, [['Ben <ben@example.org>', 2]]],
      [
        '2026-03',
        3,
        [
          ['Cleo <cleo@example.org>', 2],
          ['Ada Lovelace <ada@example.org>', 1],
        ],
      ],
    ])
    const one = await get({ ...months, split_by: 'from', split_limit: '1' })
    assert.deepEqual(
      one.body.groups.map((group: { other_count: number }) => group.other_count),
      [0, 0, 1],
    )
    // 23:30 UTC is already in the next month in Berlin.
    for (const query of [{}, { q: 'boat' }]) {
      const ada = await get({ ...months, ...query, person: 'lovelace', time_zone: 'Europe/Berlin' })
      assert.deepEqual(pairs(ada.body.groups), [
        ['2026-01', 1],
        ['2026-02', 1],
        ['2026-03', 1],
      ])
    }
    const all = await get({ ...months, time_zone: 'Europe/Berlin' })
    assert.deepEqual(pairs(all.body.groups), [
      ['2026-01', 1],
      ['2026-02', 3],
      ['2026-03', 3],
    ])
    const sums = await get({ group_by: 'from', split_by: 'size', metric: 'max', field: 'received_at' })
    assert.equal(sums.status, 400)
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine(
  'AN-42 time buckets are listed oldest first, or newest first on request, and say what is left out',
  async engine => {
    const { server, get } = await mailboxes(engine)
    await using _ = server
    const asked = { group_by_time: 'received_at', granularity: 'month', limit: '2' }
    for (const query of [{}, { q: 'boat' }, { time_zone: 'Asia/Kathmandu' }]) {
      const oldest = await get({ ...asked, ...query })
      const newest = await get({ ...asked, ...query, order: 'desc' })
      assert.equal(oldest.body.groups[0].key, '2026-01')
      assert.equal(newest.body.groups[0].key, '2026-03')
      assert.equal(newest.body.groups[1].key, '2026-02')
      assert.equal(newest.body.other_groups, 1)
      const shown = newest.body.groups.reduce((sum: number, { count }: { count: number }) => sum + count, 0)
      assert.equal(shown + newest.body.other_count, newest.body.filtered_record_count)
    }
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine('AN-42 figures that cannot be combined with a query or split are refused', async engine => {
  const { server, get } = await mailboxes(engine)
  await using _ = server
  for (const [query, param] of [
    ['q=', 'q'],
    ['q=-boat', 'q'],
    ['q=from:ada -boat', 'q'],
    ['q=!!!', 'q'],
    [`q=${'x'.repeat(4_001)}`, 'q'],
    ['split_by=from', 'split_by'],
    ['group_by=from&split_by=from', 'split_by'],
    ['group_by=from&split_by=subject', 'split_by'],
    ['group_by=from&split_limit=2', 'split_limit'],
    [`${MONTHLY}&split_by=from&split_limit=21`, 'split_limit'],
    ['group_by=from&order=desc', 'order'],
    [`${MONTHLY}&order=newest`, 'order'],
    ['q=on:someday boat', undefined],
  ] as const) {
    const { status, body } = await get(Object.fromEntries(new URLSearchParams(query)))
    assert.deepEqual([status, body.error?.code], [400, 'invalid_request'], query)
    if (param) assert.equal(body.error.param, param, query)
  }
  const blind = await server.grant({ streams: ['messages'], fields: ['id', 'size', 'received_at'] })
  for (const [query, param] of [
    [{ q: 'boat' }, 'q'],
    [{ q: 'from:ada boat' }, 'from'],
    [{ person: 'ada' }, 'person'],
    [{ group_by_time: 'received_at', granularity: 'month', split_by: 'from' }, 'split_by'],
  ] as const) {
    const { status, body } = await get({ ...query } as Record<string, string>, blind)
    assert.deepEqual([status, body.error?.code, body.error?.param], [403, 'field_not_granted', param])
  }
  const plain = {
    ...source('plain'),
    streams: [{ ...MAILBOX.streams[0], name: 'silent', query: { aggregations: { count: true } } }],
  }
  await server.connect(plain)
  const silent = await server.json('/v1/streams/silent/aggregate?q=boat')
  assert.deepEqual([silent.status, silent.body.error.param], [400, 'q'])
  assert.deepEqual(server.failures, [])
})

onEachEngine('RS-5 AN-42 words are searched for only in the granted part of each record', async engine => {
  const { server, work, home, get } = await mailboxes(engine)
  await using _ = server
  const made = (request: object) => server.grants({ streams: ['messages'], ...request })
  const early = await made({ connections: [work], until: '2026-02-01T00:00:00Z' })
  const senders = await made({ connections: [work, home], fields: ['id', 'from'] })
  const both = await server.tokenFor(early, senders)
  assert.equal((await get({ q: 'engine' }, both)).body.value, 2)
  assert.equal((await get({ q: 'ben' }, both)).body.value, 2)
  assert.equal((await get({ q: 'engine ben' }, both)).body.value, 0)
  // The time is hidden in records that only the second grant covers.
  const timed = await get({ q: 'example', group_by_time: 'received_at', granularity: 'month' }, both)
  assert.deepEqual(pairs(timed.body.groups), [
    ['2026-01', 2],
    [null, 5],
  ])
  const few = await server.grant({ streams: ['messages'], records: ['messages:a1', 'messages:b2'] })
  const figures = await get({ q: 'boat', group_by: 'from' }, few)
  assert.deepEqual(pairs(figures.body.groups), [
    ['Ada Lovelace <ada@example.org>', 1],
    ['Cleo <cleo@example.org>', 1],
  ])
  const narrow = await server.tokenFor(await made({ connections: [work], fields: ['id', 'from'] }))
  await get({ q: 'ada', group_by: 'from' }, narrow)
  const { body } = await server.json('/v1/owner/disclosures')
  const { decided } = body.data[0]
  assert.deepEqual(decided, [{ connection_id: work, stream: 'messages', record_ids: [], fields: ['from'] }])
  assert.deepEqual(server.failures, [])
})
