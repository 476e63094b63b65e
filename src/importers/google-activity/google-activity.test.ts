import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf } from '../../../test/rows-of.ts'
import { pageTime } from './google-activity.ts'

test('Gemini, searches and visits are read from JSON', async context => {
  const items = [
    {
      header: 'Gemini Apps',
      title: 'Prompted How long does rye rise?',
      time: '2025-02-01T10:00:00.123Z',
      products: ['Gemini Apps'],
      safeHtmlItem: [{ html: '<p>About <b>two</b> hours.</p>' }],
    },
    {
      header: 'YouTube',
      title: 'Watched Bread',
      titleUrl: 'https://www.youtube.com/watch?v=1',
      subtitles: [{ name: 'Baker', url: 'https://www.youtube.com/c/1' }],
      time: '2025-02-01T11:00:00Z',
    },
    {
      header: 'YouTube',
      title: 'Watched Bread',
      titleUrl: 'https://www.youtube.com/watch?v=1',
      time: '2025-02-01T11:00:00Z',
    },
  ]
  const folder = folderWith(context, { 'Takeout/My Activity/Gemini Apps/MyActivity.json': items })
  const found = (await readingOf('google-activity', folder)).of('google_activity')
  assert.deepEqual(rowsOf(found, 'product', 'title', 'text', 'occurred_at', 'details'), [
    ['Gemini Apps', 'Prompted How long does rye rise?', 'About two hours.', '2025-02-01T10:00:00.123Z', []],
    ['YouTube', 'Watched Bread', null, '2025-02-01T11:00:00Z', ['Baker']],
    ['YouTube', 'Watched Bread', null, '2025-02-01T11:00:00Z', []],
  ])
  assert.equal(new Set(found.map(({ id }) => id)).size, 3)
})

test('the same is read from HTML', async context => {
  const cell = (header: string, content: string) =>
    `<div class="outer-cell mdl-cell"><div class="mdl-grid"><div class="header-cell"><p class="mdl-typography--title">${header}<br></p></div>` +
    `<div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1">${content}</div>` +
    '<div class="content-cell mdl-typography--caption"><b>Products:</b><br>&emsp;x<br></div></div></div>\n'
  const page =
    `<html><head><title>My Activity History</title><style>.mdl-cell {}</style></head><body>` +
    cell(
      'Gemini Apps',
      'Prompted&nbsp;How long?<br>Feb 1, 2025, 10:00:00\u202fAM UTC<br><p>Two hours.</p><p>Maybe three.</p>',
    ) +
    cell(
      'Search',
      'Visited&nbsp;<a href="https://example.org/?a=1&amp;b=2">A page</a><br>Jan 31, 2018, 10:54:50 PM',
    ) +
    cell('Search', 'Used Search<br>Jun 22, 2022, 8:56:30 AM GMT+02:00') +
    '</body></html>'
  const folder = folderWith(context, { 'My Activity/Gemini Apps/MyActivity.html': page })
  const found = (await readingOf('google-activity', folder)).of('google_activity')
  assert.deepEqual(rowsOf(found, 'product', 'title', 'text', 'occurred_at', 'url'), [
    ['Gemini Apps', 'Prompted How long?', 'Two hours.\n\nMaybe three.', '2025-02-01T10:00:00Z', null],
    ['Search', 'Visited A page', null, '2018-01-31T22:54:50Z', 'https://example.org/?a=1&b=2'],
    ['Search', 'Used Search', null, '2022-06-22T06:56:30Z', null],
  ])
  const berlin = (await readingOf('google-activity', folder, 'Europe/Berlin')).of('google_activity')
  assert.deepEqual(
    rowsOf(berlin, 'id', 'occurred_at'),
    [
      [found[0]?.id, '2025-02-01T10:00:00Z'],
      [found[1]?.id, '2018-01-31T21:54:50Z'],
      [found[2]?.id, '2022-06-22T06:56:30Z'],
    ],
    'a time without a zone is one of the clock of the owner, and ids do not depend on it',
  )
})

test('times of pages are read in the language of the account', () => {
  const day = '2024-03-30T18:05:09Z'
  const written: [string, string | null][] = [
    ['30.03.2024, 18:05:09 MEZ', day],
    ['30. März 2024, 18:05:09 MEZ', day],
    ['30 de mar. de 2024, 18:05:09 BRT', day],
    ['30 mrt 2024 18:05:09 CET', day],
    ['30. mar. 2024 18.05.09 CET', day],
    ['30 мар. 2024 г., 18:05:09 MSK', day],
    ['30 במרץ 2024, 18:05:09 IST', day],
    ['30 มี.ค. 2024 18:05:09 ICT', day],
    ['2024年3月30日 18:05:09 JST', day],
    ['2024. 3. 30. 오후 6:05:09 KST', day],
    ['30 mars 2024, 18 h 05 min 09 s HAE', day],
    ['30 mar 2024, 6:05:09 p.m. GMT-06:00', '2024-03-31T00:05:09Z'],
    ['21 lis 2024, 18:05:09 CET', null],
  ]
  for (const [line, utc] of written) assert.deepEqual(pageTime(line), { utc }, line)
  const inBerlin: [string, string][] = [
    ['30. März 2024, 18:05:09 MEZ', '2024-03-30T17:05:09Z'],
    ['Mar 30, 2024, 6:05:09 PM CET', '2024-03-30T17:05:09Z'],
    ['30. März 2024, 18:05:09 UTC', day],
    ['30 mar 2024, 6:05:09 p.m. GMT-06:00', '2024-03-31T00:05:09Z'],
  ]
  for (const [line, utc] of inBerlin) assert.deepEqual(pageTime(line, 'Europe/Berlin'), { utc }, line)
  for (const line of ['I ran 10:30:00 in 2024 words '.repeat(5), 'At 18:05:09', 'In 2024']) {
    assert.equal(pageTime(line), null, line)
  }
})
