import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf } from '../../../test/rows-of.ts'

test('notes of Evernote are read with tags, checkboxes and files, and entities are not expanded', async context => {
  const enex = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export [<!ENTITY big "xxxxxxxxxx"><!ENTITY file SYSTEM "file:///etc/passwd">]>
<en-export version="10.0">
<note><title>Bread &amp; butter</title>
<content><![CDATA[<?xml version="1.0"?><en-note><div>Rye</div><div><en-todo checked="true"/>salt</div><div><en-todo/>flour</div></en-note>]]></content>
<created>20240131T101500Z</created><updated>20240201T000000Z</updated><tag>food</tag><tag>home</tag>
<note-attributes><author>Ada</author><source-url>https://example.org</source-url></note-attributes>
<resource><data encoding="base64">SlBH</data><mime>image/jpeg</mime><resource-attributes><file-name>a.jpg</file-name></resource-attributes></resource></note>
<note><title>&big;&file;</title><created>20240131T101501Z</created></note>
<note><title>cut`
  const reading = await readingOf('enex', folderWith(context, { 'Kitchen.enex': enex }))
  const [first, second] = reading.of('evernote_notes')
  const { id: _, attachments: __, ...facts } = first ?? {}
  assert.deepEqual(facts, {
    title: 'Bread & butter',
    text: 'Rye\n[x] salt\n[ ] flour',
    notebook: 'Kitchen',
    author: 'Ada',
    tags: ['food', 'home'],
    noted_at: '2024-01-31T10:15:00Z',
    updated_at: '2024-02-01T00:00:00Z',
    url: 'https://example.org',
  })
  assert.equal(reading.blobs[0]?.content.toString(), 'JPG')
  assert.equal(second?.title, '&big;&file;')
  assert.deepEqual(rowsOf(reading.rejections, 'place', 'code'), [['Kitchen.enex, note 3', 'file_cut_off']])
})

test('checklists and tasks of newer versions are read, and encrypted parts are not shown as text', async context => {
  const list = (checked: boolean, text: string) =>
    `<li style="--en-checked:${checked};"><div>${text}</div></li>`
  const enex = `<?xml version="1.0" encoding="UTF-8"?><en-export version="10.1"><note><title>Bread</title>
<content><![CDATA[<en-note><ul style="--en-todo:true;">${list(true, 'salt')}${list(false, 'flour')}</ul>
<ul><li><div>plain</div></li></ul><div><en-crypt hint="h">QUJD</en-crypt></div></en-note>]]></content>
<task><title>Bake</title><taskStatus>open</taskStatus></task>
<task><title>Eat</title><taskStatus>completed</taskStatus></task></note></en-export>`
  const { of } = await readingOf('enex', folderWith(context, { 'Kitchen.enex': enex }))
  assert.equal(
    of('evernote_notes')[0]?.text,
    '• [x] salt\n• [ ] flour\n\n• plain\n\n[encrypted]\n[ ] Bake\n[x] Eat',
  )
})
