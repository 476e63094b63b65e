import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, readingOf } from '../../../test/imported-folder.ts'
import { browser } from './browser.ts'

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
  const reading = await readingOf(browser, folder)
  assert.deepEqual(
    reading
      .of('bookmarks')
      .map(({ title, url, site, folder, tags, occurred_at }) => [
        title,
        url,
        site,
        folder,
        tags,
        occurred_at,
      ]),
    [
      [
        'Bread <3',
        'https://www.example.org/?a=1&b=2',
        'example.org',
        'Kitchen & home',
        ['rye', 'salt'],
        '2023-11-14T22:13:20Z',
      ],
      ['Top', 'https://example.com/', 'example.com', null, [], null],
    ],
  )
  assert.deepEqual(
    reading
      .of('browser_history')
      .map(({ title, occurred_at, transition }) => [title, occurred_at, transition]),
    [['A page', '2023-11-14T22:13:20.123Z', 'link']],
  )
  assert.deepEqual(
    reading.rejections.map(({ code }) => code),
    ['not_an_object'],
  )
})
