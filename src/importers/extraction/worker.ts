import { parentPort } from 'node:worker_threads'
import { loadRecogniser, type Recogniser } from '../ocr/recogniser.ts'
import { extract } from './extract.ts'
import { broken, type Extracted, RECOGNISING, Unreadable, type UnreadableCode } from './extracted.ts'

export interface Question {
  bytes: Uint8Array
  /** Where text recognition is installed; null to ignore pictures. */
  ocr: string | null
}

export type Answer = { extracted: Extracted | null } | { code: UnreadableCode; message: string }

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
