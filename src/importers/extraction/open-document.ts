import { type DocumentZip, propertiesOf } from './document-zip.ts'
import { type Extracted, Unreadable } from './extracted.ts'
import { PageText } from './page-text.ts'

const SKIPPED = new Set([
  'tracked-changes',
  'automatic-styles',
  'scripts',
  'font-face-decls',
  'forms',
  'styles',
])
const MOST_SPACES = 1_000
const MOST_REPEATED_CELLS = 100

/** Texts, spreadsheets and presentations of LibreOffice and others. */
export async function readOpenDocument(zip: DocumentZip): Promise<Extracted> {
  await assertNotEncrypted(zip)
  const type = await zip.text('mimetype', 200)
  const kind = /spreadsheet/.test(type)
    ? 'workbook'
    : /presentation/.test(type)
      ? 'presentation'
      : 'OpenDocument text'
  const text = new PageText(kind === 'workbook' ? 'sheet' : kind === 'presentation' ? 'slide' : 'page')
  if (kind === 'OpenDocument text') text.begin()
  await readContent(zip, text, kind)
  return { kind, ...text.end(), ...(await propertiesOf(zip, 'meta.xml')) }
}

async function readContent(zip: DocumentZip, text: PageText, kind: Extracted['kind']): Promise<void> {
  let paragraphs = 0
  let row: { cells: string[]; cell: string[]; repeated: number } | null = null
  const add = (part: string) => {
    if (row) row.cell.push(part)
    else text.add(part)
  }
  const count = (value: string | undefined, most: number) =>
    Math.min(most, Math.max(1, Number(value ?? 1) || 1))
  await zip.xml('content.xml', {
    skipped: SKIPPED,
    open(_, attributes, qualified) {
      if (qualified === 'text:p' || qualified === 'text:h') paragraphs++
      else if (qualified === 'text:tab') add('\t')
      else if (qualified === 'text:line-break') add('\n')
      else if (qualified === 'text:s') add(' '.repeat(count(attributes['text:c'], MOST_SPACES)))
      else if (qualified === 'text:soft-page-break') {
        if (kind === 'OpenDocument text' && !row) text.begin()
      } else if (qualified === 'draw:page') text.begin()
      else if (qualified === 'table:table' && kind === 'workbook')
        text.begin(attributes['table:name'] ?? null)
      else if (qualified === 'table:table-row' && !row) row = { cells: [], cell: [], repeated: 1 }
      else if (qualified === 'table:table-cell' && row) {
        row.cell = []
        row.repeated = count(attributes['table:number-columns-repeated'], MOST_REPEATED_CELLS)
      }
    },
    text(part) {
      if (paragraphs > 0) add(part)
    },
    close(_, qualified) {
      if (qualified === 'text:p' || qualified === 'text:h') {
        paragraphs--
        add(row ? ' ' : kind === 'OpenDocument text' ? '\n\n' : '\n')
      } else if (qualified === 'table:table-cell' && row) {
        const cell = row.cell.join('').trim()
        if (cell !== '') row.cells.push(...Array.from({ length: row.repeated }, () => cell))
        row.cell = []
      } else if (qualified === 'table:table-row' && row) {
        const line = row.cells.join('\t')
        row = null
        if (line !== '') text.add(`${line}\n`)
      }
    },
  })
}

async function assertNotEncrypted(zip: DocumentZip): Promise<void> {
  await zip.xml('META-INF/manifest.xml', {
    open(name) {
      if (name !== 'encryption-data') return
      throw new Unreadable(
        'encrypted_document',
        'The document is encrypted. Save it without a password and import that.',
      )
    },
  })
}
