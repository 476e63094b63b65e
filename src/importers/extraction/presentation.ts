import { type DocumentZip, propertiesOf, relationsOf } from './document-zip.ts'
import { broken, type Extracted } from './extracted.ts'
import { PageText } from './page-text.ts'
import { attribute } from './xml-events.ts'

const PRESENTATION = 'ppt/presentation.xml'

/** A PowerPoint presentation: the text of each slide in order, followed by its speaker notes. */
export async function readPresentation(zip: DocumentZip): Promise<Extracted> {
  const relations = await relationsOf(zip, PRESENTATION)
  const slides: string[] = []
  await zip.xml(PRESENTATION, {
    open(name, attributes) {
      if (name !== 'sldId') return
      const slide = relations.get(attributes['r:id'] ?? attribute(attributes, 'id') ?? '')
      if (slide) slides.push(slide.path)
    },
  })
  if (slides.length === 0 && zip.paths.some(path => /^ppt\/slides\/slide/.test(path)))
    throw broken('it does not list its slides')
  const text = new PageText('slide')
  for (const path of slides) {
    text.begin()
    await readShapes(zip, path, text)
    const notes = [...(await relationsOf(zip, path)).values()].find(({ type }) => type === 'notesSlide')
    if (!notes) continue
    text.add('\n\n')
    await readShapes(zip, notes.path, text)
  }
  return { kind: 'presentation', ...text.end(), ...(await propertiesOf(zip, 'docProps/core.xml')) }
}

const SKIPPED = new Set(['fld', 'Fallback'])

/** The paragraphs of all shapes, without fields such as the slide number. */
async function readShapes(zip: DocumentZip, path: string, text: PageText): Promise<void> {
  let inText = false
  let cells = 0
  await zip.xml(path, {
    skipped: SKIPPED,
    open(name) {
      if (name === 't') inText = true
      else if (name === 'br') text.add('\n')
      else if (name === 'tr') cells = 0
      else if (name === 'tc' && cells++ > 0) text.add('\t')
    },
    text(part) {
      if (inText) text.add(part)
    },
    close(name) {
      if (name === 't') inText = false
      else if (name === 'tr') text.add('\n')
      else if (name === 'p') text.add(cells > 0 ? ' ' : '\n')
      else if (name === 'sp') text.add('\n')
      else if (name === 'tbl') cells = 0
    },
  })
}
