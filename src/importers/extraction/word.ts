import { type DocumentZip, propertiesOf, relationsOf } from './document-zip.ts'
import type { Extracted } from './extracted.ts'
import { PageText } from './page-text.ts'
import { attribute } from './xml-events.ts'

/** Elements that are not visible text: field codes, deleted text, fallback versions and properties. */
const SKIPPED = new Set([
  'instrText',
  'Fallback',
  'delText',
  'del',
  'moveFrom',
  'rPr',
  'pPr',
  'sdtPr',
  'sectPr',
])

/**
 * A Word document. Its pages begin where they did when Word last saved the document; other programs often do not
 * store this. Notes and comments follow the text.
 */
export async function readWord(zip: DocumentZip): Promise<Extracted> {
  const text = new PageText('page')
  text.begin()
  await readBody(zip, 'word/document.xml', text)
  const relations = await relationsOf(zip, 'word/document.xml')
  const asides = [...relations.values()].filter(({ type }) => /^(footnotes|endnotes|comments)$/.test(type))
  for (const { path } of asides) {
    text.add('\n\n')
    await readBody(zip, path, text)
  }
  return { kind: 'Word document', ...text.end(), ...(await propertiesOf(zip, 'docProps/core.xml')) }
}

async function readBody(zip: DocumentZip, path: string, text: PageText): Promise<void> {
  let inText = false
  let cells = 0
  /** Open rows. A table inside a cell is part of the row around it. */
  let rows = 0
  let isPageFresh = true
  const add = (added: string) => {
    text.add(added)
    isPageFresh = false
  }
  const breakPage = () => {
    // Word writes a manual break twice: once as the break and once as a rendered break.
    if (!isPageFresh) text.begin()
    isPageFresh = true
  }
  await zip.xml(path, {
    skipped: SKIPPED,
    open(name, attributes) {
      if (name === 't') inText = true
      else if (name === 'tab') add('\t')
      else if (name === 'noBreakHyphen') add('-')
      else if (name === 'lastRenderedPageBreak') breakPage()
      else if (name === 'br' || name === 'cr') {
        if (attribute(attributes, 'type') === 'page') breakPage()
        else add('\n')
      } else if (name === 'tr' && rows++ === 0) cells = 0
      else if (name === 'tc' && rows === 1 && cells++ > 0) add('\t')
    },
    text(part) {
      if (inText) add(part)
    },
    close(name) {
      if (name === 't') inText = false
      else if (name === 'tr' && --rows === 0) add('\n')
      else if (name === 'tbl' && rows === 0) add('\n')
      else if (name === 'p') add(rows > 0 ? ' ' : '\n\n')
    },
  })
}
