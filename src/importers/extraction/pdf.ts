import { getDocumentProxy } from 'unpdf'
import { number } from '../../model/amounts.ts'
import { picturesOn } from '../ocr/page-pictures.ts'
import { MOST_POINTS } from '../ocr/picture.ts'
import type { LoadRecogniser } from '../ocr/recogniser.ts'
import { broken, type Extracted, Unreadable } from './extracted.ts'
import { PageText } from './page-text.ts'

type Document = Awaited<ReturnType<typeof getDocumentProxy>>
type Content = Awaited<ReturnType<Awaited<ReturnType<Document['getPage']>>['getTextContent']>>
type Item = Extract<Content['items'][number], { str: string }>

const MOST_PAGES = 20_000
/** Limited because recognising a page takes seconds. */
const MOST_RECOGNISED_PAGES = 1_000
/** A gap between lines of more than this many line heights separates paragraphs. */
const PARAGRAPH_GAP = 1.6

/**
 * A PDF: the text of each page, in the order of the file, split into lines and paragraphs. With a recogniser, pages
 * without text get the text that is recognised in their pictures.
 */
export async function readPdf(bytes: Uint8Array, recogniser: LoadRecogniser | null): Promise<Extracted> {
  const document = await openPdf(bytes, recogniser !== null)
  if (document.numPages > MOST_PAGES)
    throw new Unreadable('unsafe_document', `The document has more than ${number(MOST_PAGES)} pages.`)
  const text = new PageText('page')
  let recognised = 0
  for (let number = 1; number <= document.numPages; number++) {
    text.begin()
    const page = await document.getPage(number).catch(error => {
      throw broken((error as Error).message)
    })
    for (const part of linesOf(await page.getTextContent())) text.add(part)
    if (recogniser && text.isPageBlank && recognised < MOST_RECOGNISED_PAGES) {
      recognised++
      for await (const picture of picturesOn(page)) text.addRecognised((await recogniser()).textIn(picture))
    }
    page.cleanup()
  }
  const facts = await document.getMetadata().catch(() => null)
  const info = (facts?.info ?? {}) as Record<string, unknown>
  return {
    kind: 'PDF',
    ...text.end(),
    title: textIn(info.Title),
    author: textIn(info.Author),
    created_at: dateIn(info.CreationDate),
  }
}

async function openPdf(bytes: Uint8Array, withPictures: boolean): Promise<Document> {
  try {
    return await getDocumentProxy(bytes, {
      disableFontFace: true,
      useSystemFonts: false,
      isEvalSupported: false,
      isOffscreenCanvasSupported: false,
      isImageDecoderSupported: false,
      enableXfa: false,
      maxImageSize: withPictures ? MOST_POINTS : 0,
      verbosity: 0,
    } as object)
  } catch (error) {
    const { name, message } = error as Error
    if (name === 'PasswordException') {
      throw new Unreadable(
        'encrypted_document',
        'The PDF is encrypted. Save it without a password and import that.',
      )
    }
    throw broken(message.replace(/\.$/, ''))
  }
}

/** The parts of the text, with line breaks where the next part is on another line. */
function* linesOf({ items }: Content): Generator<string> {
  let last: Item | null = null
  let isAtStart = true
  for (const item of items) {
    if (!('str' in item)) continue
    if (last && item.str !== '') {
      const gap = isAtStart ? gapBetween(last, item) : null
      if (gap !== null && gap > PARAGRAPH_GAP) yield '\n'
    }
    yield item.str
    if (item.str !== '') {
      isAtStart = false
      last = item
    }
    if (item.hasEOL) {
      yield '\n'
      isAtStart = true
    }
  }
}

/** How far the next line is below the previous one, in line heights; null if it is not below it. */
function gapBetween(last: Item, next: Item): number | null {
  const height = Math.max(last.height, next.height)
  const below = (last.transform[5] as number) - (next.transform[5] as number)
  return height > 0 && below > 0 ? below / height : null
}

function textIn(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = value
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, 1_000)
  return text === '' || /^untitled(-\d+)?$/i.test(text) ? null : text
}

/** `D:20240330120000+01'00'`; a date without a zone is read as UTC. */
function dateIn(value: unknown): string | null {
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', zone] =
    /^(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(Z|[+-]\d{2}'?\d{2})?/.exec(
      String(value ?? ''),
    ) ?? []
  if (year === undefined) return null
  const offset = zone === undefined || zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`)
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}
