import assert from 'node:assert/strict'
import { type Engine, onEachEngine, TestServer, writable } from './engines.ts'
import { MAILBOX, message, source, stream } from './mailbox.ts'
import { Random } from './random.ts'

const STREAM = stream(
  'letters',
  {
    writer: { type: ['string', 'null'], x_pdpp_role: 'actor' },
    readers: { type: 'array', x_pdpp_role: 'recipient' },
    at: { type: ['string', 'null'], format: 'date-time' },
  },
  { consent_time_field: 'at' },
)
const { readers: _, ...fewer } = STREAM.schema.properties
const LETTERS = { ...source('letters'), streams: [STREAM] }
const WITHOUT_READERS = {
  ...LETTERS,
  declaration_version: '2.0.0',
  streams: [
    { ...STREAM, schema: { ...STREAM.schema, properties: { ...fewer, readers: { type: 'array' } } } },
  ],
}

interface Letter {
  id: string
  writer: string | null
  readers: unknown[]
  at: string | null
}

const PEOPLE = ['Ada', 'Hedda Ruusk <h@x.org>', 'h@x.org', 'Ruusk, Ada', '山田太郎', '--']

function randomLetter(random: Random): Letter {
  const day = `2026-01-0${random.integer(1, 9)}T10:00:00Z`
  return {
    id: String(random.integer(1, 30)),
    writer: random.chance(0.1) ? null : random.pick(PEOPLE),
    readers: Array.from({ length: random.integer(0, 3) }, () =>
      random.chance(0.2) ? { name: random.pick(PEOPLE) } : random.pick(PEOPLE),
    ),
    at: random.chance(0.1) ? null : day,
  }
}

async function writtenWorld(engine: Engine) {
  const server = await TestServer.start(engine)
  const connection = await server.connect(LETTERS)
  const random = new Random(7)
  const live = new Map<string, Letter>()
  for (let batch = 0; batch < 8; batch++) {
    const lines = Array.from({ length: 20 }, () => {
      const letter = randomLetter(random)
      const isDeletion = random.chance(0.3)
      if (isDeletion) live.delete(letter.id)
      else live.set(letter.id, letter)
      return isDeletion ? { op: 'delete', key: letter.id } : { data: letter }
    })
    const { body } = await server.ingest('letters', connection, lines)
    assert.equal(body.rejected, 0)
  }
  assert.ok(live.size > 10)
  return { server, connection, live }
}

/** The names that should be stored for letters, with their records. */
function expectedNames(letters: Iterable<Letter>, fields: readonly ('writer' | 'readers')[]): string[] {
  const lines = new Set<string>()
  for (const letter of letters)
    for (const field of fields)
      for (const item of [letter[field]].flat()) {
        const text = typeof item === 'string' ? item : ((item as { name: string } | null)?.name ?? '')
        if (/\p{L}/u.test(text)) lines.add(`${field} ${text} ${letter.at} ${letter.id}`)
      }
  return [...lines].sort()
}

async function storedNames({ store }: TestServer): Promise<string[]> {
  const rows = await store.database.all<{
    field: string
    text: string
    time_key: string
    record_key: string
  }>('SELECT field, text, time_key, record_key FROM names n JOIN name_records r ON r.name_no = n.name_no')
  const at = (time: string) => (time === '' ? null : time.slice(1).replace(/\.0+Z$/, 'Z'))
  return rows
    .map(({ field, text, time_key, record_key }) => `${field} ${text} ${at(time_key)} ${record_key}`)
    .sort()
}

/** Names with a wrong number of records or without records, and records of names that do not exist. */
async function strays({ store }: TestServer): Promise<object[]> {
  return store.database.all(
    `SELECT n.text AS stray FROM names n LEFT JOIN name_records r ON r.name_no = n.name_no
       GROUP BY n.name_no, n.text, n.n HAVING count(r.record_key) <> n.n OR n.n < 1
     UNION ALL SELECT record_key FROM name_records WHERE name_no NOT IN (SELECT name_no FROM names)`,
  )
}

