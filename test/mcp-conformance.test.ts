import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { serveOverHttp } from '../src/mcp/protocol/http.ts'
import { createConformanceFixture } from './conformance-fixture.ts'
import { REASONS, SCENARIOS, tableRow } from './conformance-scenarios.ts'
import { type Outcome, runConformance, scenariosOf, withToken } from './conformance-suite.ts'
import { PROVING } from './engines.ts'
import { goodClient } from './good-client.ts'
import { ERAS } from './mcp-client.ts'
import { serveOnLoopback } from './mcp-connections.ts'
import { servedMailbox } from './served-mailbox.ts'

/** The checks of `server-stateless` that need tools which only the fixture has. */
const NEEDS_DIAGNOSTIC_TOOLS = [
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
]

const passed = ({ succeeded, objections }: Outcome) =>
  objections.length === 0 && succeeded.some(id => !id.startsWith('wire-schema'))

const placesIn = (era: number) =>
  Object.entries(SCENARIOS).flatMap(([name, places]) => {
    const place = places[era] ?? null
    return place === null ? [] : [{ name, place }]
  })

/** The fixture behind the endpoint that serves `/mcp`, on loopback. */
function serveFixture(): Promise<{ url: string } & AsyncDisposable> {
  return serveOnLoopback(publicUrl =>
    serveOverHttp({ createServer: () => createConformanceFixture() }, { publicUrl, identify: goodClient }),
  )
}

for (const [index, era] of ERAS.entries()) {
  test(`HO-1 conformance to ${era}: the scenarios that need nothing but a server pass on Footnote`, async () => {
    await using mailbox = await servedMailbox('sqlite')
    await using door = await withToken(mailbox.url, mailbox.token)
    const outcomes = await runConformance(`${door.url}/mcp`, era)
    const { demanded, beside } = await scenariosOf(era)
    const places = placesIn(index)
    assert.deepEqual([...outcomes.keys()].sort(), [...demanded, ...beside].sort())
    assert.deepEqual(places.map(({ name }) => name).sort(), [...outcomes.keys()].sort())
    for (const { name, place } of places) {
      const outcome = outcomes.get(name) as Outcome
      const wire = outcome.objections.filter(objection => objection.startsWith('wire-schema'))
      assert.deepEqual(wire, [], name)
      if (place === 'Footnote') assert.ok(passed(outcome), `${name}: ${outcome.objections.join('\n')}`)
      if (name.startsWith('tools-call'))
        assert.ok(!passed(outcome), `${name} asks for a tool that is not there`)
    }
    const stateless = outcomes.get('server-stateless')?.objections ?? []
    const unexpected = stateless.filter(
      objection => !NEEDS_DIAGNOSTIC_TOOLS.some(id => objection.startsWith(`${id}: Not testable`)),
    )
    assert.deepEqual(unexpected, [])
  })

  // A second run is slow.
  if (!PROVING) continue
  test(`HO-1 conformance to ${era}: every scenario that applies passes on the same transport`, async () => {
    await using fixture = await serveFixture()
    await using door = await withToken(fixture.url, 'fixture')
    const outcomes = await runConformance(`${door.url}/mcp`, era)
    for (const { name, place } of placesIn(index)) {
      const outcome = outcomes.get(name)
      assert.ok(outcome, `${name} was not run`)
      const applies = place === 'Footnote' || place === 'fixture'
      assert.equal(passed(outcome), applies, `${name}: ${outcome.objections.join('\n')}`)
    }
  })
}

test('the documentation lists every scenario with its status and reason', async () => {
  const page = await readFile(new URL('../docs/reference/mcp-conformance.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `[a-z0-9-]+` \|.*$/gm)].map(([row]) => row)
  assert.deepEqual(rows, Object.keys(SCENARIOS).map(tableRow))
  for (const [name, reason] of Object.entries(REASONS))
    assert.ok(page.includes(`| ${name} | ${reason} |`), name)
})
