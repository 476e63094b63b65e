import assert from 'node:assert/strict'
import { type Engine, onEachEngine, TestServer, writable } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const LIST = '/v1/streams/messages/records'
const WITHOUT_SECRET = ['id', 'subject', 'received_at']

interface Changes {
  /** Ids in order; deleted ones have a minus sign. */
  ids: string[]
  mark: string
  pages: number
}

async function changes(
  server: TestServer,
  since: string,
  token = server.ownerToken,
  more = '',
  between: () => Promise<unknown> = async () => {},
): Promise<Changes> {
  const ids: string[] = []
  let cursor = ''
  for (let pages = 1; ; pages++) {
    const page = await server.json(`${LIST}?changes_since=${since}${more}${cursor}`, { token })
    assert.equal(page.status, 200, JSON.stringify(page.body))
    for (const record of page.body.data) {
      ids.push(record.deleted ? `-${record.id}` : record.id)
      const keys = ['object', 'id', 'stream', 'connection_id', 'deleted', 'deleted_at', 'emitted_at']
      if (record.deleted) {
        assert.deepEqual(Object.keys(record), keys)
        assert.equal(record.deleted_at, record.emitted_at)
      } else assert.ok(!('version' in record) || token === server.ownerToken)
    }
    assert.equal(page.body.has_more, page.body.next_cursor !== undefined)
    assert.notEqual(page.body.has_more, page.body.next_changes_since !== undefined)
    if (!page.body.has_more) return { ids, mark: page.body.next_changes_since, pages }
    cursor = `&cursor=${page.body.next_cursor}`
    await between()
  }
}

/** Changes are ordered by record id, so that their order reveals nothing about hidden changes. */
function assertIds(actual: string[], expected: string[]): void {
  const plain = (id: string) => id.replace(/^-/, '')
  assert.deepEqual(
    actual,
    expected.toSorted((a, b) => (plain(a) < plain(b) ? -1 : 1)),
  )
}

async function start(engine: Engine) {
  const server = await TestServer.start(engine)
  const mail = await server.connect(MAILBOX, 'Work')
  const put = (id: string, more: Record<string, unknown> = {}) =>
    server.ingest('messages', mail, [message(id, more)])
  const drop = (id: string) => server.ingest('messages', mail, [{ op: 'delete', key: id }])
  return { server, mail, put, drop }
}

