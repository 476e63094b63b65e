import assert from 'node:assert/strict'
import { type Answer, onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source, stream } from './mailbox.ts'
import { Transcript } from './transcript.ts'

const AGGREGATE = '/v1/streams/messages/aggregate'
const GRANULARITIES = ['hour', 'day', 'week', 'month', 'quarter', 'year']

interface Row {
  connection: string
  id: string
  from: string
  size: number | null
  received_at: string
}

/** A small separate generator, so that both engines get the same data. */
function random(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function randomRows(connections: readonly string[]): Row[] {
  const next = random(7)
  const senders = ['ada', 'Bob', 'é', '👋', '\uFFFD', 'ada ', 'zoë', '', '漢', 'x', 'y', 'z', 'w']
  return connections.flatMap(connection =>
    Array.from({ length: 150 }, (_, n) => {
      const instant = new Date(Date.UTC(2025, 9, 20) + next(400 * 24 * 60) * 60_000 + next(2) * 59_000)
      return {
        connection,
        id: `m${n}`,
        from: senders[next(senders.length)] ?? '',
        size: next(5) === 0 ? null : next(2_000) - 1_000,
        received_at: instant.toISOString().replace('.000', ''),
      }
    }),
  )
}

const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const style = { dateStyle: 'short', timeStyle: 'medium' } as const
  const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, ...style })
  clocks.set(timeZone, clock)
  return clock
}

function bucket(row: Row, granularity: string, zone: string): string {
  const parts = clockOf(zone).format(new Date(row.received_at))
  const day = parts.slice(0, 10)
  switch (granularity) {
    case 'hour':
      return `${day}T${parts.slice(11, 13)}`
    case 'week': {
      const date = new Date(`${day}T00:00:00Z`)
      date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
      return date.toISOString().slice(0, 10)
    }
    case 'month':
      return day.slice(0, 7)
    case 'quarter':
      return `${day.slice(0, 4)}-Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`
    case 'year':
      return day.slice(0, 4)
    default:
      return day
  }
}

function value(rows: Row[], metric: string, field: keyof Row | ''): unknown {
  if (metric === 'count' || field === '') return rows.length
  const values = rows.map(row => row[field]).filter(item => item !== null)
  if (metric === 'count_distinct') return new Set(values).size
  if (metric === 'sum') return values.reduce((sum: number, item) => sum + Number(item), 0)
  const sorted = values.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return (metric === 'min' ? sorted[0] : sorted.at(-1)) ?? null
}

/** The largest first: of sums by size, of minima the smallest; null last. */
function byFigure(a: unknown, b: unknown, metric: string): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  if (metric === 'sum') return Math.abs(Number(b)) - Math.abs(Number(a))
  const [x, y] = [a, b] as [string, string]
  return (metric === 'min' ? 1 : -1) * (x < y ? -1 : x > y ? 1 : 0)
}

function grouped(
  rows: Row[],
  keyOf: (row: Row) => string,
  metric: string,
  field: keyof Row | '',
  byTime: boolean,
) {
  const groups = [...Map.groupBy(rows, keyOf)]
  const byKey = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
  groups.sort(
    ([a, x], [b, y]) =>
      (byTime
        ? 0
        : byFigure(value(x, metric, field), value(y, metric, field), metric) || y.length - x.length) ||
      byKey(a, b),
  )
  return groups.map(([key, group]) => ({
    key,
    [metric === 'count' ? 'count' : 'value']: value(group, metric, field),
    size: group.length,
  }))
}

