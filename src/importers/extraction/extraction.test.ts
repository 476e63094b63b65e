import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { constants, deflateRawSync } from 'node:zlib'
import { zipOf } from '../../../test/archives.ts'
import { folderWith } from '../../../test/imported-folder.ts'
import { PROVING } from '../../../test/limits.ts'
import {
  BOOK,
  docxOf,
  LETTER,
  OPEN_SHEETS,
  OPEN_TEXT,
  packageOf,
  paragraph,
  pdfOf,
  pdfWith,
  RICH_TEXT,
  SLIDES,
  SUMS,
} from '../../../test/made-documents.ts'
import { pagesOf, pagesText } from '../../model/reading/window.ts'
import { DOCUMENTS } from '../documents/declaration.ts'
import type { Extracted } from './extracted.ts'
import { Extractor } from './extractor.ts'

const extractor = new Extractor()
after(() => extractor.close())

async function read(bytes: Uint8Array): Promise<Extracted> {
  return (await extractor.read(bytes)) ?? assert.fail('not a document')
}

/** The text of each page. */
function pagesIn({ text, pages }: Extracted): string[] {
  const starts = pages?.starts ?? [0]
  return starts.map((start, index) =>
    [...text]
      .slice(start, starts[index + 1])
      .join('')
      .trim(),
  )
}

test('PDF: the text of each page in its order, with paragraphs', async () => {
  const pdf = await read(
    pdfOf(['First line (of 2)\nsecond line', '', 'Stra\xdfe €'.replace('€', '\x80')], { title: 'Plan' }),
  )
  assert.deepEqual(pagesIn(pdf), ['First line (of 2)\nsecond line', '', 'Straße €'])
  assert.deepEqual(
    [pdf.kind, pdf.title, pdf.created_at, pdf.pages?.unit],
    ['PDF', 'Plan', '2024-03-30T11:00:00.000Z', 'page'],
  )
  const gap = Buffer.from('BT /F1 12 Tf 72 720 Td (One) Tj 0 -14 Td (two) Tj 0 -40 Td (Three) Tj ET')
  assert.equal((await read(pdfWith([gap], { packed: true }))).text, 'One\ntwo\n\nThree')
})

test('Word: paragraphs, tables, notes and the pages that Word saw; no deleted text', async () => {
  const letter = await read(LETTER)
  assert.deepEqual(pagesIn(letter), [
    'Dear Ben & Co,\n\nsee\tbelow.\n\nRye \t3 kg\nSalt \t60 g',
    'Second page.\n\nA note.',
  ])
  assert.deepEqual(
    [letter.kind, letter.title, letter.author, letter.created_at],
    ['Word document', 'The plan', 'Ada', '2024-03-30T11:00:00.000Z'],
  )
})

test('PowerPoint: slides in their order, with notes', async () => {
  const slides = await read(SLIDES)
  assert.deepEqual(pagesIn(slides), ['Bread\n\nFlour\n\nSpeak slowly.', 'The end'])
  assert.equal(slides.pages?.unit, 'slide')
})

test('Excel: a line for each row, dates as dates, sheets by name', async () => {
  const sums = await read(SUMS)
  assert.deepEqual(pagesIn(sums), ['Flour\t0.3\nSalt\t42\tTRUE', '2024-03-30\t2024-03-30 12:00\tEaster'])
  assert.deepEqual([sums.pages?.unit, sums.pages?.names], ['sheet', ['Costs', 'Days']])
})

test('OpenDocument: texts with their pages, and spreadsheets', async () => {
  const text = await read(OPEN_TEXT)
  assert.deepEqual(pagesIn(text), ['Bread\n\none  two\tthree', 'Second page'])
  assert.equal(text.title, 'Letter')
  const sheets = await read(OPEN_SHEETS)
  assert.deepEqual([sheets.text, sheets.pages?.names], ['Flour\t3\t3', ['Costs', 'Empty']])
})

test('EPUB: chapters in the order of the spine', async () => {
  const book = await read(BOOK)
  assert.deepEqual(pagesIn(book), ['Rye\n\nIt was dark.', 'Wheat\n\nIt was light.'])
  assert.deepEqual([book.title, book.author, book.pages?.names], ['Loaves', 'Ada', ['Rye', 'Wheat']])
})

test('RTF: charsets of fonts, Unicode, pages; no hidden text', async () => {
  const rich = await read(RICH_TEXT)
  assert.deepEqual(pagesIn(rich), ['Grüße €\n\nПри', 'Second\u00a0page\nlink'])
  assert.equal(rich.title, 'Notes')
})

