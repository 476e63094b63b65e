import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firefoxPlaces } from '../../test/exports/browser-databases.ts'
import { type Files, folderWith, foundAs, zipWith } from '../../test/imported-folder.ts'
import { docxOf, packageOf, paragraph } from '../../test/made-documents.ts'
import { processorTime } from '../../test/processor-time.ts'
import { isLookalike } from './recognition.ts'
import { openSource } from './source/open.ts'

const CHARS = 300_000
const many = (part: string) => part.repeat(CHARS / part.length)

const post = (content: string) => ({
  type: 'Create',
  id: 'https://a.example/1',
  object: { type: 'Note', content },
})
const outbox = (content: string) => ({
  '@context': 'https://www.w3.org/ns/activitystreams',
  id: 'outbox.json',
  type: 'OrderedCollection',
  orderedItems: [post(content)],
})
const enex = (content: string) =>
  `<?xml version="1.0"?><en-export><note><title>x</title><content><![CDATA[<en-note>${content}</en-note>]]></content></note></en-export>`
const bookmarks = (line: string) => `<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT>${line}\n</DL>`
const event = (zone: string) =>
  `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART;TZID=${zone}:20240101T100000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`
const changing = (rule: string) =>
  event('odd').replace(
    'BEGIN:VEVENT',
    `BEGIN:VTIMEZONE\r\nTZID:odd\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nRRULE:${rule}\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT`,
  )
const card = (property: string) => `BEGIN:VCARD\r\nVERSION:2.1\r\nFN:Ada\r\n${property}\r\nEND:VCARD\r\n`
const claude = (text: string) => [
  { uuid: 'c', name: 'x', chat_messages: [{ uuid: 'm', sender: 'assistant', text }] },
]
const book = (page: string) =>
  packageOf({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>',
    'a.opf':
      '<package><manifest><item id="p" href="p.html"/></manifest><spine><itemref idref="p"/></spine></package>',
    'p.html': page,
  })

/** An address with many bookmarks and many tags. */
const tagged = () => {
  const bookmarks = Array.from({ length: 3_000 }, (_, n) => [
    { id: 100 + 2 * n, type: 1, fk: 1, parent: 3, title: 'Rye' },
    { id: 101 + 2 * n, type: 1, fk: 1, parent: 13 },
  ])
  return firefoxPlaces({
    moz_places: [{ id: 1, url: 'https://example.org/rye', title: 'Rye' }],
    moz_bookmarks: [{ id: 13, type: 2, parent: 4, title: 'salt' }, ...bookmarks.flat()],
  })
}

const FILES: [what: string, format: string, files: Files][] = [
  ['tags of a web page that never end', 'documents', { 'a.html': `<html>${many('<title')}` }],
  ['spaces in a document', 'documents', { 'a.docx': docxOf(paragraph(`a${many(' ')}b`)) }],
  ['tags of an e-book that never end', 'documents', { 'a.epub': book(many('<h1')) }],
  ['links that never end', 'mastodon', { 'outbox.json': outbox(many('<a')) }],
  ['a mention that never ends', 'mastodon', { 'outbox.json': outbox(`<a class="${many('mention')}`) }],
  ['items that never end', 'enex', { 'a.enex': enex(many('<li')) }],
  ['encrypted parts that never end', 'enex', { 'a.enex': enex(many('<en-crypt>')) }],
  ['bookmarks that never end', 'browser', { 'a.html': bookmarks(many('<A ')) }],
  ['bookmarks that are never closed', 'browser', { 'a.html': bookmarks(many('<A>')) }],
  ['bookmarks with many tags', 'browser', { 'places.sqlite': tagged() }],
  ['parameters of a contact', 'vcard', { 'a.vcf': card(`EMAIL${many(';TYPE=a')}:a@example.org`) }],
  ['clocks that change each second', 'ics', { 'a.ics': changing('FREQ=SECONDLY') }],
  ['the name of a time zone', 'ics', { 'a.ics': event(many('a')) }],
  ['artifacts that never end', 'claude', { 'conversations.json': claude(many('<antArtifact ')) }],
  ['artifacts that are never closed', 'claude', { 'conversations.json': claude(many('<antArtifact>')) }],
  ['thoughts that are never closed', 'claude', { 'conversations.json': claude(many('<antThinking>')) }],
  ['a tag of a note', 'markdown', { '.obsidian/app.json': '{}', 'a.md': `#a${many('-')}b` }],
  ['quotes that are never closed', 'table', { 'a.csv': `a,b\n${'1,2\n1,"x\n'.repeat(20_000)}` }],
  ['columns with the same name', 'table', { 'a.csv': `${'a,'.repeat(20_000)}\n${'1,'.repeat(20_000)}\n` }],
  ['the key of an object', 'table', { 'a.json': `{"a${many(' ')}b": [{"c": 1}]}` }],
]

for (const [what, format, files] of FILES) {
  test(`a hostile file is read as quickly as it is long: ${what}`, async context => {
    await using source = await openSource(folderWith(context, files))
    const spent = processorTime()
    const finding = await foundAs(format, source)
    if (finding === null || isLookalike(finding)) assert.fail('not recognised')
    const kinds = await Array.fromAsync(finding.read(null), ({ kind }) => kind)
    assert.ok(spent() < 1_000, `${spent()} ms`)
    assert.ok(kinds.includes('record') || format === 'browser', kinds.join())
  })
}

test('a hostile file is read as quickly as it is long: the names of media', async context => {
  const chat = '31/12/2020, 22:05 - Ada: a\n31/12/2020, 22:06 - Bo: b\n'
  const path = zipWith(context, { '_chat.txt': chat, [`${'0'.repeat(60_000)}.x`]: 'x' })
  await using source = await openSource(path)
  const spent = processorTime()
  assert.ok(await foundAs('whatsapp', source))
  assert.ok(spent() < 1_000, `${spent()} ms`)
})
