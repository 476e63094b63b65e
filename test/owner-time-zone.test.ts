import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConsentForm } from '../src/authorization-server/consent/consent-form.ts'
import { readConfig } from '../src/cli/config.ts'
import { TimeZone } from '../src/model/time.ts'
import { knownTimeZone, ownerTimeZone } from '../src/origin/origin.ts'
import { footnote, placeFlags } from './command-line.ts'
import { freshLocation, onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'

test('AN-26 the time zone is the configured one, or else the one at the first start', async () => {
  const { location, remove } = await freshLocation('sqlite')
  const file = join(location.directory, 'time-zone')
  assert.equal(ownerTimeZone(location.directory, 'Asia/Tokyo', false).name, 'Asia/Tokyo')
  const system = knownTimeZone(location.directory, undefined).name
  await assert.rejects(readFile(file), 'nothing is written')
  const guessed = ownerTimeZone(location.directory, undefined, false).name
  assert.equal(guessed, new Intl.DateTimeFormat().resolvedOptions().timeZone)
  assert.equal(guessed, system)
  assert.equal(await readFile(file, 'utf8'), `${guessed}\n`)
  await writeFile(file, 'Pacific/Chatham\n')
  assert.equal(ownerTimeZone(location.directory, undefined, false).name, 'Pacific/Chatham')
  await writeFile(file, 'Nowhere/None')
  assert.equal(ownerTimeZone(location.directory, undefined, false).name, guessed)
  const env = { HOME: location.directory }
  assert.equal(readConfig({}, { ...env, FOOTNOTE_TIME_ZONE: 'Europe/Berlin' }).timeZone, 'Europe/Berlin')
  assert.throws(() => readConfig({ 'time-zone': 'Mars' }, env), /--time-zone must be an IANA name/)
  await remove()
})

onEitherEngine("AN-26 the schema shows the zone and today's date there", async engine => {
  await using server = await TestServer.start(engine, { timeZone: 'Pacific/Kiritimati' })
  await server.connect(MAILBOX)
  server.clockOffsetMs = Date.parse('2030-12-31T12:00:00Z') - Date.now()
  const { body } = await server.json('/v1/schema')
  assert.deepEqual([body.time_zone, body.today], ['Pacific/Kiritimati', '2031-01-01'])
  server.clockOffsetMs = 0
  await using client = await McpTestClient.connect(server, await server.grant())
  const { text, structured } = await client.call('schema')
  assert.match(text, /^today is \d{4}-\d\d-\d\d in Pacific\/Kiritimati\n/)
  assert.equal(structured.data.time_zone, 'Pacific/Kiritimati')
})

onEitherEngine(
  "AN-24 dates in arguments are in the owner's time zone, and a person narrows every list",
  async engine => {
    await using server = await TestServer.start(engine, { timeZone: 'Asia/Tokyo' })
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, [
      message('before', { received_at: '2015-07-31T14:59:59Z', body: 'gull' }),
      message('first', { received_at: '2015-07-31T15:00:00Z', body: 'gull' }),
      message('last', { received_at: '2015-08-31T14:59:59Z', body: 'gull', from: 'Hedda Gabler' }),
      message('after', { received_at: '2015-08-31T15:00:00Z', body: 'gull' }),
    ])
    await using client = await McpTestClient.connect(server, await server.grant())
    const august = { since: '2015-08', until: '2015-08' }
    const listed = async (args: object) => {
      const { text, structured } = await client.call('query_records', { stream: 'messages', ...args })
      return { text, ids: structured.data.data.map(({ id }: { id: string }) => id) }
    }
    const { text, ids } = await listed(august)
    assert.deepEqual(ids, ['last', 'first'])
    assert.match(text, /from 2015-08-01, before 2015-09-01 \(Asia\/Tokyo\)/)
    assert.deepEqual((await listed({ ...august, time_zone: 'UTC' })).ids, ['after', 'last'])
    assert.deepEqual((await listed({ person: 'hedda' })).ids, ['last'])
    assert.deepEqual((await listed({ connector: 'mailbox', since: '2015-09' })).ids, ['after'])
    const found = await client.call('search', { query: 'gull', ...august, person: 'gabler' })
    assert.equal(found.structured.results.length, 1)
    assert.match(found.text, /\(Asia\/Tokyo\)/)
    const counted = await client.call('aggregate', { stream: 'messages', ...august })
    assert.equal(counted.structured.data.value, 2)
    assert.match(counted.text, /\(Asia\/Tokyo\)/)
    const error = await client.refused('search', { query: 'gull', since: 'soon' })
    assert.match(error.message, /Examples: 2015, 2015-08/)
  },
)

onEitherEngine(
  'AN-26 the time zone of the first command is kept, that of a later one is not',
  async engine => {
    const { location, remove } = await freshLocation(engine)
    const file = join(location.directory, 'note.md')
    await writeFile(file, '# A note')
    const env = { FOOTNOTE_TIME_ZONE: '' }
    const run = (...args: string[]) => footnote([...args, ...placeFlags(location)], { env })
    assert.equal((await run('import', file, '--time-zone', 'Pacific/Chatham')).code, 0)
    assert.match((await run('schema')).stderr, /Times are in Pacific\/Chatham/)
    assert.match((await run('schema', '--time-zone', 'Asia/Tokyo')).stderr, /Times are in Asia\/Tokyo/)
    assert.equal((await run('import', file, '--time-zone', 'Asia/Tokyo')).code, 0)
    assert.match((await run('schema')).stderr, /Times are in Pacific\/Chatham/)
    await remove()
  },
)

test("AN-41 an import reports its first and last day in the owner's time zone", async () => {
  const { location, remove } = await freshLocation('sqlite')
  const file = join(location.directory, 'inbox.mbox')
  const date = 'Date: Mon, 4 May 2026 20:12:00 +0000'
  await writeFile(
    file,
    `From ada@example.org Mon May  4 20:12:00 2026\nFrom: ada@example.org\nSubject: Hi\n${date}\n\nHi.\n`,
  )
  const look = async (...zone: string[]) =>
    (await footnote(['import', file, '--dry-run', '--data-dir', location.directory, ...zone])).stderr
  assert.match(await look(), /2026-05-04 to 2026-05-04/)
  assert.match(await look('--time-zone', 'Asia/Tokyo'), /2026-05-05 to 2026-05-05/)
  await remove()
})

onEitherEngine('AN-24 until may be the last day of all', async engine => {
  await using server = await TestServer.start(engine, { timeZone: 'America/New_York' })
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [message('one')])
  await using client = await McpTestClient.connect(server, await server.grant())
  for (const zone of [{}, { time_zone: 'UTC' }, { time_zone: 'Asia/Tokyo' }]) {
    const bounds = { since: '-9999y', until: '9999-12-31', ...zone }
    const { structured } = await client.call('query_records', { stream: 'messages', ...bounds })
    assert.deepEqual(
      structured.data.data.map(({ id }: { id: string }) => id),
      ['one'],
    )
  }
})

test('a bound on the first or the last day of all is a bound of a grant in every zone', () => {
  for (const name of ['UTC', 'Asia/Tokyo', 'America/New_York'])
    for (const day of ['0000-01-01', '9999-12-31']) {
      const form = new URLSearchParams({ range: 'custom', since: day, until: day })
      const { choice } = readConsentForm(form, [], { zone: new TimeZone(name), now: new Date() })
      for (const bound of [choice.since, choice.until]) assert.match(bound ?? 'none', /^t(0000|9999)-/, name)
    }
})
