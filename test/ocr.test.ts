import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { installedFolder } from '../src/data-folder/installation.ts'
import { type Extracted, Unreadable } from '../src/importers/extraction/extracted.ts'
import { Extractor } from '../src/importers/extraction/extractor.ts'
import { OCR } from '../src/importers/ocr/installation.ts'
import { enoughOf, type Picture, pictureOf, turned } from '../src/importers/ocr/picture.ts'
import { newProfile } from './browser.ts'
import { footnote, freshPlace, output } from './command-line.ts'
import { onEachEngine, onOneEngine, PROVING, TestServer } from './engines.ts'
import { importPlace } from './import-place.ts'
import { pdfOf, pdfWith } from './made-documents.ts'
import { McpTestClient } from './mcp-client.ts'
import { ENDLESS, FAILING, pngOf, scanned, standInOcr } from './stand-in-ocr.ts'

const directory = mkdtempSync(join(tmpdir(), 'footnote-ocr-'))
const folder = await standInOcr(directory)
const extractor = new Extractor({ processorMs: 1_000 }, () => folder)
after(async () => {
  await extractor.close()
  rmSync(directory, { recursive: true })
})

const written = (text: string) => Buffer.from(`BT /F1 12 Tf 72 720 Td (${text}) Tj ET`)
const read = async (bytes: Uint8Array): Promise<Extracted> =>
  (await extractor.read(bytes)) ?? assert.fail('not a document')

test('pages of a PDF without text get what is recognised in their pictures, and say so', async () => {
  const pdf = await read(pdfWith([written('First page'), scanned(40, 30, 200), written('Third page')]))
  const seen = 'A picture of 40 by 30 points, in English 200,200,200'
  assert.equal(pdf.text, `First page\n\n${seen}\n\nThird page`)
  assert.deepEqual(pdf.pages, { unit: 'page', starts: [0, 12, 12 + seen.length + 2], recognised: [2] })
  const one = await read(pdfWith([scanned(40, 30, 0)]))
  assert.deepEqual(one.pages, { unit: 'page', starts: [0], recognised: [1] })
  const both = Buffer.concat([written('Written'), scanned(40, 30, 0)])
  assert.equal((await read(pdfWith([both]))).text, 'Written')
  assert.equal((await read(pdfWith([scanned(10, 10, 0)]))).text, '', 'too small to hold text')
  assert.equal((await read(pdfOf(['', '']))).text, '')
})

test('a page may be a fax or an image mask', async () => {
  const fax = (more: string) =>
    Buffer.concat([
      Buffer.from(
        `q 600 0 0 700 0 0 cm\nBI /W 40 /H 32 /BPC 1 ${more} /F /CCF /DP << /K -1 /Columns 40 /Rows 32 >>\nID `,
      ),
      // Each line repeats the one above it, and the first is white.
      Buffer.alloc(4, 0xff),
      Buffer.from('\nEI\nQ\n'),
    ])
  for (const more of ['/CS /G', '/IM true']) {
    const { text, pages } = await read(pdfWith([fax(more)]))
    assert.equal(text, 'A picture of 40 by 32 points, in English 255,255,255', more)
    assert.deepEqual(pages?.recognised, [1])
  }
})

test('PNG and JPEG files are read as documents of one page', async () => {
  const png = await read(pngOf(50, 60))
  assert.equal(png.text, 'A picture of 50 by 60 points, in English 9,9,9')
  assert.deepEqual([png.kind, png.pages], ['picture', { unit: 'page', starts: [0], recognised: [1] }])
  const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), pngOf(70, 80).subarray(16)])
  assert.match((await read(jpeg)).text, /^A picture of 70 by 80 points/)
  assert.equal((await read(pngOf(100_000, 100_000))).text, '', 'too large')
  await using off = {
    extractor: new Extractor({}, () => null),
    [Symbol.asyncDispose]: () => off.extractor.close(),
  }
  assert.equal(await off.extractor.read(pngOf(50, 60)), null)
  assert.equal((await off.extractor.read(pdfWith([scanned(40, 30, 0)])))?.text, '')
})

test('a picture that takes too long, or on which recognition fails, does not cost the document', async () => {
  for (const [width, code] of [
    [ENDLESS, 'took_too_long'],
    [FAILING, 'broken_document'],
  ] as const) {
    const pdf = await read(pdfWith([written('First page'), scanned(width, 30, 0)]))
    assert.equal(pdf.text, 'First page')
    assert.ok(pdf.problem instanceof Unreadable && pdf.problem.code === code, `${width}`)
  }
  assert.match((await read(pngOf(50, 60))).text, /^A picture/)
})

