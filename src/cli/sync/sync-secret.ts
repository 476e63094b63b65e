import { readFile } from 'node:fs/promises'
import { oauthSecret, type Secret } from '../../sync/login.ts'
import { type Invocation, text } from '../command.ts'
import { ExitError, UsageError } from '../terminal/exit-errors.ts'

const HINT = 'footnote sync add ADDRESS --password-file FILE'

/**
 * The password or token, from a file, the environment or the keyboard; never from the command line, which other users
 * can see.
 */
export async function secretOf({ config, values }: Invocation, user: string): Promise<Secret> {
  const oauth = text(values, 'oauth-file')
  if (oauth !== undefined) {
    const secret = oauthSecret(await fileText(oauth))
    if (secret) return secret
    throw new UsageError(
      `${oauth} is not a JSON object with token_url (https), client_id, refresh_token and perhaps client_secret.`,
      'footnote sync add ADDRESS --oauth-file FILE',
    )
  }
  const file = text(values, 'password-file')
  const given = file === undefined ? config.syncPassword : (await fileText(file)).replace(/\r?\n$/, '')
  const password = given ?? (await hiddenLine(`Password of ${user}: `, HINT))
  if (password === '') throw new UsageError('The password is empty.', HINT)
  return { kind: 'password', password }
}

function fileText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read: ${error.code ?? error.message}.`, HINT)
  })
}

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
