import assert from 'node:assert/strict'
import { CALENDAR } from '../src/importers/calendar/declaration.ts'
import { AuthorizationWorld } from './authorization-world.ts'
import { onEachEngine, TestServer } from './engines.ts'
import { McpTestClient } from './mcp-client.ts'

function event(id: string, starts_at: string, ends_at: string | null): { key: string; data: object } {
  const data = { id, kind: 'event', title: `Event ${id}`, text: 'about it '.repeat(400), starts_at, ends_at }
  return { key: id, data }
}

const TRIP = event('trip', '2024-05-03T08:00:00Z', '2024-05-09T18:00:00Z')
const LUNCH = event('lunch', '2024-05-05T11:00:00Z', '2024-05-05T12:00:00Z')
const EARLIER = event('earlier', '2024-05-01T11:00:00Z', '2024-05-01T12:00:00Z')

onEachEngine(
  'AN-23 events are listed with their ends, and a note says that they are found by their start',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(CALENDAR, 'Calendar')
    await server.ingest('calendar_events', connection, [TRIP, LUNCH, EARLIER])
    await using client = await McpTestClient.connect(server, await server.grant())
    const stream = 'calendar_events'
    const all = await client.call('query_records', { stream })
    assert.match(all.text, /ends_at 2024-05-09 18:00/)
    assert.doesNotMatch(all.text, /Found by their start/)

    const day = await client.call('query_records', { stream, query: 'on:2024-05-05', time_zone: 'UTC' })
    assert.match(day.text, /^1 record\./)
    const [, until = '', filter = ''] =
      /Found by their start\. To include what began earlier and had not ended, pass until="([^"]+)" and filter=(\{.+\}) instead of since or on:\./.exec(
        day.text,
      ) ?? []
    const lasting = await client.call('query_records', { stream, until, filter: JSON.parse(filter) })
    assert.deepEqual(
      lasting.structured.data.data.map(({ id }: { id: string }) => id),
      ['lunch', 'trip'],
    )

    const fields = ['id', 'kind', 'title', 'starts_at']
    const narrow = await server.grant({ streams: [stream], fields })
    await using hidden = await McpTestClient.connect(server, narrow)
    const shown = await hidden.call('query_records', { stream, query: 'on:2024-05-05', time_zone: 'UTC' })
    assert.match(shown.text, /^1 record\./)
    assert.doesNotMatch(shown.text, /ends_at|Found by their start/, 'a hidden field is not named')
  },
)

onEachEngine('the page of an event says when it begins and when it ends', async engine => {
  await using world = await AuthorizationWorld.start(engine, { timeZone: 'UTC' })
  const connection_id = await world.addSource(CALENDAR, 'Calendar')
  const events = [
    TRIP,
    event('open', '2024-05-03T08:00:00Z', null),
    event('days', '2024-06-01T00:00:00Z', '2024-06-08T00:00:00Z'),
    event('day', '2024-06-01T00:00:00Z', '2024-06-02T00:00:00Z'),
    event('hours', '2024-06-01T08:00:00Z', '2024-06-01T09:30:00Z'),
  ]
  await world.ingest('calendar_events', connection_id, events)
  const owner = await world.signedIn()
  const { html } = await owner.get(`/r/${connection_id}/calendar_events/trip`)
  assert.match(html, /<dt>When<\/dt><dd dir="auto">3 May 2024, \d\d:\d\d [^<]+ – 9 May 2024, \d\d:\d\d/)
  const fields = [...html.matchAll(/<dt>([^<]+)</g)].map(([, field]) => field)
  assert.equal(fields.indexOf('Ends at') - fields.indexOf('Starts at'), 1, 'the start is told before the end')
  const whenOf = async (id: string) => {
    const page = await owner.get(`/r/${connection_id}/calendar_events/${id}`)
    return /<dt>When<\/dt><dd dir="auto">([^<]+)</.exec(page.html)?.[1]
  }
  assert.match((await whenOf('open')) ?? '', /^3 May 2024, \d\d:\d\d [^–]+$/)
  assert.equal(await whenOf('days'), '1 June 2024 – 7 June 2024')
  assert.equal(await whenOf('day'), '1 June 2024')
  assert.equal(await whenOf('hours'), '1 June 2024, 08:00 – 09:30 UTC')
  assert.deepEqual(world.failures, [])
})
