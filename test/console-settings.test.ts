import assert from 'node:assert/strict'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../src/cli/config.ts'
import { AuthorizationWorld, csrfIn } from './authorization-world.ts'
import { message } from './mailbox.ts'

const PAGE = '/settings/server'

async function csrfOf(owner: Awaited<ReturnType<AuthorizationWorld['signedIn']>>): Promise<string> {
  return csrfIn(await owner.get(PAGE))
}

test('the owner sets the time zone in the browser: it applies immediately, and after a restart', async () => {
  await using world = await AuthorizationWorld.start('sqlite', { timeZone: 'UTC' })
  const connection_id = await world.mailbox('Mail', [])
  const line = message('m1', { received_at: '2026-08-01T20:00:00Z', body: 'the treaty' })
  await world.ingest('messages', connection_id, [line])
  const file = join(world.directory, 'footnote.json')
  await writeFile(file, '{"port": 8080}')
  await chmod(file, 0o640)
  const owner = await world.signedIn()
  const csrf = await csrfOf(owner)
  const record = `/r/${connection_id}/messages/m1`
  assert.match((await owner.get(record)).html, /1 August 2026, 20:00 UTC/)
  const set = (value: string) => owner.post(PAGE, { csrf, name: 'time-zone', value })
  const zoned = await set('Pacific/Kiritimati')
  assert.match(zoned.html, /<option value="Pacific\/Kiritimati" selected>/)
  assert.match(zoned.html, />Saved\.</)
  assert.match((await owner.get(record)).html, /2 August 2026, 10:00 GMT\+14/)
  assert.equal((await world.call('/v1/schema')).body.time_zone, 'Pacific/Kiritimati')
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), {
    port: 8080,
    'time-zone': 'Pacific/Kiritimati',
  })
  assert.equal((await stat(file)).mode & 0o777, 0o640)
  const next = readConfig({ 'data-dir': world.directory }, { HOME: world.directory })
  assert.deepEqual([next.timeZone, next.port], ['Pacific/Kiritimati', 8080])
  const wrong = await set('Mars/Olympus')
  assert.equal(wrong.status, 400)
  assert.match(wrong.html, /not a time zone/)
  assert.doesNotMatch(wrong.html, />Saved\.</)
  assert.equal((await world.call('/v1/schema')).body.time_zone, 'Pacific/Kiritimati')
  assert.equal((await owner.post(PAGE, { csrf, name: 'port', value: '1' })).status, 404)
  await set('Pacific/Kiritimati')
  const { data: events } = (await world.call('/v1/owner/audit')).body
  const changes = events.filter(({ event }: { event: string }) => event === 'setting_changed')
  assert.deepEqual(
    changes.map(({ actor, detail }: { actor: string; detail: string }) => [actor, detail]),
    [['owner', 'time-zone: Pacific/Kiritimati']],
    'what is refused or stays as it is, is no change',
  )
  const log = (await owner.get('/settings/changes')).html
  assert.match(log, /You set the time zone to Pacific\/Kiritimati</)
  assert.equal((await owner.post(PAGE, { csrf: 'x', name: 'time-zone', value: 'UTC' })).status, 403)
  assert.deepEqual(world.failures, [])
})

test('the owner enters own names in the browser, and from:me finds them immediately', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const connection_id = await world.mailbox('Mail', [])
  const lines = ['Ann Example', 'Ole'].map(from => message(from, { from }))
  await world.ingest('messages', connection_id, lines)
  const owner = await world.signedIn()
  const csrf = await csrfOf(owner)
  const set = (value: string) => owner.post(PAGE, { csrf, name: 'my-names', value })
  const found = async () => {
    const { data, meta } = (await world.call('/v1/search?q=from:me')).body
    const remedies = meta.warnings.filter((each: { message: string }) => /in Settings\.$/.test(each.message))
    return [data.map(({ record_key }: { record_key: string }) => record_key), remedies.length]
  }
  assert.deepEqual(await found(), [[], 1])
  assert.match((await owner.get('/search?q=from%3Ame')).html, /<a href="\/settings\/server#my-names">/)
  const saved = await set(' Ann Example,, ann@example.org ')
  assert.match(saved.html, /name="value" value="Ann Example, ann@example\.org"/)
  assert.deepEqual(await found(), [['Ann Example'], 0])
  for (const wrong of ['Ann, !', Array(21).fill('Ann').join()])
    assert.match((await set(wrong)).html, /Your names must be at most 20 names or addresses/)
  assert.deepEqual(await found(), [['Ann Example'], 0])
  const next = readConfig({ 'data-dir': world.directory }, { HOME: world.directory })
  assert.deepEqual(next.ownNames, ['Ann Example', 'ann@example.org'])
  await set('')
  assert.deepEqual(await found(), [[], 1])
  assert.deepEqual(world.failures, [])
})

