import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../src/cli/config.ts'
import { UsageError } from '../src/cli/terminal/exit-errors.ts'
import { exposition, Meter } from '../src/origin/metrics.ts'
import { AuthorizationWorld } from './authorization-world.ts'
import { onEitherEngine } from './engines.ts'
import { mcpPost } from './mcp-post.ts'

const TOKEN = 'a token for figures alone'.replaceAll(' ', '-')

async function scrape(world: AuthorizationWorld): Promise<{ text: string; value(sample: string): number }> {
  const response = await fetch(`${world.url}/metrics`, { headers: { Authorization: `Bearer ${TOKEN}` } })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('Content-Type'), 'text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  const values = new Map(text.split('\n').map(line => [line.slice(0, line.lastIndexOf(' ')), line] as const))
  const value = (sample: string) => Number(values.get(sample)?.split(' ').at(-1))
  return { text, value }
}

onEitherEngine(
  '/metrics counts requests without revealing who sent them or what they asked',
  async engine => {
    await using world = await AuthorizationWorld.start(engine, { metricsToken: TOKEN })
    const connection_id = await world.mailbox('Journal of Ottilie', ['diary1', 'diary2', 'diary3'])
    const made = await world.own('POST', '/v1/owner/grants', { client_name: 'Quillreader' })
    const client = made.access_token as string
    const before = await scrape(world)

    assert.equal((await world.call('/v1/search?q=diary2', client)).status, 200)
    assert.equal((await world.call('/v1/streams/messages/records/diary1', client)).status, 200)
    assert.equal((await world.call('/v1/streams/ottilie_only/records', client)).status, 403)
    assert.equal((await world.call('/v1/streams/messages/records', 'wrong-token')).status, 401)
    assert.equal((await world.call('/nowhere/ottilie', null)).status, 404)
    assert.equal((await world.call('/v1/schema', client, { method: 'PATCH' })).status, 405)
    const call = { name: 'search', arguments: { query: 'diary3' } }
    const headers = { Authorization: `Bearer ${client}` }
    const mcp = await fetch(`${world.url}/mcp`, mcpPost('tools/call', call, headers))
    assert.match(await mcp.text(), /diary3/)
    await (await world.signedIn()).get('/')
    await world.server.store.writer.kill()

    const { text, value } = await scrape(world)
    const requests = (method: string, route: string, status: number) =>
      value(`footnote_requests_total{method="${method}",route="${route}",status="${status}"}`)
    assert.equal(requests('GET', '/v1/search', 200), 1)
    assert.equal(requests('GET', '/v1/streams/:stream/records/:record_id', 200), 1)
    assert.equal(requests('GET', '/v1/streams/:stream/records', 403), 1)
    assert.equal(requests('GET', '/v1/streams/:stream/records', 401), 1)
    assert.equal(requests('other', 'none', 404), 1)
    assert.equal(requests('other', '/v1/schema', 405), 1)
    assert.equal(requests('POST', '/mcp', 200), 1)
    assert.equal(value('footnote_request_duration_seconds_count{route="/v1/streams/:stream/records"}'), 2)
    assert.equal(
      value('footnote_request_duration_seconds_bucket{route="/v1/streams/:stream/records",le="+Inf"}'),
      2,
    )
    assert.equal(value('footnote_refusals_total{code="grant_stream_not_allowed"}'), 1)
    assert.equal(value('footnote_refusals_total{code="authentication_error"}'), 1)
    assert.equal(value('footnote_searches_total{result="complete"}'), 2, 'the one over /mcp counts')
    assert.equal(value('footnote_searches_total{result="cut_short"}'), 0)
    assert.equal(value('footnote_part_up{part="database"}'), 1)
    assert.equal(value('footnote_thread_restarts_total{thread="writer"}'), 1)
    const lines = 'footnote_ledger_lines_total'
    assert.ok(value(lines) - before.value(lines) >= 4)
    assert.equal(value('footnote_ledger_failures_total'), 0)
    assert.equal(value('footnote_connections'), 1)
    assert.equal(value('footnote_records'), 3)
    assert.equal(value('footnote_imports{state="finished"}'), 0)
    assert.ok(value('process_resident_memory_bytes') > 1_000_000)

    const personal = [/ottilie/i, /quillreader/i, /diary/i, /mailbox/i, /messages/, /hush/, /127\.0\.0\.1/]
    const ids = [connection_id, made.client_id, client, world.ownerToken, world.server.store.owner_id, TOKEN]
    for (const told of personal) assert.doesNotMatch(text, told)
    for (const id of ids) assert.ok(!text.includes(id), id)
    for (const line of text.trimEnd().split('\n'))
      assert.match(line, /^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? \d+(\.\d+)?(e-\d+)?)$/)
  },
)

onEitherEngine(
  '/metrics accepts only its own token, and does not exist without the setting',
  async engine => {
    await using world = await AuthorizationWorld.start(engine, { metricsToken: TOKEN })
    await world.mailbox('Mail')
    const { access_token } = await world.own('POST', '/v1/owner/grants', { client_name: 'App' })
    for (const token of [null, 'wrong', access_token, world.ownerToken, `${TOKEN}x`, '']) {
      const { status, body } = await world.call('/metrics', token)
      assert.deepEqual([status, body.error.code], [404, 'not_found'])
    }
    assert.equal((await scrape(world)).value('footnote_records'), 3)

    await using closed = await AuthorizationWorld.start(engine)
    for (const token of [null, '', 'null', closed.ownerToken])
      assert.equal((await closed.call('/metrics', token)).status, 404)
  },
)

test('a histogram counts each answer in every bucket that is long enough', () => {
  const meter = new Meter()
  const answer = { request_id: 'r', method: 'GET', path: '/v1/x', status: 200, isFromNetwork: true }
  for (const seconds of [0.0005, 0.003, 0.003, 11]) meter.answered({ ...answer, seconds })
  meter.answered({ ...answer, seconds: 1, isFromNetwork: false })
  const text = exposition(meter.families)
  const bucket = (le: string) => Number(text.split(`_bucket{route="/v1/x",le="${le}"} `)[1]?.split('\n')[0])
  assert.deepEqual(['0.001', '0.0025', '0.005', '10', '+Inf'].map(bucket), [1, 1, 3, 3, 4])
  assert.match(text, /_count\{route="\/v1\/x"\} 4\n/)
})

test('a label is escaped, and a token for metrics is long enough', () => {
  const family = { name: 'x', type: 'gauge' as const, help: 'X.' }
  const text = exposition([{ ...family, samples: [{ labels: { a: 'b"\\\n' }, value: 1 }] }])
  assert.equal(text, '# HELP x X.\n# TYPE x gauge\nx{a="b\\"\\\\\\n"} 1\n')
  assert.equal(readConfig({ 'metrics-token': TOKEN }, {}).metricsToken, TOKEN)
  assert.equal(readConfig({}, {}).metricsToken, null)
  for (const token of ['short', `with a space ${TOKEN}`])
    assert.throws(() => readConfig({ 'metrics-token': token }, {}), UsageError)
})
