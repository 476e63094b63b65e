import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../src/cli/config.ts'
import { ownerTimeZone } from '../src/origin/owner-time-zone.ts'
import { freshLocation, onEachEngine, TestServer } from './engines.ts'
import { MAILBOX } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'

test('AN-23 the time zone is the one that is set, else the one of the first start', async () => {
  const { location, remove } = await freshLocation('sqlite')
  const file = join(location.directory, 'time-zone')
  assert.equal(ownerTimeZone(location.directory, 'Asia/Tokyo').name, 'Asia/Tokyo')
  await assert.rejects(readFile(file))
  const guessed = ownerTimeZone(location.directory, undefined).name
  assert.equal(guessed, new Intl.DateTimeFormat().resolvedOptions().timeZone)
  assert.equal(await readFile(file, 'utf8'), `${guessed}\n`)
  await writeFile(file, 'Pacific/Chatham\n')
  assert.equal(ownerTimeZone(location.directory, undefined).name, 'Pacific/Chatham')
  await writeFile(file, 'Nowhere/None')
  assert.equal(ownerTimeZone(location.directory, undefined).name, guessed)
  const env = { HOME: location.directory }
  assert.equal(readConfig({}, { ...env, FOOTNOTE_TIME_ZONE: 'Europe/Berlin' }).timeZone, 'Europe/Berlin')
  assert.throws(() => readConfig({ 'time-zone': 'Mars' }, env), /--time-zone is an IANA name/)
  await remove()
})

onEachEngine('AN-23 the schema shows the zone and the date of today there', async engine => {
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