test('pictures may be black and white, grey or coloured, are rotated, and are scaled down to what recognition needs', () => {
  const firsts = ({ data }: Picture, points: number) =>
    Array.from({ length: points }, (_, point) => data[4 * point])
  const bits = pictureOf({ width: 9, height: 2, data: Uint8Array.of(0b10000000, 0b10000000, 0, 0) })
  assert.deepEqual(firsts(bits ?? assert.fail(), 18), [255, 0, 0, 0, 0, 0, 0, 0, 255, ...Array(9).fill(0)])
  const colours = pictureOf({ width: 2, height: 1, data: Uint8Array.of(1, 2, 3, 4, 5, 6) })
  assert.deepEqual([...(colours?.data ?? [])], [1, 2, 3, 255, 4, 5, 6, 255])
  assert.equal(pictureOf({ width: 9, height: 9, data: new Uint8Array(5) }), null)
  const grey = pictureOf({ width: 3, height: 2, data: Uint8Array.of(1, 2, 3, 4, 5, 6) }) ?? assert.fail()
  assert.deepEqual(
    [0, 90, 180, 270].map(degrees => firsts(turned(grey, degrees), 6)),
    [
      [1, 2, 3, 4, 5, 6],
      [4, 1, 5, 2, 6, 3],
      [6, 5, 4, 3, 2, 1],
      [3, 6, 2, 5, 1, 4],
    ],
  )
  const large = { width: 4_000, height: 3_000, data: new Uint8ClampedArray(48_000_000).fill(8) }
  const { width, height, data } = enoughOf(large)
  assert.deepEqual([width, height, data[0], data.length], [2_000, 1_500, 8, 12_000_000])
})

const MAIL = `From a@example.org Mon Jan  5 10:00:00 2026
From: Ada <a@example.org>
Message-ID: <m1@example.org>
Subject: A photo
Date: Mon, 5 Jan 2026 10:00:00 +0000
Content-Type: multipart/mixed; boundary=b

--b

See the picture.
--b
Content-Type: image/png; name=photo.png
Content-Transfer-Encoding: base64

${pngOf(50, 60).toString('base64')}
--b--

`

onEachEngine('recognised text is searched, and a window of it says that it was recognised', async engine => {
  await using place = await importPlace(engine)
  const [papers, inbox] = [join(place.folder, 'papers'), join(place.folder, 'inbox.mbox')]
  await mkdir(papers)
  await writeFile(join(papers, 'scan.pdf'), pdfWith([written('First page'), scanned(40, 30, 200)]))
  await writeFile(inbox, MAIL)
  const before = (await place.import(papers, inbox, '--json')).json
  assert.deepEqual([before.added, before.rejected], [2, 0])
  await standInOcr(place.dataFolder)
  const again = (await place.import(papers, inbox, '--json')).json
  assert.deepEqual([again.added, again.updated, again.rejected], [0, 2, 0])

  await using server = await TestServer.on(place.config.location)
  await using client = await McpTestClient.connect(server, server.ownerToken)
  const { results } = (await client.call('search', { query: 'picture points English' })).structured
  assert.equal(results.length, 2)
  const windows: Record<string, string> = {}
  for (const [field_path, q] of [
    ['text', 'points'],
    ['text', 'First'],
    ['/attachment_text/0', 'points'],
  ] as const) {
    const { id } = results.find(
      (hit: { id: string }) => hit.id.includes('/emails:') === (field_path !== 'text'),
    )
    const { result } = await client.call('read_record_field', { id, field_path, q, after_chars: 2 })
    windows[`${field_path} ${q}`] = result._meta['footnote/window'].pages
  }
  assert.deepEqual(windows, {
    'text points': 'page 2 of 2, text recognised in a picture',
    'text First': 'page 1 of 2',
    '/attachment_text/0 points': 'page 1 of 1, text recognised in a picture',
  })
})

onOneEngine('text recognition is off until the owner agrees', async engine => {
  const { location, flags, remove } = await freshPlace(engine)
  assert.match(await output(['ocr', 'status', ...flags]), /^Text recognition is off\./)
  const unasked = await footnote(['ocr', 'on', ...flags])
  assert.equal(unasked.code, 64)
  assert.match(unasked.stderr, /Nothing was installed: --yes is missing\./)
  const refused = await footnote(['ocr', 'on', ...flags], { isTerminal: true, input: 'no\n' })
  assert.match(refused.stderr, /This downloads \d+ MB .*tesseract-wasm 0\.11\.0 \(BSD-2-Clause\)/s)
  await standInOcr(location.directory)
  assert.equal(await output(['ocr', 'on', ...flags]), 'Text recognition is on already.\n')
  assert.deepEqual(JSON.parse(await output(['ocr', 'status', '--json', ...flags])), { on: true })
  assert.match(await output(['ocr', 'off', ...flags]), /^Text recognition is off\./)
  assert.deepEqual(JSON.parse(await output(['ocr', 'status', '--json', ...flags])), { on: false })
  await remove()
})

const SAID = 'The escapement of the clock costs 40 guineas.'
const proving = PROVING ? onOneEngine : () => {}

proving('the real recognition is installed by npm, and reads a picture and a scanned PDF', async engine => {
  const { location, flags, remove } = await freshPlace(engine)
  await output(['ocr', 'on', '--yes', ...flags])
  const real = new Extractor({}, () => installedFolder(location.directory, OCR))
  await using profile = await newProfile()
  const page = await profile.newPage()
  await page.setContent(`<p style="font: 28px serif; padding: 40px">${SAID}</p>`)
  const [png, jpeg] = [await page.screenshot({ type: 'png' }), await page.screenshot({ type: 'jpeg' })]
  for (const picture of [png, jpeg]) assert.equal((await real.read(picture))?.text, SAID)
  await page.setContent(
    `<img style="width: 100%" src="data:image/png;base64,${Buffer.from(png).toString('base64')}">`,
  )
  const scan = (await real.read(await page.pdf())) ?? assert.fail('not a document')
  assert.deepEqual([scan.text, scan.pages?.recognised], [SAID, [1]])
  await real.close()
  await remove()
})
