import { source } from '../../test/mailbox.ts'
import { Client } from '../client.ts'
import { documentLine } from '../documents.ts'
import { connectionOf, DECLARATION, isGranted, mail, mailId, VOCABULARY, wordAt } from '../mail.ts'
import { alternate, type Sample } from '../measure.ts'
import { atMost, type Result, timed } from '../result.ts'
import type { Rig } from '../rig.ts'
import type { Row } from '../row.ts'
import { TARGETS } from '../targets.ts'
import { recordReads } from './record.ts'
import { BY_TEXT, CLASSES, question } from './search-classes.ts'

const FEW_TIMES = 6

export const search: Row = {
  name: 'search',
  async measure(rig) {
    await rig.floor.send('/search-build')
    await assertOldestFound(rig)
    await warmUp(rig)
    const results: Result[] = []
    for (const { name, queries, times } of CLASSES) {
      const paths = queries.map(q => encodeURIComponent(q))
      let [ours, floors] = [0, 0]
      const next = (turn: number) => paths[turn % paths.length]
      const { server, floor } = await alternate(
        {
          server: () => rig.client.send(`/v1/search?q=${next(ours++)}`),
          floor: () => rig.floor.send(`/search?q=${next(floors++)}`),
        },
        rig.size.seconds,
      )
      const row = `search, ${name}${timesOf(floor)}`
      results.push(timed({ row, server, floor, target: atMost(times, '× floor') }))
      results.push(
        timed({
          row: `${row}, p95`,
          server,
          floor,
          target: TARGETS.searchP95[rig.engine],
          figure: server.p95,
        }),
      )
    }
    for (const { name, queries } of BY_TEXT) {
      const paths = queries(rig.size.records).map(q => encodeURIComponent(q))
      let turn = 0
      const ask = () => rig.client.send(`/v1/search?q=${paths[turn++ % paths.length]}`)
      const { server } = await alternate({ server: ask }, rig.size.seconds)
      const target = TARGETS.searchP95[rig.engine]
      results.push(timed({ row: `search, ${name}, p95`, server, target, figure: server.p95 }))
    }
    const beside = rig.size.quick ? [] : await besideLongText(rig)
    return [...results, await besideSearches(rig), ...beside]
  },
}

/** Said in the row where the floor was too slow to be asked often. */
function timesOf({ times }: Sample): string {
  return times.length < FEW_TIMES ? ` (the floor ${times.length} times)` : ''
}

/** All classes in turn, so that none is at a disadvantage for being measured first. */
async function warmUp({ client, size }: Rig): Promise<void> {
  const queries = CLASSES.flatMap(({ queries }) => queries.slice(0, 5))
  const end = performance.now() + 2_000 * size.seconds
  for (let n = 0; performance.now() < end; n++) {
    await client.send(`/v1/search?q=${encodeURIComponent(queries[n % queries.length] ?? '')}`)
  }
}

/** Small reads while another client asks one question after the other. */
async function besideSearches(rig: Rig): Promise<Result> {
  using busy = new Client(rig.urls.server, rig.tokens.client)
  let running = true
  const searching = (async () => {
    for (let n = 0; running; n++) await busy.send(`/v1/search?q=${encodeURIComponent(question(n % 10))}`)
  })()
  const { server, floor } = await alternate(recordReads(rig), rig.size.seconds)
  running = false
  await searching
  const row = 'GET record beside searches, p99'
  return timed({ row, server, floor, target: TARGETS.besideSearches, figure: server.at(0.99) })
}

/** The same queries before and after a document of 50 MB that contains all of their words was added. */
async function besideLongText(rig: Rig): Promise<Result[]> {
  await rig.owner.post('/v1/owner/declarations', BOOKS)
  const { connection_id } = await rig.owner.post<{ connection_id: string }>('/v1/owner/connections', {
    source_id: BOOKS.source.id,
    display_name: 'Books',
  })
  const { access_token } = await rig.owner.post<{ access_token: string }>('/v1/owner/grants', {
    client_name: 'Reader',
    connections: [...rig.connections, connection_id],
    streams: ['messages', 'books'],
  })
  using client = new Client(rig.urls.server, access_token)
  const classes = CLASSES.filter(({ times }) => times < 1)
  const measure = async () => {
    const samples: { server: Sample; floor: Sample }[] = []
    for (const { queries } of classes) {
      const paths = queries.map(q => encodeURIComponent(q))
      let [ours, floors] = [0, 0]
      const server = () => client.send(`/v1/search?q=${paths[ours++ % paths.length]}`)
      const floor = () => rig.floor.send(`/search?q=${paths[floors++ % paths.length]}`)
      samples.push(await alternate({ server, floor }, rig.size.seconds / 2))
    }
    return samples
  }
  const before = await measure()
  await rig.owner.ingest('books', connection_id, documentLine('50 MB'))
  await rig.place.settle()
  const after = await measure()
  return classes.flatMap(({ name, times }, i) => {
    const { server, floor } = after[i] as (typeof after)[number]
    const row = `search, ${name}, beside a text of 50 MB that holds it${timesOf(floor)}`
    return [
      timed({ row, server, floor, target: atMost(times, '× floor') }),
      timed({
        row: `${row}, and before it came`,
        server,
        floor: (before[i] as (typeof before)[number]).server,
        target: TARGETS.searchBesideLongText,
      }),
    ]
  })
}

const BOOKS = {
  ...DECLARATION,
  ...source('bench-books', 'Books'),
  streams: DECLARATION.streams
    .filter(stream => stream.name === 'documents')
    .map(stream => ({ ...stream, name: 'books', query: { search: { lexical_fields: ['text'] } } })),
}

/**
 * The oldest granted record with two rare words that no other record contains together is the first hit of a question
 * that also has eight of its common words: no cap loses it.
 */
async function assertOldestFound(rig: Rig): Promise<void> {
  const rarity = new Map(Array.from({ length: VOCABULARY }, (_, place) => [wordAt(place), place]))
  for (let n = 0; n < rig.size.records; n++) {
    if (!isGranted(n)) continue
    const words = [...new Set(mail(n).body.split(' '))]
    words.sort((a, b) => (rarity.get(b) ?? 0) - (rarity.get(a) ?? 0))
    const rare = words.slice(0, 2)
    const both = await rig.floor.json<{ n: number }>(`/search-count?q=${encodeURIComponent(rare.join(' '))}`)
    if (Number(both.n) !== 1) continue
    const q = encodeURIComponent([...words.slice(-8), ...rare].join(' '))
    const { data } = await rig.client.json<{ data: { record_key: string; connection_id: string }[] }>(
      `/v1/search?q=${q}`,
    )
    if (data[0]?.record_key === mailId(n) && data[0].connection_id === connectionOf(n, rig.connections))
      return
    throw new Error(`${mailId(n)}, the only record with ${rare.join(' and ')}, is not the first hit.`)
  }
}