test('the address changes at the next start, and the page says so; query words are shown immediately', async () => {
  await using world = await AuthorizationWorld.start('sqlite')
  const owner = await world.signedIn()
  const csrf = await csrfOf(owner)
  const set = (name: string, value: string) => owner.post(PAGE, { csrf, name, value })
  const refused = (await set('public-url', 'https://example.org/path')).html
  assert.match(
    refused,
    /role="alert">The address must begin with http[^<]*<\/p>\s*<input[^>]+value="https:\/\/example\.org\/path"/,
  )
  assert.doesNotMatch((await owner.get(PAGE)).html, /After the next start/)
  const saved = await set('public-url', 'https://Footnote.example.org/')
  assert.match(saved.html, /After the next start it will be https:\/\/footnote\.example\.org\./)
  const next = readConfig({ 'data-dir': world.directory }, { HOME: world.directory })
  assert.equal(next.publicUrl, 'https://footnote.example.org')
  assert.equal((await world.call('/v1/owner/ledger')).body.shows_queries, false)
  const link = /href="\/settings\/server#ledger-queries"/
  assert.match((await owner.get('/settings')).html, link)
  assert.match((await owner.get('/activity')).html, link)
  await set('ledger-queries', 'on')
  assert.doesNotMatch((await owner.get('/activity')).html, link)
  assert.equal((await world.call('/v1/owner/ledger')).body.shows_queries, true)
  await set('ledger-queries', 'off')
  assert.equal((await world.call('/v1/owner/ledger')).body.shows_queries, false)
  assert.deepEqual(world.failures, [])
})

test('what a flag or a variable sets cannot be changed in the browser, and the page says which', async () => {
  const flags = { 'data-dir': '/nowhere', 'time-zone': 'Europe/Berlin' }
  const { fixed, file } = readConfig(flags, { FOOTNOTE_PUBLIC_URL: 'https://a.example', HOME: '/h' }).settings
  assert.deepEqual(fixed, {
    'data-dir': '--data-dir',
    'public-url': 'FOOTNOTE_PUBLIC_URL',
    'time-zone': '--time-zone',
  })
  assert.equal(file, '/nowhere/footnote.json')
  await using world = await AuthorizationWorld.start('sqlite', { fixedSettings: fixed })
  const owner = await world.signedIn()
  const { html } = await owner.get(PAGE)
  assert.match(html, /set by <code>--time-zone<\/code>/)
  assert.match(html, /set by <code>FOOTNOTE_PUBLIC_URL<\/code>/)
  assert.equal(html.match(/<button/g)?.length, 2)
  const csrf = await csrfOf(owner)
  const refused = await owner.post(PAGE, { csrf, name: 'time-zone', value: 'UTC' })
  assert.equal(refused.status, 400)
  await assert.rejects(readFile(join(world.directory, 'footnote.json')))
  assert.match((await owner.get('/settings')).html, /href="\/settings\/server#time-zone"/)
  assert.deepEqual(world.failures, [])
})

test('a settings file that became invalid is kept, and the page says what is wrong with it', async () => {
  await using world = await AuthorizationWorld.start('sqlite', { timeZone: 'UTC' })
  const file = join(world.directory, 'footnote.json')
  const owner = await world.signedIn()
  const csrf = await csrfOf(owner)
  const invalid: [content: string, said: RegExp][] = [
    ['{"port": 8080,', /footnote\.json is not a JSON object/],
    ['{"prot": 8080}', /footnote\.json has an unknown setting, (?:"|&quot;|&#34;)prot/],
    ['{"port": [1]}', /footnote\.json: port is neither a text nor a number/],
  ]
  for (const [content, said] of invalid) {
    await writeFile(file, content)
    const page = await owner.get(PAGE)
    assert.equal(page.status, 200)
    const refused = await owner.post(PAGE, { csrf, name: 'time-zone', value: 'Pacific/Kiritimati' })
    assert.equal(refused.status, 400)
    assert.match(refused.html, said)
    assert.equal(await readFile(file, 'utf8'), content)
    assert.equal((await world.call('/v1/schema')).body.time_zone, 'UTC')
  }
  await writeFile(file, '{"port": 8080}')
  assert.match(
    (await owner.post(PAGE, { csrf, name: 'time-zone', value: 'Pacific/Kiritimati' })).html,
    />Saved\.</,
  )
  assert.deepEqual(world.failures, [])
})

test('Settings says when the data was last copied, or that Footnote cannot know', async () => {
  const at = new Date(Date.now() - 3 * 86_400_000).toISOString()
  const notes = [{ at, directory: '/copies/monday' }, null]
  for (const note of notes) {
    await using world = await AuthorizationWorld.start('sqlite', { lastBackup: () => note })
    const { html } = await (await world.signedIn()).get('/settings')
    assert.match(html, note ? /made 3 days ago, in \/copies\/monday\./ : /Footnote has not made one yet/)
    assert.match(html, /footnote backup DIR/)
  }
  await using world = await AuthorizationWorld.start('sqlite')
  const { html } = await (await world.signedIn()).get('/settings')
  assert.match(html, /use the tools of your database/)
  assert.doesNotMatch(html, /footnote backup/)
})
