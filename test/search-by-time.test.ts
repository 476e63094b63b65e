import assert from 'node:assert/strict'
import { count, onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

interface Hit {
  record_key: string
}

const FILLER = 'lorem '.repeat(3_000)
const at = (day: number) => new Date(Date.UTC(2024, 0, 1 + day)).toISOString()

onEachEngine('AN-8 a search by time lists the records that contain all its words', async engine => {
  await using server = await TestServer.start(engine)
  const mail = await server.connect(MAILBOX)
  await server.ingest('messages', mail, [
    message('late', { body: 'the river and the boat', received_at: at(9) }),
    message('early', { body: 'a boat on the river', received_at: at(1) }),
    message('half', { body: 'a boat', received_at: at(8) }),
    message('apart', { subject: 'river', body: 'boat race', received_at: at(5) }),
    message('long', { body: `river ${FILLER} boat`, received_at: at(3) }),
    message('far', { body: `${FILLER} river boat`, received_at: at(4) }),
    message('timeless', { body: 'river boat', received_at: null }),
    message('hushed', { body: 'boat', secret: 'river', received_at: at(7) }),
  ])
  const token = await server.grant({ fields: ['id', 'body', 'received_at'] })
  const found = async (query: string, by = server.ownerToken) => {
    const keys: string[] = []
    for (let cursor = ''; ; ) {
      const { status, body } = await server.json(`/v1/search?${query}&limit=2${cursor}`, { token: by })
      assert.equal(status, 200, JSON.stringify(body))
      for (const hit of body.data as Hit[]) keys.push(hit.record_key)
      if (!body.next_cursor) return keys.join(' ')
      assert.ok(body.next_cursor.length <= 64)
      cursor = `&cursor=${body.next_cursor}`
    }
  }
  assert.equal(await found('q=the+river+boat&sort=newest'), 'late apart far long early')
  assert.equal(await found('q=the+river+boat&sort=oldest'), 'early long far apart late')
  assert.equal(await found('q=the+river+boat&sort=oldest', token), 'early long far late')
  assert.equal(await found('q=river+"boat+race"&sort=newest'), 'apart')
  assert.equal(await found('q=riv*+boat&sort=newest'), 'late apart far long early')
  assert.equal(await found('q=river+boat+-race&sort=newest'), 'late far long early')
  assert.equal(await found('q=river+boat&sort=newest&since=2024-01-03&until=2024-01-06'), 'far long')
  const { body } = await server.json('/v1/search?q=river+boat&sort=newest&limit=1')
  assert.deepEqual([body.meta.count, body.meta.count_accuracy], [5, 'exact'])
  assert.equal((await server.json('/v1/search?q=boat&sort=best')).status, 400)
})

onEachEngine('AN-8 a common word is sorted by stretches of time, whatever order it came in', async engine => {
  await using server = await TestServer.start(engine)
  const mail = await server.connect(MAILBOX)
  // Enough other records to fill the first range; only a few of them match.
  const others = Array.from({ length: count(0, 5_100) }, (_, n) =>
    message(`o${n}`, { body: n % 100 === 0 ? 'pebble' : 'sand', received_at: at(6_000 + n) }),
  )
  const many = Array.from({ length: 5_300 }, (_, n) =>
    message(`m${n}`, { body: 'pebble', received_at: at((n * 37) % 5_300) }),
  )
  const lines = [...many, ...others]
  for (let i = 0; i < lines.length; i += 1_000)
    await server.ingest('messages', mail, lines.slice(i, i + 1_000))
  const sorted = lines
    .flatMap(({ data }) => (data.body === 'pebble' ? [String(data.received_at)] : []))
    .sort()
  for (const sort of ['newest', 'oldest']) {
    const times: string[] = []
    let cursor = ''
    for (let page = 0; page < 3; page++) {
      const { body } = await server.json(`/v1/search?q=pebble&sort=${sort}&limit=100&windows=0${cursor}`)
      for (const hit of body.data) times.push(hit.occurred_at)
      assert.deepEqual(body.meta.recall, { complete: true, ranking_scope: 'all_matches', truncated: false })
      cursor = `&cursor=${body.next_cursor}`
    }
    const expected = sort === 'newest' ? sorted.toReversed() : sorted
    assert.deepEqual(times, expected.slice(0, 300))
  }
})

onEachEngine('AN-8 a search by time for many words finds records that contain them all', async engine => {
  await using server = await TestServer.start(engine)
  const mail = await server.connect(MAILBOX)
  const words = Array.from({ length: 120 }, (_, n) => `w${n}x`)
  const all = words.join(' ')
  await server.ingest('messages', mail, [
    message('whole', { body: all, received_at: at(1) }),
    message('parted', {
      subject: words.slice(0, 60).join(' '),
      body: words.slice(60).join(' '),
      received_at: at(2),
    }),
    ...[0, 1, 15, 16, 17, 64, 119].map(n =>
      message(`lacks${n}`, { body: words.toSpliced(n, 1).join(' '), received_at: at(3 + n) }),
    ),
    message('later', {
      body: `${words.slice(0, 90).join(' ')} ${FILLER} ${words.slice(90).join(' ')}`,
      received_at: at(200),
    }),
  ])
  const found = async (token: string) => {
    const { body } = await server.json(`/v1/search?q=${encodeURIComponent(all)}&sort=newest`, { token })
    const keys = (body.data as Hit[]).map(hit => hit.record_key)
    assert.deepEqual([body.meta.count, body.meta.count_accuracy], [keys.length, 'exact'])
    return keys.join(' ')
  }
  assert.equal(await found(server.ownerToken), 'later parted whole')
  assert.equal(await found(await server.grant({ fields: ['id', 'body', 'received_at'] })), 'later whole')
})

onEachEngine(
  'AN-8 a long record is found by time and counted, however many long ones were added after it',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    // The word is in a later piece of each.
    const body = `${'x'.repeat(9_000)} walrus`
    const long = (id: string, received_at: string) => message(id, { body, received_at })
    await server.ingest('messages', connection, [long('newest', '2026-03-02T00:00:00Z')])
    const archive = Array.from({ length: 501 }, (_, n) => long(`a${n}`, '2012-03-01T00:00:00Z'))
    await server.ingest('messages', connection, archive)
    for (const q of ['walrus', 'walrus xx*'])
      for (const [sort, id] of [
        ['newest', 'newest'],
        ['oldest', 'a0'],
      ] as const) {
        const { body } = await server.json(`/v1/search?q=${encodeURIComponent(q)}&sort=${sort}&limit=1`)
        assert.deepEqual([body.data[0].record_key, body.meta.recall.truncated], [id, false], `${q} ${sort}`)
      }
    for (const q of ['walrus', 'walrus+walrus+the', 'walrus&sort=newest']) {
      const { body } = await server.json(`/v1/search?q=${q}&limit=1`)
      assert.deepEqual([body.meta.count, body.meta.count_accuracy], [502, 'exact'], q)
    }
  },
)

