import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, formatsOf, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf, valuesOf } from '../../../test/rows-of.ts'

const ics = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'X-WR-CALNAME:Work', ...lines, 'END:VCALENDAR', ''].join('\r\n')
const event = (...lines: string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n')
const readingFrom = (context: Parameters<typeof folderWith>[0], files: Record<string, string>) =>
  readingOf('ics', folderWith(context, files))

test('an event is read with its people, place and notes', async context => {
  const text = ics(
    event(
      'UID:1@example.org',
      'DTSTAMP:20240101T000000Z',
      'DTSTART;TZID=Europe/Berlin:20240705T090000',
      'DURATION:PT1H30M',
      'SUMMARY:Planning\\, part 1',
      'DESCRIPTION:First line\\nsecond li',
      ' ne',
      'LOCATION:Room 4',
      'ORGANIZER;CN=Ada:mailto:ada@example.org',
      'ATTENDEE;CN="Ben, Ltd":mailto:ben@example.org',
      'ATTENDEE:mailto:cem@example.org',
      'CATEGORIES:a,b',
      'URL:https://example.org/plan',
      'STATUS:CONFIRMED',
      'BEGIN:VALARM',
      'TRIGGER:-PT5M',
      'DESCRIPTION:alarm',
      'END:VALARM',
    ),
  )
  const [found] = (await readingFrom(context, { 'a.ics': text })).of('calendar_events')
  const { id: _, ...facts } = found ?? {}
  assert.deepEqual(facts, {
    title: 'Planning, part 1',
    text: 'First line\nsecond line',
    kind: 'event',
    calendar: 'Work',
    starts_at: '2024-07-05T07:00:00Z',
    starts_at_local: '2024-07-05T09:00:00+02:00',
    ends_at: '2024-07-05T08:30:00Z',
    ends_at_local: '2024-07-05T10:30:00+02:00',
    time_zone: 'Europe/Berlin',
    is_all_day: false,
    due_at: null,
    completed_at: null,
    location: 'Room 4',
    organizer: 'Ada <ada@example.org>',
    attendees: ['Ben, Ltd <ben@example.org>', 'cem@example.org'],
    status: 'confirmed',
    categories: ['a', 'b'],
    links: ['https://example.org/plan'],
    is_recurring: false,
    recurrence: null,
    more_dates: [],
    excluded_dates: [],
    replaces_at: null,
    created_at: null,
    updated_at: null,
    source_id: '1@example.org',
  })
})

test('a series is one record with its rule, and each changed instance a record of its own', async context => {
  const text = ics(
    event(
      'UID:2',
      'DTSTART;TZID=America/New_York:20240301T090000',
      'RRULE:FREQ=WEEKLY;COUNT=10',
      'EXDATE;TZID=America/New_York:20240308T090000',
    ),
    event(
      'UID:2',
      'RECURRENCE-ID;TZID=America/New_York:20240315T090000',
      'DTSTART;TZID=America/New_York:20240315T100000',
    ),
  )
  const events = (await readingFrom(context, { 'a.ics': text })).of('calendar_events')
  assert.deepEqual(
    rowsOf(events, 'starts_at', 'is_recurring', 'recurrence', 'excluded_dates', 'replaces_at'),
    [
      ['2024-03-01T14:00:00Z', true, 'FREQ=WEEKLY;COUNT=10', ['2024-03-08T09:00:00'], null],
      ['2024-03-15T14:00:00Z', false, null, [], '2024-03-15T13:00:00Z'],
    ],
  )
})

test('times are read in UTC, of a day, of a zone that the file defines, and without a zone', async context => {
  const zone = [
    'BEGIN:VTIMEZONE',
    'TZID:Office',
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    'TZOFFSETFROM:+0530',
    'TZOFFSETTO:+0530',
    'END:STANDARD',
    'END:VTIMEZONE',
  ]
  const starts = [
    'DTSTART:20240101T120000Z',
    'DTSTART;VALUE=DATE:20240101',
    'DTSTART;TZID=Office:20240101T120000',
    'DTSTART:20240101T120000',
  ]
  const text = ics(...zone, ...starts.map((start, index) => event(`UID:${index}`, start)))
  const events = (await readingFrom(context, { 'a.ics': text })).of('calendar_events')
  assert.deepEqual(rowsOf(events, 'starts_at', 'starts_at_local', 'is_all_day'), [
    ['2024-01-01T12:00:00Z', '2024-01-01T12:00:00+00:00', false],
    ['2024-01-01T00:00:00Z', '2024-01-01', true],
    ['2024-01-01T06:30:00Z', '2024-01-01T12:00:00+05:30', false],
    ['2024-01-01T12:00:00Z', '2024-01-01T12:00:00', false],
  ])
  const folder = folderWith(context, { 'a.ics': text })
  const inBerlin = (await readingOf('ics', folder, 'Europe/Berlin')).of('calendar_events')
  assert.deepEqual(inBerlin.slice(0, 3), events.slice(0, 3))
  assert.deepEqual(
    [inBerlin[3]?.starts_at, inBerlin[3]?.starts_at_local, inBerlin[3]?.id],
    ['2024-01-01T11:00:00Z', '2024-01-01T12:00:00', events[3]?.id],
  )
  const unknown = ics(event('UID:9', 'DTSTART;TZID=Somewhere:20240101T120000', 'DURATION:PT1H'))
  const [event9] = (await readingOf('ics', folderWith(context, { 'a.ics': unknown }), 'Europe/Berlin')).of(
    'calendar_events',
  )
  assert.deepEqual(
    [event9?.starts_at, event9?.starts_at_local, event9?.ends_at_local, event9?.time_zone],
    ['2024-01-01T11:00:00Z', '2024-01-01T12:00:00', '2024-01-01T13:00:00', null],
  )
})

test('what begins or ends at midnight in UTC is a time, unless it lasts whole days', async context => {
  const text = ics(
    event(
      'UID:1',
      'DTSTART;TZID=America/New_York:20260503T180000',
      'DTEND;TZID=America/New_York:20260503T200000',
    ),
    event('UID:2', 'DTSTART:20260504T000000Z', 'DURATION:P1D'),
    event('UID:3', 'DTSTART;VALUE=DATE:20260504', 'DURATION:P1D'),
  )
  const found = (await readingFrom(context, { 'a.ics': text })).of('calendar_events')
  assert.deepEqual(rowsOf(found, 'starts_at', 'ends_at', 'ends_at_local'), [
    ['2026-05-03T22:00:00Z', '2026-05-04T00:00:00+00:00', '2026-05-03T20:00:00-04:00'],
    ['2026-05-04T00:00:00+00:00', '2026-05-05T00:00:00+00:00', '2026-05-05T00:00:00+00:00'],
    ['2026-05-04T00:00:00Z', '2026-05-05T00:00:00Z', '2026-05-05'],
  ])
})

test('a journal entry has all of its descriptions', async context => {
  const lines = ['DESCRIPTION:In the morning\\, rain.', 'DESCRIPTION:Later\\nsun.']
  const text = ics('BEGIN:VJOURNAL', 'UID:j', 'DTSTART;VALUE=DATE:20260504', ...lines, 'END:VJOURNAL')
  const [entry] = (await readingFrom(context, { 'a.ics': text })).of('calendar_events')
  assert.deepEqual([entry?.kind, entry?.text], ['journal', 'In the morning, rain.\n\nLater\nsun.'])
})

test('a time that clocks show twice is the first, and one that they skip has the offset from before', async context => {
  const starts = [
    ['Europe/Berlin', '20261025T023000', '2026-10-25T00:30:00Z'],
    ['Europe/Berlin', '20261025T033000', '2026-10-25T02:30:00Z'],
    ['Europe/Berlin', '20260329T023000', '2026-03-29T01:30:00Z'],
    ['America/New_York', '20261101T013000', '2026-11-01T05:30:00Z'],
    ['America/New_York', '20260308T023000', '2026-03-08T07:30:00Z'],
    ['Pacific/Kiritimati', '20260308T023000', '2026-03-07T12:30:00Z'],
  ]
  const text = ics(...starts.map(([zone, start], at) => event(`UID:${at}`, `DTSTART;TZID=${zone}:${start}`)))
  const found = (await readingFrom(context, { 'a.ics': text })).of('calendar_events')
  assert.deepEqual(
    valuesOf(found, 'starts_at'),
    starts.map(([, , utc]) => utc),
  )
})

test('tasks are read; what is broken is rejected; versions of one event side by side are kept', async context => {
  const files = {
    'a.ics': ics(
      'BEGIN:VTODO',
      'UID:t',
      'DUE:20240102T000000Z',
      'SUMMARY:Buy flour',
      'END:VTODO',
      event('UID:1', 'SUMMARY:x'),
    ),
    'b.ics': ics(
      event('UID:1', 'SUMMARY:x', 'DTSTAMP:20240101T000000Z'),
      event('UID:1', 'SUMMARY:y'),
      event('nonsense'),
    ),
    'c.ics': 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:cut off',
  }
  const reading = await readingFrom(context, files)
  assert.deepEqual(rowsOf(reading.of('calendar_events'), 'kind', 'title', 'starts_at'), [
    ['task', 'Buy flour', '2024-01-02T00:00:00+00:00'],
    ['event', 'x', null],
    ['event', 'x', null],
    ['event', 'y', null],
  ])
  assert.equal(new Set(reading.records.map(({ key }) => key)).size, 3)
  assert.deepEqual(rowsOf(reading.rejections, 'place', 'code'), [
    ['b.ics, line 13', 'not_icalendar'],
    ['c.ics, line 2', 'file_cut_off'],
  ])
  assert.deepEqual(await formatsOf(folderWith(context, files)), ['ics'])
})

test('a description in HTML is read as text, and a zone by the name at its end', async context => {
  const described = async (description: string) =>
    (await readingFrom(context, { 'a.ics': ics(event('UID:1', `DESCRIPTION:${description}`)) })).of(
      'calendar_events',
    )[0]?.text
  assert.equal(
    await described('<p>Join <a href="https://example.org/1">here</a><br>Code&nbsp;5</p>'),
    'Join here <https://example.org/1>\nCode 5',
  )
  assert.equal(await described('<b>Agenda</b>\\nTea &amp\\; cake'), 'Agenda\nTea & cake')
  assert.equal(
    await described('a < b <c@example.org> &amp\\; <https://example.org>'),
    'a < b <c@example.org> &amp; <https://example.org>',
  )
  for (const zone of [
    '/example.org/Europe/Paris',
    '/example.org/Tzfile/Europe/Paris',
    '/x.org/20050126_1/Europe/Paris',
  ]) {
    const text = ics(event('UID:1', `DTSTART;TZID=${zone}:20240701T100000`))
    const events = (await readingFrom(context, { 'a.ics': text })).of('calendar_events')
    assert.deepEqual(rowsOf(events, 'starts_at', 'time_zone'), [['2024-07-01T08:00:00Z', 'Europe/Paris']])
  }
})
