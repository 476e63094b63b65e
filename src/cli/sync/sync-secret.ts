import { readFile } from 'node:fs/promises'
import { oauthSecret, type Secret } from '../../sync/login.ts'
import { type Invocation, text } from '../command.ts'
import { UsageError } from '../terminal/exit-errors.ts'
import { hiddenLine } from '../terminal/hidden-line.ts'

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