test('a range of a text is on pages that can be named', () => {
  const [stream] = DOCUMENTS.streams
  assert.ok(stream)
  const on = (pages: object, start: number, end: number) => {
    const span = pagesOf(
      stream,
      { pages: pages as never },
      { text: 'text', field: 'text', rest: [] },
      { start, end },
    )
    return span && pagesText(span)
  }
  const pages = { unit: 'page', starts: [0, 10, 10, 30] }
  assert.equal(on(pages, 0, 10), 'page 1 of 4')
  assert.equal(on(pages, 9, 11), 'pages 1 to 3 of 4')
  assert.equal(on(pages, 29, 29), 'page 3 of 4')
  assert.equal(on({ unit: 'sheet', starts: [0, 5], names: ['A', 'Costs'] }, 5, 9), 'sheet "Costs" (2 of 2)')
  assert.equal(on({ unit: 'leaf', starts: [0] }, 0, 1), null)
  assert.equal(on({ unit: 'page', starts: [] }, 0, 1), null)
})

const LAUGHS = `<!DOCTYPE w:document [<!ENTITY a "ha"><!ENTITY b "${'&a;'.repeat(100)}">]>`

const HOSTILE: [name: string, bytes: Buffer, code: string][] = [
  ['a cut PDF', pdfOf(['text']).subarray(0, 120), 'broken_document'],
  ['no PDF at all', Buffer.from(`%PDF-1.7\n${'x'.repeat(2_000)}`), 'broken_document'],
  [
    'an encrypted PDF',
    pdfOf(['secret'], {
      trailer: `/ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'11'.repeat(32)}> /U <${'22'.repeat(32)}> >>`,
    }),
    'encrypted_document',
  ],
  ['a cut zip', LETTER.subarray(0, LETTER.length - 40), 'broken_document'],
  ['cut XML', packageOf({ 'word/document.xml': '<w:document><w:body><w:p>' }), 'broken_document'],
  [
    'a billion laughs',
    packageOf({ 'word/document.xml': `${LAUGHS}<w:document>&b;</w:document>` }),
    'unsafe_document',
  ],
  [
    'an external entity',
    packageOf({
      'xl/workbook.xml': '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><workbook>&x;</workbook>',
    }),
    'unsafe_document',
  ],
  ['deep XML', packageOf({ 'word/document.xml': '<a>'.repeat(100_000) }), 'unsafe_document'],
  ['deep RTF', Buffer.from(`{\\rtf1 ${'{'.repeat(100_000)}`), 'unsafe_document'],
  ['a cut RTF', Buffer.from('{\\rtf1 text'), 'broken_document'],
  [
    'a zip bomb',
    zipOf([{ path: 'word/document.xml', content: 'x', claimedSize: 3_000_000_000 }]),
    'unsafe_document',
  ],
  [
    'a part that unpacks to more than it claims',
    zipOf([{ path: 'word/document.xml', content: ' '.repeat(1_000_000), claimedSize: 10 }]),
    'broken_document',
  ],
  ['a very long text', docxOf(paragraph('x'.repeat(1_000_000)).repeat(17)), 'text_too_long'],
  [
    'an encrypted OpenDocument',
    packageOf({
      mimetype: 'application/vnd.oasis.opendocument.text',
      'META-INF/manifest.xml': '<m:manifest><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>',
      'content.xml': 'x',
    }),
    'encrypted_document',
  ],
  [
    'a protected e-book',
    packageOf({
      'META-INF/container.xml': '<container/>',
      'META-INF/encryption.xml':
        '<e><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></e>',
    }),
    'encrypted_document',
  ],
]

test('a hostile or broken document ends as a reason, and the next one is read', async () => {
  for (const [name, bytes, code] of HOSTILE) {
    await assert.rejects(extractor.read(bytes), (error: { code?: string; message: string }) => {
      assert.equal(error.code, code, `${name}: ${error.message}`)
      assert.match(error.message, /^(The|A) .*\.$/, name)
      return true
    })
  }
  assert.equal(await extractor.read(zipOf([{ path: 'a.txt', content: 'x' }])), null)
  assert.match((await read(pdfOf(['alive']))).text, /alive/)
})