onEachEngine(
  'the names of people follow every change of a record, and are rebuilt with the index',
  async engine => {
    const { server, connection, live } = await writtenWorld(engine)
    await using _ = server
    const database = writable(server.store)
    const expected = expectedNames(live.values(), ['writer', 'readers'])
    assert.deepEqual(await storedNames(server), expected)
    assert.deepEqual(await strays(server), [])

    const of = async (query: string) =>
      (await server.json(`/v1/records?limit=100&count=exact&${query}`)).body as {
        data: { id: string }[]
        meta: { count: number }
      }
    const before = await of('person=ruusk')
    assert.ok(before.data.length > 2)

    // A store without the table of names: every record is read until the names are written.
    await database.run('DELETE FROM name_records')
    await database.run('DELETE FROM names')
    await database.run(`UPDATE search_state SET version = ''`)
    assert.deepEqual(await of('person=ruusk'), before)
    const [changed] = [...live.values()].filter(({ at }) => at !== null)
    assert.ok(changed)
    const moved = { ...changed, writer: 'Ruusk', at: '2026-02-01T10:00:00Z' }
    live.set(moved.id, moved)
    await server.ingest('letters', connection, [{ data: moved }])
    assert.equal((await of('person=ruusk')).data[0]?.id, moved.id)
    await server.store.refreshIndexes()
    assert.deepEqual(await storedNames(server), expectedNames(live.values(), ['writer', 'readers']))
    assert.deepEqual(await strays(server), [])

    // A version of the declaration with fewer fields for people.
    assert.equal((await server.post('/v1/owner/declarations', WITHOUT_READERS)).status, 201)
    const again = { ...moved, writer: 'Ada', readers: ['Tilda'] }
    live.set(again.id, again)
    await server.ingest('letters', connection, [{ data: again }])
    await server.store.refreshIndexes()
    assert.deepEqual(await storedNames(server), expectedNames(live.values(), ['writer']))
    assert.deepEqual(await strays(server), [])

    await server.request(`/v1/owner/connections/${connection}`, { method: 'DELETE' })
    assert.deepEqual([await storedNames(server), await strays(server)], [[], []])
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine(
  'what a person wrote or received is listed and counted without reading other records',
  async engine => {
    const { server, live } = await writtenWorld(engine)
    await using _ = server
    const database = writable(server.store)
    const named = [...live.values()].filter(({ writer, readers }) =>
      JSON.stringify([writer, readers]).includes('Hedda'),
    )
    assert.ok(named.length > 2 && named.length < live.size)
    // A record that is read is parsed, and these cannot be parsed, so reading one would fail.
    await database.run(
      `UPDATE records SET data = '{' WHERE record_key NOT IN (${named.map(() => '?').join(', ')})`,
      named.map(({ id }) => id),
    )
    const timed = named.filter(({ at }) => at !== null)
    const list = (await server.json('/v1/records?person=hedda&limit=100&count=exact')).body
    assert.deepEqual(list.data.map(({ id }: { id: string }) => id).sort(), timed.map(({ id }) => id).sort())
    assert.equal(list.meta.count, named.length)
    const stream = (await server.json('/v1/streams/letters/records?person=hedda&limit=100&count=exact')).body
    assert.deepEqual([stream.data.length, stream.meta.count], [named.length, named.length])
    const token = await server.grant({ since: '2026-01-03T00:00:00Z' })
    const narrow = (await server.json('/v1/records?person=hedda&limit=100&count=exact', { token })).body
    const later = timed.filter(({ at }) => String(at) >= '2026-01-03')
    assert.deepEqual([narrow.data.length, narrow.meta.count], [later.length, later.length])
    assert.equal((await server.json('/v1/records?limit=100')).status, 500)
  },
)

onEachEngine('a person is found however the letters of their name are typed', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(LETTERS)
  const writers = ['Jürg Mächler', 'Juerg Maechler', 'Łukasz Żak', 'Søren Weiß', 'Michal Sue', 'Michael Su']
  const lines = writers.map((writer, index) => ({
    data: { id: String(index), writer, readers: [], at: null },
  }))
  await server.ingest('letters', connection, lines)
  const by = async (person: string) => {
    const { body } = await server.json(`/v1/streams/letters/records?person=${encodeURIComponent(person)}`)
    return body.data.map(({ data }: { data: Letter }) => data.writer).sort()
  }
  const listed = async (q: string) => {
    const { body } = await server.json(`/v1/owner/named-people?q=${encodeURIComponent(q)}`)
    return body.data.flatMap(({ names }: { names: string[] }) => names).sort()
  }
  const both = ['Juerg Maechler', 'Jürg Mächler']
  const asked: [string, string[]][] = [
    ['Mächler', both],
    ['JUERG maechler', both],
    ['machler', ['Jürg Mächler']],
    ['lukasz zak', ['Łukasz Żak']],
    ['soeren weiss', ['Søren Weiß']],
    ['Soren', ['Søren Weiß']],
    ['Michal', ['Michal Sue']],
    ['Michael', ['Michael Su']],
  ]
  for (const [person, expected] of asked) {
    assert.deepEqual(await by(person), expected, person)
    assert.deepEqual(await listed(person), expected, `${person} in the list of people`)
  }
  await writable(server.store).run(`UPDATE search_state SET version = ''`)
  assert.deepEqual(await by('Mächler'), both, 'also while every record is read')
})

onEachEngine('ER-1 a name of any length is looked up or refused', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [message('m', { from: 'Ada <ada@example.org>' })])
  for (const name of ['ab '.repeat(5_000), 'x'.repeat(60_000), '漢'.repeat(20_000), 'Ada '.repeat(1_000)]) {
    const written = encodeURIComponent(name)
    const statuses = async (...paths: string[]) =>
      Promise.all(paths.map(async path => (await server.json(path)).status))
    const lists = ['/v1/records', '/v1/streams/messages/records', '/v1/streams/messages/aggregate']
    for (const operator of ['person', 'from', 'with', 'in', 'to'])
      for (const status of await statuses(...lists.map(path => `${path}?${operator}=${written}`)))
        assert.equal(status, operator === 'in' || operator === 'to' ? 200 : 400)
    assert.deepEqual(await statuses(`/v1/owner/named-people/${written}`), [200])
  }
  const longest = await server.json(`/v1/records?from=${'Ada '.repeat(125)}`)
  assert.deepEqual([longest.status, longest.body.data.length], [200, 1])
  assert.deepEqual(server.failures, [])
})

