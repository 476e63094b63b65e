import { parentPort } from 'node:worker_threads'
import type { Problem } from '../events.ts'
import { isPictureHead } from '../ocr/picture.ts'
import { type LoadRecogniser, loadRecogniser, type Recogniser, readPicture } from '../ocr/recogniser.ts'
import { type DocumentZip, openDocumentZip } from './document-zip.ts'
import { readEBook } from './e-book.ts'
import { broken, type Extracted, RECOGNISING, Unreadable } from './extracted.ts'
import { readOpenDocument } from './open-document.ts'
import { readPresentation } from './presentation.ts'
import { readRichText } from './rich-text.ts'
import { readWord } from './word.ts'
import { readWorkbook } from './workbook.ts'

export interface Question {
  bytes: Uint8Array
  /** Where text recognition is installed; null to ignore pictures. */
  ocr: string | null
}

export type Answer = { extracted: Extracted | null } | Problem

// Libraries print warnings about broken documents. Real problems are in the answer.
console.log = console.warn = console.info = () => {}
process.on('unhandledRejection', () => {})

const recognisers = new Map<string, Promise<Recogniser>>()

parentPort?.on('message', async (question: Question) => {
  parentPort?.postMessage(await answerTo(question))
})

async function answerTo({ bytes, ocr }: Question): Promise<Answer> {
  try {
    return { extracted: await extract(bytes, ocr === null ? null : () => recogniserIn(ocr)) }
  } catch (error) {
    const { code, message } = error instanceof Unreadable ? error : broken((error as Error).message)
    return { code, message }
  }
}

function recogniserIn(folder: string): Promise<Recogniser> {
  parentPort?.postMessage(RECOGNISING)
  const recogniser = recognisers.get(folder) ?? loadRecogniser(folder)
  recognisers.set(folder, recogniser)
  return recogniser
}

/** The text of a document of any known kind; null for any other file. Only a worker calls this: see extractor.ts. */
async function extract(bytes: Uint8Array, recogniser: LoadRecogniser | null): Promise<Extracted | null> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = buffer.toString('latin1', 0, 1_024)
  if (start.startsWith('{\\rtf')) return readRichText(buffer)
  if (start.startsWith('PK')) return readZip(await openDocumentZip(bytes))
  if (recogniser !== null && isPictureHead(bytes)) return readPicture(bytes, await recogniser())
  if (!start.includes('%PDF-')) return null
  // Loaded on demand, because it is large and most imports contain no PDF.
  const { readPdf } = await import('./pdf.ts')
  return readPdf(bytes, recogniser)
}

function readZip(zip: DocumentZip): Promise<Extracted> | null {
  if (zip.has('word/document.xml')) return readWord(zip)
  if (zip.has('ppt/presentation.xml')) return readPresentation(zip)
  if (zip.paths.some(path => /^xl\/workbook\.(xml|bin)$/.test(path))) return readWorkbook(zip)
  if (zip.has('META-INF/container.xml')) return readEBook(zip)
  if (zip.has('content.xml') && zip.has('META-INF/manifest.xml')) return readOpenDocument(zip)
  return null
}
