import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import {
  CHROME,
  chromeHistory,
  chromeTime,
  firefoxPlaces,
  safariHistory,
} from '../../../test/exports/browser-databases.ts'
import { databaseOf, endlessDatabase } from '../../../test/exports/database.ts'
import { folderWith, formatsOf, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf, valuesOf } from '../../../test/rows-of.ts'

test('bookmarks with their folders and the history of Chrome are read', async context => {
  const bookmarks = `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1">Kitchen &amp; home</H3>
    <DL><p>
        <DT><A HREF="https://www.example.org/?a=1&amp;b=2" ADD_DATE="1700000000" TAGS="rye,salt">Bread &lt;3</A>
    </DL><p>
    <DT><A HREF="https://example.com/">Top</A>
</DL><p>`
  const history = {
    'Browser History': [
      { title: 'A page', url: 'https://example.org/', time_usec: 1700000000123456, page_transition: 'LINK' },
      3,
    ],
  }
  const folder = folderWith(context, { 'Bookmarks.html': bookmarks, 'Chrome/History.json': history })
  const reading = await readingOf('browser', folder)
  assert.deepEqual(rowsOf(reading.of('bookmarks'), 'title', 'url', 'site', 'folder', 'tags', 'occurred_at'), [
    [
      'Bread <3',
      'https://www.example.org/?a=1&b=2',
      'example.org',
      'Kitchen & home',
      ['rye', 'salt'],
      '2023-11-14T22:13:20Z',
    ],
    ['Top', 'https://example.com/', 'example.com', null, [], null],
  ])
  assert.deepEqual(rowsOf(reading.of('browser_history'), 'title', 'occurred_at', 'transition'), [
    ['A page', '2023-11-14T22:13:20.123Z', 'link'],
  ])
  assert.deepEqual(valuesOf(reading.rejections, 'code'), ['not_an_object'])
})

test('the history of Chrome on this computer has the records of its export', async context => {
  const at = Date.UTC(2023, 10, 14, 22, 13, 20)
  const database = chromeHistory({
    urls: [{ id: 1, url: 'https://www.example.org/a', title: 'A page' }],
    visits: [
      { url: 1, visit_time: chromeTime(at, 123_456), transition: 0x30000001 },
      { url: 1, visit_time: chromeTime(at, 123_456), transition: 0 },
      { url: 1, visit_time: 0, transition: 99 },
      { url: 7, visit_time: 9_223_372_036_854_775_807n, transition: 0 },
    ],
  })
  const visit = { title: 'A page', url: 'https://www.example.org/a', time_usec: at * 1000 + 123_456 }
  const takeout = {
    'Browser History': [
      { ...visit, page_transition: 'TYPED' },
      { ...visit, page_transition: 'LINK' },
    ],
  }
  const folder = folderWith(context, { 'Default/History': database, 'Default/History-journal': '' })
  assert.deepEqual(await formatsOf(folder), ['browser'])
  const visits = (await readingOf('browser', folder)).of('browser_history')
  const exported = (await readingOf('browser', folderWith(context, { 'History.json': takeout }))).of(
    'browser_history',
  )
  assert.deepEqual(visits.slice(0, 2), exported)
  assert.deepEqual(rowsOf(visits.slice(2), 'url', 'occurred_at', 'transition'), [
    ['https://www.example.org/a', null, null],
    [null, null, 'link'],
  ])
})

