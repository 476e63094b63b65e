import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TimeBuckets } from './reading/aggregate.ts'
import { TimeZone } from './time.ts'
import { sinceInstant, untilInstant } from './time-bounds.ts'

const BERLIN = { zone: new TimeZone('Europe/Berlin'), now: new Date('2026-11-16T23:30:00Z') }

const CASES: readonly [string, string, string][] = [
  ['2015', '2014-12-31T23:00:00Z', '2015-12-31T23:00:00Z'],
  ['2015-08', '2015-07-31T22:00:00Z', '2015-08-31T22:00:00Z'],
  ['2015-08-02', '2015-08-01T22:00:00Z', '2015-08-02T22:00:00Z'],
  ['2026-03-29', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['2015-08-02T12:00:00Z', '2015-08-02T12:00:00Z', '2015-08-02T12:00:00Z'],
  ['2015-08-02T12:00', '2015-08-02T10:00:00Z', '2015-08-02T10:00:00Z'],
  ['June 2016', '2016-05-31T22:00:00Z', '2016-06-30T22:00:00Z'],
  ['2 August 2015', '2015-08-01T22:00:00Z', '2015-08-02T22:00:00Z'],
  ['2nd of Aug. 2015', '2015-08-01T22:00:00Z', '2015-08-02T22:00:00Z'],
  ['August 2, 2015', '2015-08-01T22:00:00Z', '2015-08-02T22:00:00Z'],
  ['2. März 2015', '2015-03-01T23:00:00Z', '2015-03-02T23:00:00Z'],
  ['2 de agosto de 2015', '2015-08-01T22:00:00Z', '2015-08-02T22:00:00Z'],
  ['2015/8/2', '2015-08-01T22:00:00Z', '2015-08-02T22:00:00Z'],
  // It is already the 17th in Berlin, a Tuesday.
  ['today', '2026-11-16T23:00:00Z', '2026-11-17T23:00:00Z'],
  ['Yesterday', '2026-11-15T23:00:00Z', '2026-11-16T23:00:00Z'],
  ['tomorrow', '2026-11-17T23:00:00Z', '2026-11-18T23:00:00Z'],
  ['this week', '2026-11-15T23:00:00Z', '2026-11-22T23:00:00Z'],
  ['last week', '2026-11-08T23:00:00Z', '2026-11-15T23:00:00Z'],
  ['next week', '2026-11-22T23:00:00Z', '2026-11-29T23:00:00Z'],
  ['last month', '2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z'],
  ['next month', '2026-11-30T23:00:00Z', '2026-12-31T23:00:00Z'],
  ['this year', '2025-12-31T23:00:00Z', '2026-12-31T23:00:00Z'],
  ['2015-Q3', '2015-06-30T22:00:00Z', '2015-09-30T22:00:00Z'],
  ['Q1 2015', '2014-12-31T23:00:00Z', '2015-03-31T22:00:00Z'],
  ['this quarter', '2026-09-30T22:00:00Z', '2026-12-31T23:00:00Z'],
  ['last quarter', '2026-06-30T22:00:00Z', '2026-09-30T22:00:00Z'],
  ['next quarter', '2026-12-31T23:00:00Z', '2027-03-31T22:00:00Z'],
  // The seasons of this year, and the last ones that have ended: it is autumn.
  ['last spring', '2026-02-28T23:00:00Z', '2026-05-31T22:00:00Z'],
  ['last fall', '2025-08-31T22:00:00Z', '2025-11-30T23:00:00Z'],
  ['This summer', '2026-05-31T22:00:00Z', '2026-08-31T22:00:00Z'],
  // The last 30 days, including today; as `until`, `-30d` is everything before them.
  ['-30d', '2026-10-18T22:00:00Z', '2026-10-18T22:00:00Z'],
  ['last 30 days', '2026-10-18T22:00:00Z', '2026-11-17T23:00:00Z'],
  ['-2w', '2026-11-03T23:00:00Z', '2026-11-03T23:00:00Z'],
  ['-1m', '2026-10-17T22:00:00Z', '2026-10-17T22:00:00Z'],
  ['-1y', '2025-11-17T23:00:00Z', '2025-11-17T23:00:00Z'],
]

for (const [text, since, until] of CASES) {
  test(`${text} is read in the owner's zone`, () => {
    assert.deepEqual([sinceInstant(text, BERLIN), untilInstant(text, BERLIN)], [since, until])
  })
}

test('an invalid time is refused with examples', () => {
  for (const text of [
    'soon',
    '2015-13',
    '2015-02-30',
    'last decade',
    '-30',
    '20150802',
    '',
    'June',
    '31 June 2015',
    '08/02/2015',
    'a June 2015',
  ])
    assert.throws(() => sinceInstant(text, BERLIN), /is not a time\. Examples: 2015/, text)
})

test('a day without midnight begins at its first local time', () => {
  const zone = new TimeZone('America/Sao_Paulo')
  assert.equal(sinceInstant('2018-11-04', { zone, now: new Date() }), '2018-11-04T03:00:00Z')
  assert.equal(zone.dayOf(Date.parse('2018-11-04T02:59:59Z')), '2018-11-03')
})

test('times beyond the years 0000 to 9999 become the first and the last', () => {
  const [first, last] = ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z']
  const now = new Date('2026-11-16T23:30:00Z')
  for (const name of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
    const zone = new TimeZone(name)
    const isEast = name === 'Asia/Tokyo'
    for (const text of ['9999', '9999-12', '9999-12-31'])
      assert.equal(untilInstant(text, { zone, now }), isEast ? '9999-12-31T15:00:00Z' : last, text)
    for (const text of ['-9999y', 'last 9999 years'])
      assert.equal(sinceInstant(text, { zone, now }), first, `${text} in ${name}`)
    for (const edge of [first, last]) assert.match(zone.localText(Date.parse(edge)), /^\d{4}-\d\d-\d\dT/)
    assert.equal(zone.dayOf(Date.parse(last)), '9999-12-31')
  }
  const zone = new TimeZone('UTC')
  assert.equal(untilInstant('0000', { zone, now }), '0001-01-01T00:00:00Z')
  assert.equal(untilInstant('0007-02', { zone, now }), '0007-03-01T00:00:00Z')
  assert.equal(new TimeBuckets('week', 'UTC').bucketOf(first), '0000-01-01')
  assert.equal(new TimeBuckets('quarter', 'Asia/Tokyo').bucketOf(last), '9999-Q4')
})

test('a zone is an IANA name, not an offset', () => {
  assert.throws(() => new TimeZone('+05:00'), /IANA name/)
  assert.throws(() => new TimeZone('Berlin'), /IANA name/)
})