onEachEngine('RS-5 aggregates equal a manual count over the readable records', async engine => {
  await using server = await TestServer.start(engine)
  const transcript = new Transcript('aggregate', engine)
  const connections = [
    await server.connect(MAILBOX, 'A'),
    await server.connect(MAILBOX, 'B'),
    await server.connect(MAILBOX, 'C'),
  ]
  for (const [n, connection] of connections.entries()) transcript.name(connection, `CONNECTION-${n}`)
  const all = randomRows(connections)
  for (const connection of connections) {
    const own = all.filter(row => row.connection === connection)
    await server.ingest(
      'messages',
      connection,
      own.map(({ connection: _, ...data }) => ({ data })),
    )
  }
  const [first = '', second = ''] = connections
  const get = async (query: string, token: string): Promise<Answer> => {
    const answer = transcript.note(query, await server.json(`${AGGREGATE}?${query}`, { token }))
    assert.equal(answer.status, 200, `${query} ${JSON.stringify(answer.body)}`)
    return answer
  }
  const since = '2026-01-10T12:30:00Z'
  const until = '2026-08-20T06:00:00Z'
  const views: [token: string, rows: Row[]][] = [
    [server.ownerToken, all],
    [
      await server.grant({ connections: [first, second], since, until }),
      all.filter(
        row => row.connection !== connections[2] && row.received_at >= since && row.received_at < until,
      ),
    ],
    [
      await server.grant({ since: '2026-03-29', until: '2026-03-30T00:00:00Z' }),
      all.filter(row => row.received_at.startsWith('2026-03-29')),
    ],
    [
      await server.grant({ since: '2026-03-05T10:00:00Z', until: '2026-03-05T20:00:00Z' }),
      all.filter(row => row.received_at >= '2026-03-05T10' && row.received_at < '2026-03-05T20'),
    ],
    [
      await server.grant({ records: ['messages:m3', 'messages:m77', 'messages:m149'] }),
      all.filter(row => ['m3', 'm77', 'm149'].includes(row.id)),
    ],
  ]
  for (const [token, rows] of views) {
    for (const [metric, field] of [
      ['count', ''],
      ['sum', 'size'],
      ['min', 'size'],
      ['max', 'size'],
      ['min', 'received_at'],
      ['max', 'received_at'],
      ['count_distinct', 'from'],
    ] as [string, keyof Row | ''][]) {
      const asked = `metric=${metric}${field === '' ? '' : `&field=${field}`}`
      const plain = await get(asked, token)
      assert.deepEqual(
        [plain.body.value, plain.body.filtered_record_count],
        [value(rows, metric, field), rows.length],
        asked,
      )
      assert.ok(!('groups' in plain.body) && !('limit' in plain.body))
      const groups = grouped(rows, row => row.from, metric, field, false)
      const byFrom = await get(`${asked}&group_by=from`, token)
      assert.deepEqual(
        byFrom.body.groups,
        groups.slice(0, 10).map(({ size: _, ...group }) => group),
        asked,
      )
      assert.equal(
        byFrom.body.other_count,
        groups.slice(10).reduce((sum, { size }) => sum + size, 0),
      )
      assert.equal(byFrom.body.limit, 10)
    }
    const narrowed = rows.filter(
      row => row.connection === first && row.from === 'ada' && (row.size ?? -1e9) >= 0,
    )
    const filtered = await get(
      `metric=sum&field=size&where[from]=ada&where[size][gte]=0&connection_id=${first}`,
      token,
    )
    assert.deepEqual(
      [filtered.body.value, filtered.body.filtered_record_count],
      [value(narrowed, 'sum', 'size'), narrowed.length],
    )
    for (const granularity of GRANULARITIES) {
      for (const zone of ['UTC', 'Europe/Berlin', 'Asia/Kathmandu']) {
        const groups = grouped(rows, row => bucket(row, granularity, zone), 'count', '', true)
        const answer = await get(
          `group_by_time=received_at&granularity=${granularity}&time_zone=${zone}&limit=100`,
          token,
        )
        const { groups: actual, other_count, time_zone } = answer.body
        assert.deepEqual(
          actual,
          groups.slice(0, 100).map(({ size: _, ...group }) => group),
          `${granularity} ${zone}`,
        )
        assert.equal(
          other_count,
          groups.slice(100).reduce((sum, { size }) => sum + size, 0),
        )
        assert.equal(time_zone, zone)
      }
    }
  }
  const few = await get('group_by=from&limit=2', server.ownerToken)
  assert.equal(few.body.groups.length, 2)
  assert.equal(few.body.other_count, all.length - few.body.groups[0].count - few.body.groups[1].count)
  assert.equal(few.body.approximate, false)
  transcript.compare()
  assert.deepEqual(server.failures, [])
})