test('the history and the bookmarks of Firefox are read, with folders and tags', async context => {
  const at = Date.UTC(2024, 2, 1, 10, 0, 5)
  const folder = folderWith(context, {
    'places.sqlite': firefoxPlaces({
      moz_places: [
        { id: 1, url: 'https://example.org/rye', title: 'Rye' },
        { id: 2, url: 'place:sort=8&maxResults=10' },
      ],
      moz_historyvisits: [{ place_id: 1, visit_date: at * 1000 + 250_000, visit_type: 2 }],
      moz_bookmarks: [
        { id: 10, type: 2, parent: 2, title: 'Kitchen & home' },
        { id: 11, type: 1, fk: 1, parent: 10, title: 'Rye bread', dateAdded: at * 1000 + 250_000 },
        { id: 12, type: 1, fk: 2, parent: 3, title: 'Most visited' },
        { id: 13, type: 2, parent: 4, title: 'salt' },
        { id: 14, type: 1, fk: 1, parent: 13 },
        { id: 15, type: 1, fk: 1, parent: 3, title: 'Rye again', dateAdded: null },
        { id: 16, type: 3, parent: 2 },
        { id: 17, type: 2, parent: 17, title: 'its own parent' },
        { id: 18, type: 1, fk: 1, parent: 17, title: 'Rye in a circle' },
      ],
    }),
  })
  const reading = await readingOf('browser', folder)
  assert.deepEqual(rowsOf(reading.of('browser_history'), 'title', 'occurred_at', 'transition'), [
    ['Rye', '2024-03-01T10:00:05.250Z', 'typed'],
  ])
  assert.deepEqual(rowsOf(reading.of('bookmarks').slice(0, 2), 'title', 'folder', 'tags', 'occurred_at'), [
    ['Rye bread', 'Kitchen & home', ['salt'], '2024-03-01T10:00:05Z'],
    ['Rye again', 'Bookmarks Toolbar', ['salt'], null],
  ])
  const exported = `<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><H3>Kitchen &amp; home</H3>\n<DL><p>
<DT><A HREF="https://example.org/rye" ADD_DATE="${at / 1000}" TAGS="salt">Rye bread</A>\n</DL><p>\n</DL><p>`
  const written = await readingOf('browser', folderWith(context, { 'bookmarks.html': exported }))
  assert.deepEqual(written.of('bookmarks')[0], reading.of('bookmarks')[0])
})

test('the history of Safari is read, with what is only in its log', async context => {
  const folder = folderWith(context, {
    'History.db': safariHistory({
      history_items: [{ id: 1, url: 'https://example.org/' }],
      history_visits: [{ history_item: 1, visit_time: 730_000_000.25, title: 'Stored' }],
    }),
  })
  const open = new DatabaseSync(join(folder, 'History.db'))
  context.after(() => open.close())
  open.exec(
    "PRAGMA journal_mode = WAL; INSERT INTO history_visits (history_item, visit_time, title) VALUES (1, 730000001, 'New')",
  )
  for (const path of [folder, join(folder, 'History.db')]) {
    const { finding, of } = await readingOf('browser', path)
    assert.deepEqual(rowsOf(of('browser_history'), 'title', 'occurred_at'), [
      ['Stored', '2024-02-19T01:46:40.250Z'],
      ['New', '2024-02-19T01:46:41Z'],
    ])
    assert.ok(finding.files.some(file => file.path === 'History.db-wal'))
  }
})

test('a history that is damaged, or whose table is computed, is rejected with the reason', async context => {
  const whole = chromeHistory({ urls: [{ url: 'https://example.org/' }] })
  const view = databaseOf(
    `CREATE TABLE keyword_search_terms (term); CREATE TABLE urls (id, url, title);
     CREATE VIEW visits AS WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
       SELECT id, 1 AS url, 0 AS visit_time, 0 AS transition FROM n`,
    {},
  )
  const folder = folderWith(context, { 'a/History': Buffer.from(whole).fill(7, 4_096), 'b/History': view })
  const { rejections, records } = await readingOf('browser', folder)
  assert.equal(records.length, 0)
  assert.deepEqual(rowsOf(rejections, 'code', 'place'), [
    ['source_unreadable', 'a/History'],
    ['source_unreadable', 'b/History'],
  ])
  assert.equal(rejections[1]?.message, 'b/History has no table visits.')
})

test('a history from which more could be read than it contains is rejected', async context => {
  const visits = [{ url: 1, visit_time: 1, transition: 0 }]
  const history = (from: string | RegExp, to: string, rows: typeof visits | undefined = visits) =>
    databaseOf(CHROME.replace(from, to), { visits: rows })
  const folder = folderWith(context, {
    'endless/History': endlessDatabase(CHROME, 'visits', { visits }),
    'computed/History': history('from_visit INTEGER', 'from_visit AS (length(hex(zeroblob(9))))'),
    'pairs/History': history('urls(id INTEGER PRIMARY KEY AUTOINCREMENT', 'urls(id INTEGER'),
    'usual/History': history('', ''),
  })
  const { rejections, records } = await readingOf('browser', folder)
  assert.deepEqual(rejections.map(({ message }) => message).sort(), [
    'The table urls of pairs/History has unexpected columns.',
    'The table visits of computed/History has unexpected columns.',
    'The table visits of endless/History is damaged.',
  ])
  assert.equal(records.length, 1)
})
