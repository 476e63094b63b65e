import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TimeZone } from '../src/model/time.ts'
import { Times } from '../src/pages/times.ts'
import { dayText } from '../src/pages/words.ts'
import { AuthorizationWorld } from './authorization-world.ts'
import { newProfile, signInOn } from './browser.ts'
import { onEitherEngine } from './engines.ts'
import { message } from './mailbox.ts'

const DAY_MS = 86_400_000

test("times are shown in a zone's local time, and dates without a time unchanged", () => {
  const berlin = new Times(new TimeZone('Europe/Berlin'), new Date('2026-11-16T10:00:00Z'))
  assert.equal(berlin.at('2026-07-31T22:30:00Z'), '1 August 2026, 00:30 CEST')
  assert.equal(berlin.at('2026-01-31T23:30:00.000Z'), '1 February 2026, 00:30 CET')
  assert.equal(berlin.day('2026-07-31T22:30:00Z'), '1 August 2026')
  assert.equal(berlin.at('2026-07-31'), '31 July 2026')
  assert.equal(berlin.at('2026-07-31T00:00:00Z'), '31 July 2026')
  assert.equal(berlin.at('no time'), 'no time')
  assert.equal(berlin.after(null, '2026-07-31T22:30:00Z'), '1 August 2026, 00:30 CEST')
  assert.equal(berlin.after('2026-07-31T22:10:00Z', '2026-07-31T22:30:00Z'), '00:30')
  assert.equal(berlin.after('2026-07-31T21:10:00Z', '2026-07-31T22:30:00Z'), '1 August 2026, 00:30 CEST')
  assert.equal(berlin.after('2026-07-31', '2026-07-31'), '31 July 2026')
  assert.equal(berlin.told('2026-07-31T22:30:00Z'), '1 August 2026, 00:30 CEST')
  assert.equal(berlin.told('2026-07-31T22:30:00'), '31 July 2026, 22:30')
  assert.equal(berlin.told('2026-07-31T22:30:00-04:00'), '31 July 2026, 22:30 (UTC-04:00)')
  assert.equal(berlin.told('2026-07-31'), '31 July 2026')
  assert.equal(berlin.told('2026-07-31 and later'), '2026-07-31 and later')
  assert.equal(berlin.ago('2026-11-16T09:30:00Z'), '30 minutes ago')
  assert.equal(berlin.ago('2026-01-31T23:30:00Z'), 'on 1 February 2026')
  assert.equal(berlin.weekOf('2026-11-15T23:30:00Z'), '2026-11-16')
  assert.deepEqual(berlin.weekBounds('2026-10-19'), {
    since: '2026-10-18T22:00:00.000Z',
    until: '2026-10-25T23:00:00.000Z',
  })
  assert.equal(berlin.weekBounds('yesterday'), null)
  const utc = new Times(new TimeZone('UTC'), new Date('2026-11-16T10:00:00Z'))
  assert.equal(utc.at('2026-07-31T22:30:00Z'), '31 July 2026, 22:30 UTC')
})

onEitherEngine("records, requests and weeks are shown in the owner's time zone", async engine => {
  await using world = await AuthorizationWorld.start(engine, { timeZone: 'Pacific/Kiritimati' })
  const connection_id = await world.mailbox('Mail', [])
  const line = message('m1', { received_at: '2026-08-01T20:00:00Z', body: 'the treaty' })
  await world.ingest('messages', connection_id, [line])
  const owner = await world.signedIn()
  assert.match((await owner.get(`/r/${connection_id}/messages/m1`)).html, /2 August 2026, 10:00 GMT\+14/)
  assert.match((await owner.get('/search?q=treaty')).html, / · <bdi>2 August 2026<\/bdi> · /)
  const { access_token } = await world.own('POST', '/v1/owner/grants', { client_name: 'Reader' })
  world.wait(nextSunday() - Date.now())
  await world.call('/v1/search?q=treaty', access_token)
  const { html } = await owner.get('/activity')
  // It is Sunday in UTC and Monday in the owner's time zone.
  const monday = new Date(nextSunday() + DAY_MS).toISOString().slice(0, 10)
  assert.match(html, new RegExp(`This week, from ${dayText(monday)}`))
  const link = /href="(\/activity\/[^"]+)"/.exec(html)?.[1] ?? ''
  const week = await owner.get(link)
  assert.match(week.html, new RegExp(`${dayText(monday)}, 01:0\\d GMT\\+14`))
  assert.match((await owner.get('/settings')).html, /Pacific\/Kiritimati/)
  assert.deepEqual(world.failures, [])
})

/** The next Sunday at 11:00 UTC. */
function nextSunday(): number {
  const midnight = Date.parse(new Date().toISOString().slice(0, 10))
  return midnight + (7 - new Date(midnight).getUTCDay()) * DAY_MS + 11 * 3_600_000
}

test('a browser shows the same time whatever its own zone is', async () => {
  await using world = await AuthorizationWorld.start('sqlite', { timeZone: 'Europe/Berlin' })
  const connection_id = await world.mailbox('Mail', [])
  const line = message('m1', { received_at: '2026-08-01T20:00:00Z', body: 'the treaty' })
  await world.ingest('messages', connection_id, [line])
  await using profile = await newProfile({ timezoneId: 'Asia/Tokyo', javaScriptEnabled: false })
  const page = await profile.newPage()
  await page.goto(`${world.url}/r/${connection_id}/messages/m1`)
  await signInOn(page, world)
  await page.getByText('1 August 2026, 22:00 CEST').first().waitFor()
})
