import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zipOf } from '../../../test/archives.ts'
import { folderWith, formatsOf, readingOf } from '../../../test/imported-folder.ts'
import { BOOK, LETTER, pdfOf, RICH_TEXT, SUMS } from '../../../test/made-documents.ts'
import { rowsOf } from '../../../test/rows-of.ts'

test('plain texts and web pages are read, in the charset that they are written in', async context => {
  const folder = folderWith(context, {
    'a/letter.txt': Buffer.from('Gr\xfc\xdfe\r\nAda', 'latin1'),
    'a/page.html':
      '<!DOCTYPE html><html><head><title>A &amp; B</title><script>x()</script></head><body><h1>Bread</h1><p>Rye</p></body></html>',
    'empty.txt': '\n',
    '.hidden.txt': 'no',
    'picture.txt': Buffer.from([0x89, 0x50, 0, 1]),
  })
  const reading = await readingOf('documents', folder)
  assert.deepEqual(
    reading.of('documents').map(({ title, text, folder: inside, kind }) => [title, text, inside, kind]),
    [
      ['letter', 'Grüße\nAda', 'a', 'text'],
      ['A & B', 'Bread\n\nRye', 'a', 'web page'],
    ],
  )
})

test('office documents, PDF and e-books are read with their pages, and the original is kept', async context => {
  const folder = folderWith(context, {
    'a/letter.docx': LETTER,
    'a/plan.pdf': pdfOf(['Rye bread', 'Second page'], { title: 'Microsoft Word - plan.doc' }),
    'b/book.epub': BOOK,
    'b/broken.pdf': '%PDF-1.7 and nothing else',
    'b/costs.xlsx': SUMS,
    'b/notes.rtf': RICH_TEXT,
    'b/old.docx': zipOf([{ path: 'readme', content: 'x' }]),
  })
  const reading = await readingOf('documents', folder)
  assert.deepEqual(rowsOf(reading.of('documents'), 'title', 'author', 'kind', 'pages'), [
    ['The plan', 'Ada', 'Word document', { unit: 'page', starts: [0, 50] }],
    ['plan', undefined, 'PDF', { unit: 'page', starts: [0, 11] }],
    ['Loaves', 'Ada', 'e-book', { unit: 'chapter', starts: [0, 19], names: ['Rye', 'Wheat'] }],
    ['costs', undefined, 'workbook', { unit: 'sheet', starts: [0, 24], names: ['Costs', 'Days'] }],
    ['Notes', undefined, 'rich text', { unit: 'page', starts: [0, 14] }],
  ])
  assert.deepEqual(rowsOf(reading.rejections, 'place', 'code'), [
    ['b/broken.pdf', 'broken_document'],
    ['b/old.docx', 'not_a_document'],
  ])
  const [letter] = reading.of('documents')
  assert.deepEqual(reading.blobs[0]?.content, LETTER)
  assert.deepEqual(letter?.file, {
    blob_id: reading.blobs[0]?.blob_id,
    name: 'letter.docx',
    mime_type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    size_bytes: LETTER.length,
  })
})

test('an office document on its own is one file, not an archive', async context => {
  const folder = folderWith(context, { 'letter.docx': LETTER })
  assert.deepEqual(await formatsOf(`${folder}/letter.docx`), ['documents'])
})

test('what another format reads is not a document', async context => {
  const mail = 'From: a@example.org\nSubject: Letter\nDate: Mon, 5 Jan 2026 10:00:00 +0000\n\nhello\n'
  assert.deepEqual(await formatsOf(folderWith(context, { 'mail.txt': mail })), ['eml'])
  const chat = '31.12.20, 22:05 - Ada: hi\n31.12.20, 22:06 - Ben: hello\n'
  assert.deepEqual(await formatsOf(folderWith(context, { 'chat.txt': chat })), ['whatsapp'])
})