onEachEngine('the change feed ends at a horizon that is fixed at its first page', async engine => {
  const { server, mail, put, drop } = await start(engine)
  await using _ = server
  const ids = Array.from({ length: 10 }, (_, n) => `m${n}`)
  for (const id of ids) await put(id)
  const token = await server.grant()
  let extra = 0
  const first = await changes(server, 'beginning', token, '&limit=3', () => put(`new${extra++}`))
  assertIds(first.ids, ids)
  const second = await changes(server, first.mark, token)
  assertIds(second.ids, ['new0', 'new1', 'new2'].slice(0, extra))
  assertIds((await changes(server, second.mark, token)).ids, [])

  // A record that changes again during paging is returned by the next read. Nothing is lost.
  let turn = 0
  const moving = await changes(server, 'beginning', token, '&limit=4', async () => {
    if (turn++ === 0) {
      await put('m9', { subject: 'later' })
      await drop('m8')
    }
  })
  assert.deepEqual(
    moving.ids.filter(id => id === 'm9' || id.endsWith('m8')),
    [],
  )
  assertIds((await changes(server, moving.mark, token)).ids, ['m9', '-m8'])

  await put('m0', { subject: 'same?' })
  await put('m0')
  await drop('m1')
  await put('m1')
  await drop('m2')
  assertIds((await changes(server, moving.mark, token)).ids, ['m9', '-m8', 'm0', 'm1', '-m2'])
  const fresh = await changes(server, 'beginning', token)
  assert.ok(!fresh.ids.some(id => id.startsWith('-')))

  const owners = await changes(server, 'beginning')
  const other = await server.connect(MAILBOX, 'Home')
  await server.ingest('messages', other, [message('h1')])
  assertIds((await changes(server, owners.mark)).ids, ['h1'])
  const scoped = await changes(server, 'beginning', server.ownerToken, `&connection_id=${other}`)
  assertIds(scoped.ids, ['h1'])
  assertIds((await changes(server, fresh.mark, token)).ids, [])

  const mark = fresh.mark
  const refused = async (query: string, with_ = token) => {
    const { status, body } = await server.json(`${LIST}?${query}`, { token: with_ })
    return [status, body.error?.code, body.error?.param]
  }
  assert.deepEqual(await refused(`changes_since=${mark}`, server.ownerToken), [
    400,
    'invalid_cursor',
    'changes_since',
  ])
  const twin = await server.grant()
  assert.deepEqual(await refused(`changes_since=${mark}`, twin), [400, 'invalid_cursor', 'changes_since'])
  assert.deepEqual(await refused(`changes_since=${mark}&connection_id=${mail}`), [
    400,
    'invalid_cursor',
    'changes_since',
  ])
  for (const bad of ['', 'x', '0', mark.slice(1), `${mark}AA`, '2026-01-01']) {
    assert.deepEqual(await refused(`changes_since=${bad}`), [400, 'invalid_cursor', 'changes_since'], bad)
  }
  const page = await server.json(`${LIST}?changes_since=beginning&limit=1`, { token })
  assert.deepEqual(await refused(`changes_since=${page.body.next_cursor}`), [
    400,
    'invalid_cursor',
    'changes_since',
  ])
  const next = `cursor=${page.body.next_cursor}`
  const rest = await server.json(`${LIST}?changes_since=beginning&${next}`, { token })
  const alone = await server.json(`${LIST}?${next}`, { token })
  assert.deepEqual(alone.body.data, rest.body.data, 'PC-78: the cursor alone leads to the next page')
  assert.equal(typeof alone.body.next_changes_since, 'string')
  for (const more of ['order=asc', 'count=exact', `changes_since=${mark}`])
    assert.deepEqual(await refused(`${next}&${more}`), [400, 'invalid_cursor', 'cursor'], more)
  for (const [query, param] of [
    ['order=asc', 'order'],
    ['count=exact', 'count'],
    ['where[from]=x', 'where'],
    ['filter[from]=x', 'filter[from]'],
    ['limit=0', 'limit'],
  ]) {
    assert.deepEqual(await refused(`changes_since=beginning&${query}`), [400, 'invalid_request', param])
  }
  server.clockOffsetMs = 89 * 86_400_000
  assert.equal((await server.json(`${LIST}?changes_since=${mark}`, { token })).status, 200)
  server.clockOffsetMs = 91 * 86_400_000
  assert.deepEqual(await refused(`changes_since=${mark}`), [410, 'cursor_expired', 'changes_since'])
  assert.deepEqual(server.failures, [])
})

onEachEngine('RS-5 a change to hidden data is not reported', async engine => {
  const { server, mail, put, drop } = await start(engine)
  await using _ = server
  await put('m1', { secret: 'one' })
  await put('m2', { secret: 'one' })
  const token = await server.grant({ fields: WITHOUT_SECRET })
  const seeing = await server.grant()
  const { mark } = await changes(server, 'beginning', token)
  const seen = await changes(server, 'beginning', seeing)
  const look = async () => {
    const record = await server.json(`${LIST}/m1`, { token })
    const window = await server.json(`${LIST}/m1/field-window?field=subject`, { token })
    const { next_cursor, next_changes_since, ...list } = (await server.json(`${LIST}?order=asc`, { token }))
      .body
    const stream = await server.json('/v1/streams/messages', { token })
    return {
      etag: record.headers.get('ETag'),
      windowTag: window.headers.get('ETag'),
      body: record.body,
      list,
      updated: stream.body.last_updated,
    }
  }
  const before = await look()
  for (const secret of ['two', 'x'.repeat(20_000), null]) await put('m1', { secret })
  await server.ingest('messages', mail, [
    { ...message('m1', { secret: 'four', undeclared: 1 }), emitted_at: '2031-01-01T00:00:00Z' },
  ])
  assert.deepEqual(await look(), before)
  assertIds((await changes(server, mark, token)).ids, [])
  assertIds((await changes(server, seen.mark, seeing)).ids, ['m1'])
  assert.deepEqual((await changes(server, 'beginning', token)).ids.sort(), ['m1', 'm2'])
  await put('m1', { secret: 'four', subject: 'New' })
  assertIds((await changes(server, mark, token)).ids, ['m1'])
  assert.notEqual((await look()).etag, before.etag)

  // A token of several grants sees a field in one record and not in another.
  const both = await server.tokenFor(
    await server.grants({ fields: WITHOUT_SECRET }),
    await server.grants({ records: ['messages:m2'], fields: ['secret'] }),
  )
  const begun = await changes(server, 'beginning', both)
  await put('m1', { secret: 'five', subject: 'New' })
  await put('m2', { secret: 'five' })
  assertIds((await changes(server, begun.mark, both)).ids, ['m2'])
  await drop('m2')
  assertIds((await changes(server, begun.mark, both)).ids, ['-m2'])
  assert.deepEqual(server.failures, [])
})

