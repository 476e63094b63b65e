import { ExitError, UsageError } from './exit-errors.ts'

const ENTER = ['\r', '\n', '\u0004']
const ERASE = ['\u007f', '\b']
const INTERRUPT = '\u0003'

export interface Keyboard {
  stdin: Pick<NodeJS.ReadStream, 'isTTY' | 'setRawMode' | 'pause' | 'iterator'>
  stderr: Pick<NodeJS.WriteStream, 'write'>
}

/** Reads a line from the terminal without echoing it; if nobody can be asked, `hint` says what to do. */
export async function hiddenLine(
  question: string,
  hint: string,
  { stdin, stderr }: Keyboard = process,
): Promise<string> {
  if (!stdin.isTTY) throw new UsageError('There is no terminal to type a password in.', hint)
  stderr.write(question)
  stdin.setRawMode(true)
  let typed = ''
  try {
    for await (const chunk of stdin.iterator({ destroyOnReturn: false }))
      for (const character of String(chunk)) {
        if (ENTER.includes(character)) return typed
        if (character === INTERRUPT) throw new ExitError('Nothing was added.', hint, 130)
        typed = ERASE.includes(character) ? typed.slice(0, -1) : typed + character
      }
    return typed
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    stderr.write('\n')
  }
}
