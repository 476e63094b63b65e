import { deflateSync } from 'node:zlib'
import { zipOf } from './archives.ts'

interface PdfFacts {
  title?: string
  /** Whether to compress the contents of pages. */
  packed?: boolean
  /** The filter that the contents of pages declare. */
  filter?: string
  /** Additional text for the trailer. */
  trailer?: string
}

/** A PDF with a page for each text; `\n` begins a new line. */
export function pdfOf(pages: readonly string[], facts: PdfFacts = {}): Buffer {
  const contents = pages.map(text => {
    const lines = text.split('\n').map(line => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`)
    return Buffer.from(`BT /F1 12 Tf 14 TL 72 720 Td ${lines.join('\n')} ET`, 'latin1')
  })
  return pdfWith(contents, facts)
}

/** A PDF whose pages have exactly these contents. */
export function pdfWith(contents: readonly Buffer[], facts: PdfFacts = {}): Buffer {
  const { title, packed = false, filter = packed ? 'FlateDecode' : null, trailer = '' } = facts
  const kids = contents.map((_, index) => `${10 + 2 * index} 0 R`).join(' ')
  const objects: [number, string, Buffer?][] = [
    [1, '<< /Type /Catalog /Pages 2 0 R >>'],
    [2, `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`],
    [3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'],
    [4, `<< ${title === undefined ? '' : `/Title (${title})`} /CreationDate (D:20240330120000+01'00') >>`],
    ...contents.flatMap((content, index): [number, string, Buffer?][] => {
      const bytes = packed ? deflateSync(content) : content
      const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${11 + 2 * index} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`
      return [
        [10 + 2 * index, page],
        [
          11 + 2 * index,
          `<< /Length ${bytes.length} ${filter === null ? '' : `/Filter /${filter}`} >>`,
          bytes,
        ],
      ]
    }),
  ]
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const offsets = new Map<number, number>()
  let length = 9
  const add = (part: Buffer) => {
    parts.push(part)
    length += part.length
  }
  for (const [number, dictionary, stream] of objects) {
    offsets.set(number, length)
    add(Buffer.from(`${number} 0 obj\n${dictionary}\n`))
    if (stream) add(Buffer.concat([Buffer.from('stream\n'), stream, Buffer.from('\nendstream\n')]))
    add(Buffer.from('endobj\n'))
  }
  const start = length
  const rows = [...offsets].map(
    ([number, offset]) => `${number} 1\n${String(offset).padStart(10, '0')} 00000 n \n`,
  )
  const size = Math.max(...offsets.keys()) + 1
  add(Buffer.from(`xref\n0 1\n0000000000 65535 f \n${rows.join('')}`))
  add(
    Buffer.from(
      `trailer\n<< /Size ${size} /Root 1 0 R /Info 4 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

const CORE =
  '<cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t"><dc:title>The plan</dc:title><dc:creator>Ada</dc:creator><dcterms:created>2024-03-30T11:00:00Z</dcterms:created></cp:coreProperties>'
const RELATION = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

function relations(...targets: [id: string, type: string, target: string][]): string {
  const rows = targets.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${RELATION}/${type}" Target="${target}"/>`,
  )
  return `<?xml version="1.0"?><Relationships>${rows.join('')}</Relationships>`
}

/** A Word document with this body. */
export function docxOf(body: string, more: Record<string, string> = {}): Buffer {
  return packageOf({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
    'docProps/core.xml': CORE,
    ...more,
  })
}

export function paragraph(text: string): string {
  return `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
}

/** A Word document with a footnote, a table, a deleted word and two pages. */
export const LETTER = docxOf(
  `${paragraph('Dear Ben &amp; Co,')}<w:p><w:del><w:r><w:delText>never</w:delText></w:r></w:del><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>see</w:t><w:tab/><w:t>below.</w:t></w:r></w:p>
  <w:tbl><w:tr><w:tc>${paragraph('Rye')}</w:tc><w:tc>${paragraph('3 kg')}</w:tc></w:tr><w:tr><w:tc>${paragraph('Salt')}</w:tc><w:tc>${paragraph('60 g')}</w:tc></w:tr></w:tbl>
  <w:p><w:r><w:lastRenderedPageBreak/><w:t>Second page.</w:t></w:r></w:p>`,
  {
    'word/_rels/document.xml.rels': relations(['rId1', 'footnotes', 'footnotes.xml']),
    'word/footnotes.xml': `<w:footnotes xmlns:w="w"><w:footnote>${paragraph('A note.')}</w:footnote></w:footnotes>`,
  },
)

export function packageOf(files: Record<string, string>): Buffer {
  return zipOf(Object.entries(files).map(([path, content]) => ({ path, content })))
}

/** A presentation of two slides. The first in the file is the second in order. */
export const SLIDES = packageOf({
  'ppt/presentation.xml':
    '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="rId2"/><p:sldId id="257" r:id="rId1"/></p:sldIdLst></p:presentation>',
  'ppt/_rels/presentation.xml.rels': relations(
    ['rId1', 'slide', 'slides/slide1.xml'],
    ['rId2', 'slide', 'slides/slide2.xml'],
  ),
  'ppt/slides/slide1.xml':
    '<p:sld xmlns:p="p" xmlns:a="a"><p:sp><a:p><a:r><a:t>The end</a:t></a:r><a:fld><a:t>2</a:t></a:fld></a:p></p:sp></p:sld>',
  'ppt/slides/slide2.xml':
    '<p:sld xmlns:p="p" xmlns:a="a"><p:sp><a:p><a:r><a:t>Bread</a:t></a:r></a:p></p:sp><p:sp><a:p><a:r><a:t>Flour</a:t></a:r></a:p></p:sp></p:sld>',
  'ppt/slides/_rels/slide2.xml.rels': relations(['rId1', 'notesSlide', '../notesSlides/notesSlide1.xml']),
  'ppt/notesSlides/notesSlide1.xml':
    '<p:notes xmlns:p="p" xmlns:a="a"><p:sp><a:p><a:r><a:t>Speak slowly.</a:t></a:r></a:p></p:sp></p:notes>',
})

/** A workbook of two sheets with texts, numbers, a date and a formula. */
export const SUMS = packageOf({
  'xl/workbook.xml':
    '<workbook xmlns:r="r"><sheets><sheet name="Costs" sheetId="1" r:id="rId1"/><sheet name="Days" sheetId="2" r:id="rId2"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels': relations(
    ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
    ['rId2', 'worksheet', '/xl/worksheets/sheet2.xml'],
    ['rId3', 'sharedStrings', 'sharedStrings.xml'],
    ['rId4', 'styles', 'styles.xml'],
  ),
  'xl/sharedStrings.xml':
    '<sst><si><t>Flour</t><rPh><t>x</t></rPh></si><si><r><t>Sa</t></r><r><t>lt</t></r></si></sst>',
  'xl/styles.xml':
    '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>',
  'xl/worksheets/sheet1.xml':
    '<worksheet><sheetData><row><c t="s"><v>0</v></c><c><v>0.30000000000000004</v></c></row><row/><row><c t="s"><v>1</v></c><c><f>A1*2</f><v>42</v></c><c t="b"><v>1</v></c></row></sheetData></worksheet>',
  'xl/worksheets/sheet2.xml':
    '<worksheet><sheetData><row><c s="1"><v>45381</v></c><c s="2"><v>45381.5</v></c><c t="inlineStr"><is><t>Easter</t></is></c></row></sheetData></worksheet>',
})

export const OPEN_TEXT = packageOf({
  mimetype: 'application/vnd.oasis.opendocument.text',
  'META-INF/manifest.xml': '<manifest:manifest/>',
  'meta.xml':
    '<office:document-meta><office:meta><dc:title>Letter</dc:title></office:meta></office:document-meta>',
  'content.xml':
    '<office:document-content><office:body><office:text><text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h>Bread</text:h><text:p>one<text:s text:c="2"/>two<text:tab/>three</text:p><text:soft-page-break/><text:p>Second <text:span>page</text:span></text:p></office:text></office:body></office:document-content>',
})

export const OPEN_SHEETS = packageOf({
  mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
  'META-INF/manifest.xml': '<manifest:manifest/>',
  'content.xml':
    '<office:document-content><office:body><office:spreadsheet><table:table table:name="Costs"><table:table-row><table:table-cell><text:p>Flour</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"><text:p>3</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table><table:table table:name="Empty"/></office:spreadsheet></office:body></office:document-content>',
})

export const BOOK = packageOf({
  mimetype: 'application/epub+zip',
  'META-INF/container.xml':
    '<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>',
  'OEBPS/content.opf':
    '<package><metadata xmlns:dc="d"><dc:title>Loaves</dc:title><dc:creator>Ada</dc:creator></metadata><manifest><item id="b" href="two%20.xhtml" media-type="application/xhtml+xml"/><item id="a" href="one.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
  'OEBPS/one.xhtml':
    '<?xml version="1.0"?><!DOCTYPE html><html><head><title>x</title></head><body><h1>Rye</h1><p>It was dark.</p></body></html>',
  'OEBPS/two .xhtml': '<html><body><h2>Wheat</h2><p>It was light.</p></body></html>',
})

export const RICH_TEXT = Buffer.from(
  `{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset204 Arial;}}{\\info{\\title Notes}}{\\*\\generator x}Gr\\'fc\\'dfe \\u8364?\\par {\\f1\\'cf\\'f0\\'e8}{\\v hidden}\\page Second\\~page\\line {\\field{\\*\\fldinst HYPERLINK}{\\fldrslt link}}}`,
  'latin1',
)
