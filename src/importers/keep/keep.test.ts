import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf, valuesOf } from '../../../test/rows-of.ts'
import type { JsonObject } from '../../model/json.ts'

test('an attachment may have any name', async context => {
  const note = {
    userEditedTimestampUsec: 1700000000000000,
    isTrashed: false,
    attachments: [{ filePath: 'a.constructor' }],
  }
  const { of } = await readingOf('google-keep', folderWith(context, { 'n.json': note, 'a.constructor': 'x' }))
  assert.deepEqual(
    valuesOf(
      of('keep_notes').flatMap(({ attachments }) => attachments as JsonObject[]),
      'mime_type',
    ),
    ['application/octet-stream'],
  )
})

test('notes of Google Keep are read with checklists, labels and pictures', async context => {
  const facts = { isTrashed: false, isPinned: true, isArchived: false, color: 'DEFAULT' }
  const folder = folderWith(context, {
    'Takeout/Keep/Shopping.json': {
      ...facts,
      title: 'Shopping',
      listContent: [
        { text: 'rye', isChecked: true },
        { text: 'salt', isChecked: false },
      ],
      labels: [{ name: 'home' }],
      attachments: [{ filePath: 'a.jpeg', mimetype: 'image/jpeg' }],
      createdTimestampUsec: 1690372692755000,
      userEditedTimestampUsec: 1690866308447000,
    },
    'Takeout/Keep/Shopping.html': '<html></html>',
    'Takeout/Keep/a.jpg': 'JPG',
    'Takeout/Keep/Text.json': {
      ...facts,
      isTrashed: true,
      textContent: 'Words',
      createdTimestampUsec: '1690372692756000',
    },
    'Takeout/Keep/Broken.json': '{"isTrashed": false, "createdTimestampUsec": 1,',
  })
  const reading = await readingOf('google-keep', folder)
  assert.deepEqual(
    reading.of('keep_notes').map(({ title, text, labels, noted_at, open_items, is_deleted }) => ({
      title,
      text,
      labels,
      noted_at,
      open_items,
      is_deleted,
    })),
    [
      {
        title: 'Shopping',
        text: '[x] rye\n[ ] salt',
        labels: ['home'],
        noted_at: '2023-07-26T11:58:12.755Z',
        open_items: 1,
        is_deleted: false,
      },
      {
        title: null,
        text: 'Words',
        labels: [],
        noted_at: '2023-07-26T11:58:12.756Z',
        open_items: 0,
        is_deleted: true,
      },
    ],
  )
  assert.equal(reading.blobs[0]?.content.toString(), 'JPG')
  assert.deepEqual(rowsOf(reading.rejections, 'place', 'code'), [['Takeout/Keep/Broken.json', 'not_json']])
  assert.equal(reading.finding.files.length, 5)
})

test('notes of the same moment stay apart, and of two exports of a note the one edited last counts', async context => {
  const note = (title: string, edited: number) => ({
    isTrashed: false,
    title,
    createdTimestampUsec: 1690372692755000,
    userEditedTimestampUsec: edited,
  })
  const folder = folderWith(context, {
    'Takeout-1/Keep/a.json': note('old', 1690372692755001),
    'Takeout-1/Keep/b.json': note('second', 1690372692755000),
    'Takeout-2/Keep/a.json': note('new', 1690372692755002),
  })
  const reading = await readingOf('google-keep', folder)
  assert.deepEqual(valuesOf(reading.of('keep_notes'), 'title'), ['second', 'new'])
})
