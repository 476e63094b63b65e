import type { Invocation } from '../command.ts'
import { ExitError, UsageError } from './exit-errors.ts'

export type Asked = Pick<Invocation, 'values' | 'isTerminal' | 'input' | 'write'>

interface Question {
  question: string
  /** What to print if the answer is not yes. */
  refused: string
  /** The command that does not ask. */
  withYes: string
}

/** Asks the person at the terminal; if nobody can be asked, `--yes` is required. */
export async function confirm(
  { values, isTerminal, input, write }: Asked,
  { question, refused, withYes }: Question,
): Promise<void> {
  if (values.yes) return
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
