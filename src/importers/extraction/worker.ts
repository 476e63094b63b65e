import { parentPort } from 'node:worker_threads'
import { extract } from './extract.ts'
import { broken, type Extracted, Unreadable, type UnreadableCode } from './extracted.ts'

export type Answer = { extracted: Extracted | null } | { code: UnreadableCode; message: string }

// Libraries warn about broken documents; what matters is in the answer.
console.log = console.warn = console.info = () => {}
process.on('unhandledRejection', () => {})

parentPort?.on('message', async (bytes: Uint8Array) => {
  parentPort?.postMessage(await answerTo(bytes))
})

async function answerTo(bytes: Uint8Array): Promise<Answer> {
  try {
    return { extracted: await extract(bytes) }
  } catch (error) {
    const { code, message } = error instanceof Unreadable ? error : broken((error as Error).message)
    return { code, message }
  }
}