onEachEngine('authors are counted the same from their names and from all records', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const written = (id: string, from: string) => message(id, { from })
  await server.ingest('messages', connection, [
    ...['m1', 'm2', 'm3'].map(id => written(id, 'Ada <ada@example.org>')),
    written('m4', 'ada@example.org'),
    written('m5', 'Grace'),
  ])
  const token = await server.grant({ streams: ['messages'] })
  const later = await server.grant({ streams: ['messages'], since: '2026-01-01T00:00:00Z' })
  const counted = () =>
    Promise.all(
      [undefined, token, later].map(async each => {
        const path = '/v1/streams/messages/aggregate?metric=count&group_by=from'
        const { status, body } = await server.json(path, each === undefined ? {} : { token: each })
        assert.equal(status, 200)
        return { ...body, meta: null }
      }),
    )
  const same = async () => {
    const fromNames = await counted()
    const states = await server.store.database.all<{ stream: string; version: string }>(
      'SELECT stream, version FROM search_state',
    )
    await writable(server.store).run(`UPDATE search_state SET version = ''`)
    assert.deepEqual(await counted(), fromNames)
    for (const { stream, version } of states)
      await writable(server.store).run('UPDATE search_state SET version = ? WHERE stream = ?', [
        version,
        stream,
      ])
    return fromNames[0]?.groups
  }
  const first = await same()
  assert.deepEqual(
    first.map(({ key, count }: { key: string; count: number }) => [key, count]),
    [
      ['Ada <ada@example.org>', 3],
      ['Grace', 1],
      ['ada@example.org', 1],
    ],
  )
  await server.ingest('messages', connection, [
    written('m3', 'Grace'),
    written('m6', '--'),
    written('m7', ''),
  ])
  await same()
})