onEachEngine(
  'AN-8 a search by time continues where its filter could not read any more records',
  async engine => {
    await using server = await TestServer.start(engine, { search: { rows: 4 } })
    const mail = await server.connect(MAILBOX)
    const far = `${FILLER} boat`
    await server.ingest(
      'messages',
      mail,
      Array.from({ length: 14 }, (_, n) =>
        message(`m${n}`, {
          body: n % 5 === 0 ? far : 'boat',
          from: [1, 6, 10].includes(n) ? 'bob' : 'ada',
          received_at: at(n),
        }),
      ),
    )
    const pages = async (query: string) => {
      const found: string[] = []
      for (let cursor = ''; found.length < 10; ) {
        const { body } = await server.json(
          `/v1/search?q=boat&streams=messages&where[from]=bob&${query}${cursor}`,
        )
        const isLast = body.next_cursor === undefined
        found.push((body.data as Hit[]).map(hit => hit.record_key).join(' '))
        if (isLast) return found
        assert.equal(body.has_more, true)
        cursor = `&cursor=${body.next_cursor}`
      }
      return found
    }
    assert.deepEqual(await pages('sort=newest'), ['m10', 'm6', '', 'm1'])
    assert.deepEqual(await pages('sort=oldest'), ['m1', 'm6', 'm10', ''])
    assert.deepEqual(await pages('sort=oldest&limit=1'), ['m1', 'm6', 'm10', ''])
    // Records that the client may not see make no difference.
    const token = await server.grant({ since: at(2), until: at(12) })
    const own = await server.json('/v1/search?q=boat&streams=messages&where[from]=bob&sort=oldest', { token })
    assert.deepEqual([own.body.data.map((hit: Hit) => hit.record_key), own.body.has_more], [[], true])
  },
)

