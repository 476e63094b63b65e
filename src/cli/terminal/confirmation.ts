import type { Invocation } from '../command.ts'
import { ExitError, UsageError } from './exit-errors.ts'

/** What to ask, and what to print if the answer is not yes. */
const QUESTIONS = {
  remove: ['Remove it?', 'Nothing was removed'],
  install: ['Install it?', 'Nothing was installed'],
} as const

/** Asks the person at the terminal; if nobody can be asked, `--yes` is required. `withYes` is the command that has it. */
export async function confirm(
  { values, isTerminal, input, write }: Pick<Invocation, 'values' | 'isTerminal' | 'input' | 'write'>,
  deed: keyof typeof QUESTIONS,
  withYes: string,
): Promise<void> {
  if (values.yes) return
  const [question, refused] = QUESTIONS[deed]
  if (!isTerminal || values.json) throw new UsageError(`${refused}: --yes is missing.`, withYes)
  write(`${question} Type yes: `)
  if ((await firstLine(input())).trim().toLowerCase() !== 'yes')
    throw new ExitError(`${refused}.`, withYes, 1)
}

async function firstLine(input: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of input) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('\n')) break
  }
  return text.split('\n')[0] ?? ''
}