test('a document that takes too long or too much memory is given up, and the next one is read', async () => {
  const packed = pdfWith([spaces(512)], { filter: 'FlateDecode' })
  const slow = new Extractor({ processorMs: 100 })
  await assert.rejects(slow.read(packed), { code: 'took_too_long' })
  await slow.close()
  const watched = new Extractor({ megabytes: 100 })
  await assert.rejects(watched.read(packed), { code: 'took_too_much_memory' })
  assert.match((await watched.read(RICH_TEXT))?.text ?? '', /link/)
  await watched.close()
  const small = new Extractor({ heapMegabytes: 16 })
  await assert.rejects(small.read(manyStrings()), { code: 'took_too_much_memory' })
  assert.match((await small.read(RICH_TEXT))?.text ?? '', /link/)
  await small.close()
})

test('a worker that stops between two documents is replaced', { timeout: 60_000 }, async () => {
  const workers: Worker[] = []
  const note = (message: unknown) => workers.push((message as { worker: Worker }).worker)
  subscribe('worker_threads', note)
  const small = new Extractor({ heapMegabytes: 16 })
  const answers = async () => (await small.read(RICH_TEXT))?.text ?? ''
  assert.match(await answers(), /link/)
  await workers[0]?.terminate()
  assert.match(await answers(), /link/, 'it has ended')
  assert.equal(workers.length, 2)
  // The library of a format may still be working after its answer.
  workers[1]?.ref()
  workers[1]?.postMessage({ bytes: manyStrings(), ocr: null })
  await new Promise(resolve => workers[1]?.on('exit', resolve))
  assert.match(await answers(), /link/, 'it had no memory left')
  unsubscribe('worker_threads', note)
  await small.close()
})

test('a process that reads a hostile PDF stays small', context => {
  const string = deflateRawSync(Buffer.from(`(${'a'.repeat(1_000_000)}`), {
    finishFlush: constants.Z_FULL_FLUSH,
  })
  const blocks = Array.from({ length: 600 }, () => string)
  const strings = Buffer.concat([Buffer.from([0x78, 0x9c]), ...blocks, Buffer.from([3, 0])])
  // The test of limits above reads spaces too, in this process.
  const names = PROVING ? ['strings.pdf', 'spaces.pdf'] : ['strings.pdf']
  const code = `
    import { readFileSync } from 'node:fs'
    import { Extractor } from ${JSON.stringify(new URL('./extractor.ts', import.meta.url).href)}
    for (const name of ${JSON.stringify(names)}) {
      const extractor = new Extractor()
      await extractor.read(readFileSync(new URL(name, import.meta.url))).catch(error => console.log(error.code))
      await extractor.close()
    }
    console.log(process.resourceUsage().maxRSS)`
  const folder = folderWith(context, {
    'read.mjs': code,
    'strings.pdf': pdfWith([strings], { filter: 'FlateDecode' }),
    'spaces.pdf': pdfWith([spaces(2_000)], { filter: 'FlateDecode' }),
  })
  const printed = execFileSync(process.execPath, [join(folder, 'read.mjs')], { encoding: 'utf8' })
  const said = printed.trim().split('\n')
  const kilobytes = said.pop()
  assert.deepEqual(
    said,
    names.map(() => 'took_too_much_memory'),
  )
  assert.ok(Number(kilobytes) < 600 * 1024, `${kilobytes} KB`)
})

test('a process that only waits for documents does not end before they are read', context => {
  const code = `
    import { Extractor } from ${JSON.stringify(new URL('./extractor.ts', import.meta.url).href)}
    const extractor = new Extractor()
    for (const text of ['one', 'two', 'three'])
      console.log((await extractor.read(Buffer.from('{\\\\rtf1 ' + text + '}'))).text)`
  const script = join(folderWith(context, { 'read.mjs': code }), 'read.mjs')
  const printed = execFileSync(process.execPath, [script], { encoding: 'utf8' })
  assert.deepEqual(printed.trim().split('\n'), ['one', 'two', 'three'])
})

/** A workbook that needs more than 16 MB of memory. */
function manyStrings(): Buffer {
  const strings = `<sst>${`<si><t>${'ab'.repeat(40)}</t></si>`.repeat(300_000)}</sst>`
  const relation = '<a Id="1" Type="x/sharedStrings" Target="s.xml"/>'
  return packageOf({
    'xl/workbook.xml': '<a/>',
    'xl/_rels/workbook.xml.rels': relation,
    'xl/s.xml': strings,
  })
}

/** Compressed spaces: each megabyte takes half a kilobyte. */
function spaces(megabytes: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(1024 * 1024, ' '), { finishFlush: constants.Z_FULL_FLUSH })
  const blocks = Array.from({ length: megabytes }, () => block)
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...blocks, Buffer.from([3, 0])])
}
