import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importSamples } from '../src/cli/import/import-samples.ts'
import { ownServer } from '../src/cli/own-server.ts'
import { obscured } from '../src/console/demo.ts'
import { AuthorizationWorld } from './authorization-world.ts'

test('scrambled texts keep their length and their words apart', () => {
  const text = 'Tilda Brennick <tilda@example.org>, 4,180 crowns – Ärger 😀'
  const made = obscured(text)
  assert.equal(Array.from(made).length, Array.from(text).length)
  assert.doesNotMatch(made, /tilda|brennick|example|4,180|rger/i)
  assert.match(
    made,
    /^[A-Z][a-z]{4} [A-Z][a-z]{7} <[a-z]{5}@[a-z]{7}\.[a-z]{3}>, \d,\d{3} [a-z]{6} – [A-Z][a-z]{4} 😀$/,
  )
  assert.equal(obscured('Tilda'), made.slice(0, 5))
})

test('with ?demo no page shows a name or a text of the sample data, and every link stays in the demo', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  await importSamples(ownServer(world.server), new AbortController().signal, () => {})
  const { access_token, client_id } = await world.own('POST', '/v1/owner/grants', { client_name: 'Reader' })
  await world.call('/v1/search?q=engine', access_token)
  const owner = await world.signedIn()
  const [hit] = (await world.call('/v1/search?q=engine')).body.data
  const record = new URL(hit.url).pathname
  const pages = [
    ...['/?demo', '/search?q=engine&demo', '/people?demo', '/sources?demo', '/apps?demo', '/activity?demo'],
    ...[`${record}?demo`, `${hit.url.replace(world.url, '')}&demo`, `/apps/${client_id}?demo`],
    ...[`/activity/${client_id}?demo`, `/sources/${hit.connection_id}?demo`, `${record}/readers?demo`],
    '/people/hedda%40ruusk.example?demo',
  ]
  for (const path of pages) {
    const { html, status } = await owner.get(path)
    assert.equal(status, 200, path)
    const body = html.slice(html.indexOf('<main'))
    const seen = body.replace(/ (?:href|action|value|aria-label)="[^"]*"/g, '')
    assert.doesNotMatch(seen, /tilda|brennick|hedda|ruusk|foldout|grandfather|smelled burnt/i, path)
    assert.match(body, /names and texts are scrambled/)
    for (const [, link = ''] of html.matchAll(/ (?:href|action)="([/?][^"]*)"/g))
      assert.match(link, /[?;&]demo/)
  }
  const plain = await owner.get(record)
  assert.match(plain.html, /tilda|hedda/i)
  assert.doesNotMatch(plain.html, /scrambled/)
})
