import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, formatsOf, readingOf, zipWith } from '../../../test/imported-folder.ts'
import { rowsOf } from '../../../test/rows-of.ts'

const LIST = `Title,Created On,Modified On,Pinned,Deleted,Drawing/Handwriting,ContentHash at Import
Bread: rye/wheat,04-13-2025 07:17:32,04-14-2025 08:06:24,Yes,No,No,
Same,05-01-2025 12:00:00,05-01-2025 12:30:00,No,No,No,
Same,05-02-2025 12:00:00,05-02-2025 12:30:00,No,No,No,
`

test('the notes of a data request to Apple are read with their times, folders and files', async context => {
  const files = {
    'iCloud Notes/Notes Details.csv': LIST,
    'iCloud Notes/Notes/Kitchen/Bread_ rye_wheat/Bread_ rye_wheat.txt': 'Bread: rye/wheat\nMix and wait.',
    'iCloud Notes/Notes/Kitchen/Bread_ rye_wheat/loaf.jpg': 'JPG',
    'iCloud Notes/Notes/Same/Same.txt': 'one',
    'iCloud Notes/Recently Deleted/Gone/Gone.txt': 'old',
  }
  const reading = await readingOf('apple-notes', folderWith(context, files))
  assert.deepEqual(
    rowsOf(
      reading.of('apple_notes'),
      'title',
      'text',
      'folder',
      'noted_at',
      'updated_at',
      'is_pinned',
      'is_deleted',
    ),
    [
      [
        'Bread: rye/wheat',
        'Bread: rye/wheat\nMix and wait.',
        'Kitchen',
        '2025-04-13T07:17:32Z',
        '2025-04-14T08:06:24Z',
        true,
        false,
      ],
      ['Same', 'one', null, null, null, false, false],
      ['Gone', 'old', null, null, null, false, true],
    ],
  )
  assert.equal(reading.blobs[0]?.content.toString(), 'JPG')
  assert.deepEqual(await formatsOf(zipWith(context, files)), ['apple-notes'])
})

test('a note that was renamed keeps its id', async context => {
  const idOf = async (title: string) => {
    const folder = folderWith(context, {
      'Notes Details.csv': `Title,Created On,Modified On,Pinned,Deleted\n${title},04-13-2025 07:17:32,04-13-2025 07:17:32,No,No\n`,
      [`Notes/${title}/${title}.txt`]: 'x',
    })
    return (await readingOf('apple-notes', folder)).of('apple_notes')[0]?.id
  }
  assert.equal(await idOf('Bread'), await idOf('Rye'))
})

test('times are those of the clock of the owner, and ids do not depend on it', async context => {
  const folder = folderWith(context, {
    'Notes Details.csv': LIST,
    'Notes/Bread_ rye_wheat/Bread_ rye_wheat.txt': 'Mix and wait.',
  })
  const inZone = async (zone: string) => (await readingOf('apple-notes', folder, zone)).of('apple_notes')[0]
  const [berlin, utc] = [await inZone('Europe/Berlin'), await inZone('UTC')]
  assert.deepEqual([berlin?.noted_at, berlin?.updated_at], ['2025-04-13T05:17:32Z', '2025-04-14T06:06:24Z'])
  assert.deepEqual([berlin?.id, berlin?.source_id], [utc?.id, utc?.source_id])
})
