import { parentPort } from 'node:worker_threads'
import { loadRecogniser, type Recogniser } from '../ocr/recogniser.ts'
import { extract } from './extract.ts'
import { broken, type Extracted, RECOGNISING, type Reason, Unreadable } from './extracted.ts'

export interface Question {
  bytes: Uint8Array
  /** Where text recognition is installed; null to ignore pictures. */
  ocr: string | null
}

export type Answer = { extracted: Extracted | null } | { reason: Reason; message: string }

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
    const { reason, message } = error instanceof Unreadable ? error : broken((error as Error).message)
    return { reason, message }
  }
}

function recogniserIn(folder: string): Promise<Recogniser> {
  parentPort?.postMessage(RECOGNISING)
  const recogniser = recognisers.get(folder) ?? loadRecogniser(folder)
  recognisers.set(folder, recogniser)
  return recogniser
}
