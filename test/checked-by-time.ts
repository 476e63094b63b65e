import { askPerson } from './brute-force-people.ts'
import { compareTexts, type Seen } from './brute-force-query.ts'
import { type Client, FIELD, type Refusal } from './checked-client.ts'
import { randomTime } from './random-world.ts'

/** Reads the records of all readable streams by time, for a random person and random bounds. */
export async function tryByTime(client: Client): Promise<void> {
  const { random } = client
  const query = new URLSearchParams()
  const due: Refusal[] = []
  const person = askPerson(client, client.open, query, due)
  const opensTime = ({ anyTime, ...source }: Client['open'][number]) =>
    anyTime !== null && client.fieldsOf({ ...source, anyTime }).includes(anyTime)
  let { sources } = person
  const bounds = { since: random.chance(0.3), until: random.chance(0.3) }
  const bound = { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }
  for (const name of ['since', 'until'] as const) {
    if (!bounds[name]) continue
    const time = randomTime(random)
    query.set(name, time)
    bound[name] = Date.parse(time)
  }
  const isBound = bounds.since || bounds.until
  if (isBound) {
    const able = sources.filter(opensTime)
    if (able.length === 0 && sources.some(({ anyTime }) => anyTime !== null)) due.push(FIELD)
    sources = able
  }
  sources = sources.filter(
    source => opensTime(source) && client.opensThroughout(source, source.anyTime ?? ''),
  )
  const timeOf = ({ source, data }: Seen) => Date.parse(String(data[source.anyTime ?? ''] ?? ''))
  const order = random.pick(['asc', 'desc'] as const)
  query.set('order', order)
  const limit = random.integer(1, 7)
  query.set('limit', String(limit))
  query.set('count', 'exact')
  const isWithin = (time: number) =>
    !isBound || (!Number.isNaN(time) && time >= bound.since && time < bound.until)
  const passing = client.seenIn(sources).filter(row => person.names(row) && isWithin(timeOf(row)))
  const sign = order === 'asc' ? 1 : -1
  const expected = passing
    .filter(row => !Number.isNaN(timeOf(row)))
    .toSorted(
      (a, b) =>
        sign *
        (timeOf(a) - timeOf(b) ||
          compareTexts(a.id, b.id) ||
          compareTexts(a.source.connection, b.source.connection) ||
          compareTexts(a.source.stream, b.source.stream)),
    )
    .map(({ source, id }) => `${source.connection} ${source.stream} ${id}`)
  for (let start = 0, cursor = ''; ; start += limit) {
    const path = `/v1/records?${query}${cursor && `&cursor=${cursor}`}`
    const answer = await client.ask(path)
    if (client.refused(answer, due, path)) return
    const { data, has_more, next_cursor, meta } = answer.body
    const got = data.map(
      (row: { connection_id: string; stream: string; id: string }) =>
        `${row.connection_id} ${row.stream} ${row.id}`,
    )
    const more = start + limit < expected.length
    client.equal(
      [got, has_more, meta.count],
      [expected.slice(start, start + limit), more, passing.length],
      path,
    )
    if (!more) return
    cursor = next_cursor
  }
}