onEachEngine('daylight saving time, null buckets and old years work; refusals are typed', async engine => {
  await using server = await TestServer.start(engine)
  const transcript = new Transcript('aggregate refusals', engine)
  const fields = { at: { type: ['string', 'null'], format: 'date-time' }, kind: {} }
  const figures = { group_by: ['kind'], group_by_time: ['at'], count_distinct: ['kind', 'at'] }
  const query = { aggregations: { count: true, ...figures } }
  const declaration = { ...source('times'), streams: [stream('times', fields, { query })] }
  const times = await server.connect(declaration)
  transcript.name(times, 'TIMES')
  const rows: [string | null | undefined, unknown][] = [
    ['2026-03-29T00:30:00Z', 'a'],
    ['2026-03-29T01:30:00Z', 1],
    ['2026-10-25T00:30:00Z', true],
    ['2026-10-25T01:30:00Z', null],
    ['2026-10-25T02:30:00+01:00', 'a'],
    [null, '1'],
    [undefined, { a: 1 }],
    ['0001-01-01T00:01:00Z', [1]],
    ['0099-12-31T23:30:00Z', 1.0],
  ]
  await server.ingest(
    'times',
    times,
    rows.map(([at, kind], n) => ({ data: { id: `t${n}`, kind, ...(at === undefined ? {} : { at }) } })),
  )
  const get = async (query: string) =>
    transcript.note(query, await server.json(`/v1/streams/times/aggregate?${query}`))
  const groups = async (query: string) => {
    const { body } = await get(query)
    return body.groups.map((group: { key: unknown; count: number }) => [group.key, group.count])
  }
  assert.deepEqual(await groups('group_by_time=at&granularity=hour&time_zone=Europe/Berlin'), [
    ['0001-01-01T00', 1],
    ['0100-01-01T00', 1],
    ['2026-03-29T01', 1],
    ['2026-03-29T03', 1],
    ['2026-10-25T02', 3],
    [null, 2],
  ])
  assert.deepEqual(await groups('group_by_time=at&granularity=year&time_zone=America/New_York'), [
    ['0000', 1],
    ['0099', 1],
    ['2026', 5],
    [null, 2],
  ])
  assert.deepEqual(await groups('group_by=kind'), [
    [null, 3],
    [1, 2],
    ['a', 2],
    [true, 1],
    ['1', 1],
  ])
  assert.equal((await get('metric=count_distinct&field=kind')).body.value, 4)
  assert.equal((await get('metric=count_distinct&field=at')).body.value, 6)

  const mail = await server.connect(MAILBOX)
  transcript.name(mail, 'MAIL')
  await server.ingest('messages', mail, [message('m', { size: 1 })])
  for (const [query, param] of [
    ['metric=median', 'metric'],
    ['metric=sum', 'field'],
    ['metric=count&field=size', 'field'],
    ['field=size', 'field'],
    ['metric=sum&field=from', 'field'],
    ['group_by=subject', 'group_by'],
    ['group_by=from&group_by_time=received_at&granularity=day', 'group_by_time'],
    ['group_by_time=received_at', 'granularity'],
    ['group_by_time=received_at&granularity=second', 'granularity'],
    ['group_by_time=received_at&granularity=day&time_zone=%2B05:00', 'time_zone'],
    ['group_by_time=received_at&granularity=day&time_zone=-08:00', 'time_zone'],
    ['group_by_time=size&granularity=day', 'group_by_time'],
    ['granularity=day', 'granularity'],
    ['time_zone=UTC', 'time_zone'],
    ['group_by_time=received_at&granularity=day&time_zone=Mars/Base', 'time_zone'],
    ['group_by_time=received_at&granularity=day&time_zone=', 'time_zone'],
    ['limit=5', 'limit'],
    ['group_by=from&limit=0', 'limit'],
    ['group_by=from&limit=101', 'limit'],
    ['group_by=from&limit=x', 'limit'],
    ['cursor=x', 'cursor'],
    ['where[subject][gt]=x', 'where[subject][gt]'],
  ]) {
    const { status, body } = transcript.note(`${query}`, await server.json(`${AGGREGATE}?${query}`))
    assert.deepEqual([status, body.error?.code, body.error?.param], [400, 'invalid_request', param], query)
  }
  const token = await server.grant({ streams: ['messages'], fields: ['id', 'from'] })
  for (const with_ of [server.ownerToken, token]) {
    for (const [query, param] of [
      ['metric=sum&field=nothing', 'field'],
      ['metric=min&field=__proto__', 'field'],
      ['group_by=nothing', 'group_by'],
    ]) {
      const { status, body } = await server.json(`${AGGREGATE}?${query}`, { token: with_ })
      assert.deepEqual([status, body.error?.code, body.error?.param], [400, 'unknown_field', param], query)
    }
    const { body } = await server.json(`${AGGREGATE}?group_by=month`, { token: with_ })
    const time = with_ === token ? 'FIELD' : 'received_at'
    assert.ok(
      body.error.message.endsWith(`Use group_by_time=${time} with granularity=month.`),
      'hidden: FIELD',
    )
  }
  for (const [query, param] of [
    ['metric=sum&field=size', 'field'],
    ['group_by=subject', 'group_by'],
    ['group_by_time=received_at&granularity=day', 'group_by_time'],
    ['where[size]=1', 'where[size]'],
  ]) {
    const { status, body } = transcript.note(
      query ?? '',
      await server.json(`${AGGREGATE}?${query}`, { token }),
    )
    assert.deepEqual([status, body.error?.code, body.error?.param], [403, 'field_not_granted', param], query)
  }
  assert.equal((await server.json(`${AGGREGATE}?group_by=from`, { token })).body.groups[0].count, 1)
  const { status, body } = await server.json('/v1/streams/times/aggregate', { token })
  assert.deepEqual([status, body.error.code], [403, 'grant_stream_not_allowed'])
  transcript.compare()
  assert.deepEqual(server.failures, [])
})

