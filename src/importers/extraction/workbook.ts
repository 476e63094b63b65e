import { type DocumentZip, propertiesOf, relationsOf } from './document-zip.ts'
import { broken, type Extracted, Unreadable } from './extracted.ts'
import { MOST_CHARS, PageText } from './page-text.ts'
import { attribute } from './xml-events.ts'

const WORKBOOK = 'xl/workbook.xml'
/** Built-in number formats of Excel that show dates and times. Files do not define them. */
const BUILT_IN_DATES = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 30, 36, 45, 46, 47, 50, 57])
const DAY_MS = 86_400_000

/** An Excel workbook: each sheet is a page with a line for each row and a tab between cells. Formulas show their results. */
export async function readWorkbook(zip: DocumentZip): Promise<Extracted> {
  if (!zip.has(WORKBOOK)) throw broken('it is in the binary format of Excel, which cannot be read')
  const relations = await relationsOf(zip, WORKBOOK)
  const sheets: { name: string; path: string }[] = []
  let from1904 = false
  await zip.xml(WORKBOOK, {
    open(name, attributes) {
      if (name === 'workbookPr') from1904 = /^(1|true)$/.test(attributes.date1904 ?? '')
      if (name !== 'sheet') return
      const part = relations.get(attributes['r:id'] ?? attribute(attributes, 'id') ?? '')
      if (part?.type === 'worksheet') sheets.push({ name: attributes.name ?? '', path: part.path })
    },
  })
  const paths = [...relations.values()]
  const strings = await sharedStrings(zip, paths.find(({ type }) => type === 'sharedStrings')?.path)
  const isDate = await dateStyles(zip, paths.find(({ type }) => type === 'styles')?.path)
  const epoch = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  const text = new PageText('sheet')
  for (const { name, path } of sheets) {
    text.begin(name)
    await readSheet(zip, path, text, (kind, value, style) => {
      if (kind === 's') return strings[Number(value)] ?? ''
      if (kind === 'b') return value === '1' ? 'TRUE' : 'FALSE'
      if (kind === '' || kind === 'n')
        return isDate.has(style) ? dateText(Number(value), epoch) : numberText(value)
      return value
    })
  }
  return { kind: 'workbook', ...text.end(), ...(await propertiesOf(zip, 'docProps/core.xml')) }
}

async function readSheet(
  zip: DocumentZip,
  path: string,
  text: PageText,
  shown: (kind: string, value: string, style: number) => string,
): Promise<void> {
  let kind = ''
  let style = 0
  let value = ''
  let inValue = false
  let row: string[] = []
  await zip.xml(path, {
    open(name, attributes) {
      if (name === 'row') row = []
      else if (name === 'c') {
        kind = attributes.t ?? ''
        style = Number(attributes.s ?? 0)
        value = ''
      } else if (name === 'v' || name === 't') inValue = true
    },
    text(part) {
      if (inValue) value += part
    },
    close(name) {
      if (name === 'v' || name === 't') inValue = false
      else if (name === 'c') {
        if (value !== '') row.push(shown(kind, value, style).replace(/(?<!\s)\s*\n\s*/g, ' '))
      } else if (name === 'row' && row.length > 0) text.add(`${row.join('\t')}\n`)
    },
  })
}

async function sharedStrings(zip: DocumentZip, path: string | undefined): Promise<string[]> {
  const strings: string[] = []
  if (path === undefined) return strings
  let parts: string[] = []
  let inText = false
  let phonetic = 0
  let chars = 0
  await zip.xml(path, {
    open(name) {
      if (name === 'si') parts = []
      else if (name === 'rPh') phonetic++
      else if (name === 't') inText = phonetic === 0
    },
    text(part) {
      if (!inText) return
      chars += part.length
      if (chars > MOST_CHARS * 2)
        throw new Unreadable('text_too_long', 'The texts of the workbook are too long.')
      parts.push(part)
    },
    close(name) {
      if (name === 't') inText = false
      else if (name === 'rPh') phonetic--
      else if (name === 'si') strings.push(parts.join(''))
    },
  })
  return strings
}

/** The indexes of the cell styles that show a date. */
async function dateStyles(zip: DocumentZip, path: string | undefined): Promise<Set<number>> {
  const dates = new Set<number>()
  if (path === undefined) return dates
  const formats = new Set(BUILT_IN_DATES)
  let inCells = false
  let style = 0
  await zip.xml(path, {
    open(name, attributes) {
      if (name === 'numFmt') {
        const code = (attributes.formatCode ?? '').replace(/"[^"]*"|\\.|\[[^[\]]*\]/g, '')
        if (/[dyhs]/i.test(code) && !/[#0?]/.test(code.replace(/\.0+/g, '')))
          formats.add(Number(attributes.numFmtId))
      } else if (name === 'cellXfs') inCells = true
      else if (name === 'xf' && inCells) {
        if (formats.has(Number(attributes.numFmtId))) dates.add(style)
        style++
      }
    },
    close(name) {
      if (name === 'cellXfs') inCells = false
    },
  })
  return dates
}

/** `2024-03-30`, with the time if there is one. A number below 1 is only a time. */
function dateText(serial: number, epoch: number): string {
  const at = epoch + Math.round(serial * 86_400) * 1_000
  if (!Number.isFinite(at) || Math.abs(at) > 8e15) return String(serial)
  const text = new Date(at).toISOString()
  const time = text.slice(11, 19).replace(/:00$/, '')
  if (serial >= 0 && serial < 1) return time
  return at % DAY_MS === 0 ? text.slice(0, 10) : `${text.slice(0, 10)} ${time}`
}

/** Excel writes 0.1 + 0.2 as 0.30000000000000004 but shows 0.3. */
function numberText(value: string): string {
  const number = Number(value)
  return value.trim() === '' || !Number.isFinite(number) ? value : String(Number(number.toPrecision(15)))
}