onEachEngine('RS-5 what hidden fields contain does not decide which records a filter reads', async engine => {
  await using server = await TestServer.start(engine, { search: { rows: 4 } })
  const mail = await server.connect(MAILBOX)
  const lines = Array.from({ length: 12 }, (_, n) =>
    message(`m${n}`, { subject: 'trip', body: 'boat', from: n === 11 ? 'bob' : 'ada', received_at: at(n) }),
  )
  await server.ingest('messages', mail, lines)
  const fields = ['id', 'from', 'received_at']
  const titles = await server.grants({ streams: ['messages'], fields: [...fields, 'subject'], until: at(9) })
  const texts = await server.grants({ streams: ['messages'], fields: [...fields, 'body'], since: at(9) })
  const token = await server.tokenFor(titles, texts)
  for (const sort of ['oldest', 'newest']) {
    const path = `/v1/search?q=boat&streams=messages&where[from]=bob&sort=${sort}`
    const { body } = await server.json(path, { token })
    const found = (body.data as Hit[]).map(hit => hit.record_key)
    assert.deepEqual([found, body.has_more, body.meta.count], [['m11'], false, 1], sort)
  }
})

onEachEngine('RS-5 what hidden fields contain does not decide which texts a search reads', async engine => {
  await using server = await TestServer.start(engine, { search: { texts: 4 } })
  const mail = await server.connect(MAILBOX)
  const lines = Array.from({ length: 12 }, (_, n) =>
    message(`m${n}`, {
      subject: '漢字',
      body: n === 11 ? '漢字 boat trip' : 'boat trip',
      received_at: at(n),
    }),
  )
  await server.ingest('messages', mail, lines)
  const fields = ['id', 'received_at']
  const titles = await server.grants({ streams: ['messages'], fields: [...fields, 'subject'], until: at(9) })
  const texts = await server.grants({ streams: ['messages'], fields: [...fields, 'body'], since: at(11) })
  // Of some records, nothing that is searched may be seen.
  const times = await server.grants({ streams: ['messages'], fields, until: at(11) })
  const token = await server.tokenFor(titles, texts, times)
  for (const sort of ['oldest', 'newest'])
    for (const q of ['trip "boat trip"', 'boa*']) {
      const { body } = await server.json(`/v1/search?q=${q}&sort=${sort}`, { token })
      const found = (body.data as Hit[]).map(hit => hit.record_key)
      assert.deepEqual([found, body.meta.recall.truncated], [['m11'], false], `${sort} ${q}`)
    }
})

onEachEngine('RS-5 hidden records do not decide where a search by time ends', async engine => {
  const [hidden, visible, enough] = [60, 140, 100]
  await using server = await TestServer.start(engine, { search: { texts: 130 } })
  const mail = await server.connect(MAILBOX)
  const lines = Array.from({ length: hidden + visible }, (_, n) =>
    message(`m${n}`, { subject: '漢字', body: 'boat', received_at: at(n) }),
  )
  await server.ingest('messages', mail, lines)
  const fields = ['id', 'received_at']
  const bounds = { streams: ['messages'], since: at(0) }
  const titles = await server.grants({ ...bounds, fields: [...fields, 'subject'], until: at(hidden) })
  const texts = await server.grants({ ...bounds, fields: [...fields, 'body'], since: at(hidden) })
  const token = await server.tokenFor(titles, texts)
  const { body } = await server.json(`/v1/search?q=boa*&sort=oldest&limit=${enough}`, { token })
  const found = (body.data as Hit[]).map(hit => hit.record_key)
  assert.deepEqual([found.length, found[0], body.meta.recall.truncated], [enough, `m${hidden}`, true])
})
