import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, formatsOf, readingOf } from '../../../test/imported-folder.ts'
import { documents } from './documents.ts'

test('plain texts and web pages are read, in the charset that they are written in', async context => {
  const folder = folderWith(context, {
    'a/letter.txt': Buffer.from('Gr\xfc\xdfe\r\nAda', 'latin1'),
    'a/page.html':
      '<!DOCTYPE html><html><head><title>A &amp; B</title><script>x()</script></head><body><h1>Bread</h1><p>Rye</p></body></html>',
    'empty.txt': '\n',
    '.hidden.txt': 'no',
    'picture.txt': Buffer.from([0x89, 0x50, 0, 1]),
  })
  const reading = await readingOf(documents, folder)
  assert.deepEqual(
    reading.of('documents').map(({ title, text, folder: inside, kind }) => [title, text, inside, kind]),
    [
      ['letter', 'Grüße\nAda', 'a', 'text'],
      ['A & B', 'Bread\n\nRye', 'a', 'web page'],
    ],
  )
})

test('what another format reads is not a document', async context => {
  const mail = 'From: a@example.org\nSubject: Letter\nDate: Mon, 5 Jan 2026 10:00:00 +0000\n\nhello\n'
  assert.deepEqual(await formatsOf(folderWith(context, { 'mail.txt': mail })), ['eml'])
  const chat = '31.12.20, 22:05 - Ada: hi\n31.12.20, 22:06 - Ben: hello\n'
  assert.deepEqual(await formatsOf(folderWith(context, { 'chat.txt': chat })), ['whatsapp'])
})