onEachEngine(
  'RS-5 an aggregate shows no date, value or group from a field that is hidden in a record',
  async engine => {
    await using server = await TestServer.start(engine)
    const [open, closed] = [await server.connect(MAILBOX, 'Open'), await server.connect(MAILBOX, 'Closed')]
    await server.ingest('messages', open, [
      message('o', { size: 1, received_at: '2026-01-01T00:00:00Z', from: 'ada' }),
    ])
    await server.ingest('messages', closed, [
      message('c1', { size: 100, received_at: '2019-05-05T00:00:00Z', from: 'hidden' }),
      message('c2', { size: 200, received_at: '2020-05-05T00:00:00Z', from: 'hidden' }),
    ])
    const made = (request: object) => server.grants({ streams: ['messages'], ...request })
    const few = { connections: [closed], fields: ['id', 'subject'] }
    const tokens = {
      connections: await server.tokenFor(await made({ connections: [open] }), await made(few)),
      records: await server.tokenFor(
        await made({ connections: [open] }),
        await made(few),
        await made({ connections: [closed], records: ['messages:c2'] }),
      ),
    }
    const get = async (token: string, query: string) =>
      (await server.json(`${AGGREGATE}?${query}`, { token })).body
    for (const [name, token] of Object.entries(tokens)) {
      const c2 = name === 'records'
      const day = await get(token, 'group_by_time=received_at&granularity=day')
      assert.deepEqual(day.groups, [
        ...(c2 ? [{ key: '2020-05-05', count: 1 }] : []),
        { key: '2026-01-01', count: 1 },
        { key: null, count: c2 ? 1 : 2 },
      ])
      assert.equal(day.filtered_record_count, 3)
      assert.equal((await get(token, 'metric=sum&field=size')).value, c2 ? 201 : 1)
      assert.equal(
        (await get(token, 'metric=min&field=received_at')).value,
        c2 ? '2020-05-05T00:00:00Z' : '2026-01-01T00:00:00Z',
      )
      assert.equal((await get(token, 'metric=count_distinct&field=from')).value, c2 ? 2 : 1)
      assert.equal((await get(token, 'metric=count')).value, 3)
      assert.equal((await get(token, 'where[from]=hidden')).value, c2 ? 1 : 0)
    }
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine('a long text is grouped by its whole content', async engine => {
  await using server = await TestServer.start(engine)
  const mail = await server.connect(MAILBOX)
  const long = 'z'.repeat(20_000)
  await server.ingest('messages', mail, [
    message('a', { from: long }),
    message('b', { from: `${long}!` }),
    message('c', { from: '' }),
  ])
  const { body } = await server.json(`${AGGREGATE}?metric=count_distinct&field=from`)
  assert.equal(body.value, 3)
  const grouped_ = await server.json(`${AGGREGATE}?group_by=from`)
  assert.ok(
    !grouped_.body.groups.some(
      (group: { key: string; count: number }) => group.key === '' && group.count > 1,
    ),
  )
  assert.deepEqual(server.failures, [])
})