onEachEngine(
  'RS-5 a record that leaves the time bound is a tombstone only for those who saw it',
  async engine => {
    const { server, put, drop } = await start(engine)
    await using _ = server
    await put('stays', { received_at: '2026-02-01T00:00:00Z' })
    await put('leaves', { received_at: '2026-02-01T00:00:00Z' })
    await put('hidden', { received_at: '2025-02-01T00:00:00Z' })
    await put('enters', { received_at: '2025-02-01T00:00:00Z' })
    const token = await server.grant({ since: '2026-01-01', fields: ['id', 'subject'] })
    const few = await server.grant({ records: ['messages:stays', 'messages:hidden', 'messages:none'] })
    const all = await server.grant()
    const first = await changes(server, 'beginning', token)
    assertIds(first.ids, ['stays', 'leaves'])
    const firstOfFew = await changes(server, 'beginning', few)
    assertIds(firstOfFew.ids, ['stays', 'hidden'])
    const firstOfAll = await changes(server, 'beginning', all)

    await put('leaves', { received_at: '2025-12-31T23:59:59Z' })
    await put('hidden', { received_at: '2025-03-01T00:00:00Z' })
    await put('enters', { received_at: '2026-01-01T00:00:00Z' })
    const second = await changes(server, first.mark, token)
    assertIds(second.ids, ['-leaves', 'enters'])
    assertIds((await changes(server, 'beginning', token)).ids, ['stays', 'enters'])
    assertIds((await changes(server, firstOfFew.mark, few)).ids, ['hidden'])
    assertIds((await changes(server, firstOfAll.mark, all)).ids, ['leaves', 'hidden', 'enters'])

    await drop('hidden')
    await drop('leaves')
    assertIds((await changes(server, second.mark, token)).ids, [])
    assertIds((await changes(server, first.mark, token)).ids, ['enters', '-leaves'])
    await drop('stays')
    assertIds((await changes(server, second.mark, token)).ids, ['-stays'])
    await put('leaves', { received_at: '2026-05-01T00:00:00Z' })
    await put('hidden', { received_at: '2025-05-01T00:00:00Z' })
    assertIds((await changes(server, second.mark, token)).ids, ['-stays', 'leaves'])
    // A time that changes within the bound is not reported, because the field is not granted.
    const third = await changes(server, second.mark, token)
    await put('enters', { received_at: '2026-06-01T00:00:00Z' })
    assertIds((await changes(server, third.mark, token)).ids, [])
    assertIds((await changes(server, third.mark, token)).ids, [])

    // Another grant of the same token shows more fields from a later time on. Entering that range is also a change.
    const both = await server.tokenFor(
      await server.grants({ since: '2026-01-01', fields: ['id'] }),
      await server.grants({ since: '2027-01-01', fields: ['id', 'subject'] }),
    )
    const begun = await changes(server, 'beginning', both)
    await put('enters', { received_at: '2026-07-01T00:00:00Z' })
    assertIds((await changes(server, begun.mark, both)).ids, [])
    await put('enters', { received_at: '2027-07-01T00:00:00Z' })
    assertIds((await changes(server, begun.mark, both)).ids, ['enters'])
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine('RS-5 changes of a record that often moves in time are reported correctly', async engine => {
  const { server, put } = await start(engine)
  await using _ = server
  const [inside, outside] = ['2026-03-01T00:00:00Z', '2026-01-01T00:00:00Z']
  await put('m', { received_at: inside })
  await put('other', { received_at: inside })
  const token = await server.grant({ since: '2026-02-01T00:00:00Z' })
  const first = await changes(server, 'beginning', token)
  assertIds(first.ids, ['m', 'other'])

  let { mark } = first
  for (let move = 1; move <= 65; move++) {
    await put('m', { received_at: move % 2 === 1 ? outside : inside })
    const seen = await changes(server, mark, token)
    assertIds(seen.ids, [move % 2 === 1 ? '-m' : 'm'])
    mark = seen.mark
  }
  const stored = await server.store.database.get<{ history: string }>(
    `SELECT history FROM records WHERE record_key = 'm'`,
  )
  assert.equal(JSON.parse(stored?.history ?? '{}').states.length, 64, 'the history is bounded')
  assertIds((await changes(server, 'beginning', token)).ids, ['other'])
  await put('m', { received_at: inside })
  assertIds((await changes(server, mark, token)).ids, ['m'])
  assertIds((await changes(server, first.mark, token)).ids, ['m'])
})

for (const moves of [63, 65, 200]) {
  onEachEngine(
    `RS-5 a mark from before ${moves} moves of a record misses nothing and shows nothing hidden`,
    async engine => {
      const { server, mail } = await start(engine)
      await using _ = server
      const ingest = (...times: Record<string, string | null>[]) =>
        server.ingest(
          'messages',
          mail,
          times
            .flatMap(Object.entries)
            .map(([id, received_at]) =>
              received_at === null ? { op: 'delete', key: id } : message(id, { received_at }),
            ),
        )
      const [january, march, june] = ['2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z', '2026-06-01T00:00:00Z']
      const open = await server.grant({ since: '2026-02-01T00:00:00Z', fields: ['id', 'subject'] })
      const bounded = await server.grant({ since: '2026-02-01T00:00:00Z', until: '2026-05-01T00:00:00Z' })
      const inside = { leaves: march, returns: march, within: march, deleted: march, unmoved: march }
      await ingest({ ...inside, hidden: january, over: january })
      const owned = await changes(server, 'beginning')
      const seen = await changes(server, 'beginning', open)
      const bound = await changes(server, 'beginning', bounded)

      const moved = Array.from({ length: moves }, (_, before) => {
        const outward = before % 2 === 0
        const later = (time: string) => time.replace('01T', `${String((before % 27) + 3).padStart(2, '0')}T`)
        return {
          leaves: later(january),
          returns: outward ? january : march,
          within: later(march),
          hidden: later(january),
          created: later(january),
          deleted: outward ? null : march,
        }
      })
      await ingest(...moved, { returns: march, deleted: null })
      // What left and came back is told again, because it has the time of coming back.
      assertIds((await changes(server, seen.mark, open)).ids, ['-deleted', '-leaves', 'returns'])
      assertIds((await changes(server, 'beginning', open)).ids, ['returns', 'unmoved', 'within'])
      const all = ['-deleted', 'created', 'hidden', 'leaves', 'returns', 'within']
      assertIds((await changes(server, owned.mark)).ids, all)

      // A record that jumped over both bounds was perhaps never visible, so it must leave no trace.
      const visible = ['-deleted', '-leaves', 'returns', 'within']
      assertIds((await changes(server, bound.mark, bounded)).ids, visible)
      await ingest(...moved.map((_, before) => ({ over: before % 2 === 0 ? june : january })))
      assertIds((await changes(server, bound.mark, bounded)).ids, visible)
      const again = await changes(server, 'beginning', bounded)
      assertIds(again.ids, ['returns', 'unmoved', 'within'])
      assertIds((await changes(server, again.mark, bounded)).ids, [])
      assert.deepEqual(server.failures, [])
    },
  )
}

onEachEngine(
  'RS-5 a deletion keeps its time if the record exists again outside of the grant',
  async engine => {
    const { server, mail, put } = await start(engine)
    await using _ = server
    const token = await server.grant({ since: '2026-01-01' })
    for (const id of ['gone', 'hidden', 'again']) await put(id, { received_at: '2026-02-01T00:00:00Z' })
    const { mark } = await changes(server, 'beginning', token)
    const deletion = { op: 'delete', emitted_at: '2026-03-01T00:00:00Z' }
    const keys = ['gone', 'hidden', 'again']
    await server.ingest(
      'messages',
      mail,
      keys.map(key => ({ ...deletion, key })),
    )
    for (const id of ['hidden', 'again']) await put(id, { received_at: '2025-02-01T00:00:00Z' })
    await server.ingest('messages', mail, [{ op: 'delete', key: 'again' }])
    const { body } = await server.json(`${LIST}?changes_since=${mark}`, { token })
    assert.deepEqual(
      body.data.map(({ id, deleted_at }: { id: string; deleted_at: string }) => [id, deleted_at]),
      keys.toSorted().map(id => [id, deletion.emitted_at]),
    )
  },
)

onEachEngine(
  'RS-5 a record that comes into view has the time of that, whatever was stored while it was hidden',
  async engine => {
    const { server, mail } = await start(engine)
    await using _ = server
    const put = (id: string, day: string, received_at: string, more: Record<string, unknown> = {}) =>
      server.ingest('messages', mail, [
        { ...message(id, { subject: 'Lunch', received_at, ...more }), emitted_at: day },
      ])
    const putAll = async (day: string, received_at: string) => {
      for (const id of ['same', 'other', 'new']) await put(id, day, received_at)
    }
    const token = await server.tokenFor(
      await server.grants({ since: '2026-01-01', fields: ['id', 'subject'] }),
      await server.grants({ since: '2027-01-01', fields: ['id', 'subject', 'body'] }),
    )
    const times = async () => {
      const { body } = await server.json(LIST, { token })
      const shown: { id: string; emitted_at: string }[] = body.data
      return Object.fromEntries(shown.map(({ id, emitted_at }) => [id, emitted_at]))
    }
    const all = (at: string) => ({ new: at, other: at, same: at })
    const before = '2026-04-01T00:00:00Z'
    const entered = '2026-04-02T00:00:00Z'
    const widened = '2026-04-03T00:00:00Z'
    await put('same', before, '2025-02-01T00:00:00Z')
    await put('other', before, '2025-02-01T00:00:00Z', { subject: 'Other', body: 'Other' })
    assert.deepEqual(await times(), {})
    const { mark } = await changes(server, 'beginning', token)
    await putAll(entered, '2026-02-01T00:00:00Z')
    assert.deepEqual(await times(), all(entered))
    await putAll(widened, '2027-02-01T00:00:00Z')
    assert.deepEqual(await times(), all(widened))
    await putAll('2026-04-04T00:00:00Z', '2027-02-02T00:00:00Z')
    assert.deepEqual(await times(), all(widened))
    const feed = await server.json(`${LIST}?changes_since=${mark}`, { token })
    for (const { emitted_at } of feed.body.data) assert.equal(emitted_at, widened)
    const found = await server.json(`/v1/search?q=lunch`, { token })
    assert.equal(found.body.data.length, 3)
    for (const { emitted_at } of found.body.data) assert.equal(emitted_at, widened)

    // Of moves that were stored without a time, nothing is known: the last change of a visible field counts.
    const database = writable(server.store)
    const stored = await database.get<{ history: string }>(
      `SELECT history FROM records WHERE record_key = 'same'`,
    )
    const history = JSON.parse(stored?.history ?? '{}')
    history.states = history.states.map((state: unknown[]) => state.slice(0, 3))
    await database.run(`UPDATE records SET history = ? WHERE record_key = 'same'`, [JSON.stringify(history)])
    assert.deepEqual(await times(), { ...all(widened), same: before })
    assert.deepEqual(server.failures, [])
  },
)
