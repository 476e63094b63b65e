import { signInUrl } from '../../authorization-server/owner/sign-in.ts'
import { type RunningServer, startServer } from '../../origin/server.ts'
import { hasSignedIn } from '../../store/access/sign-in.ts'
import type { Command } from '../command.ts'
import { logError } from '../log.ts'
import { untilStopped } from '../terminal/until-stopped.ts'

/** The link of the first run: for an owner who has no passphrase and is signed in nowhere. */
export async function firstSignIn({ store }: RunningServer): Promise<string | null> {
  const { owner_id } = store
  const now = new Date().toISOString()
  if (await hasSignedIn(store.database, { owner_id, now })) return null
  return store.writer.call('createSignInLink', { owner_id, now })
}

export const serve: Command = {
  name: 'serve',
  summary: 'Serves the data; never imports anything by itself.',
  usage: 'footnote serve [--port N] [--host ADDRESS] [--public-url URL]',
  examples: ['footnote serve', 'footnote serve --port 8080 --data-dir ./data'],
  options: {},
  serves: true,
  async run({ config, note }) {
    await using server = await startServer(config, { report: logError })
    note(`Footnote serves ${server.publicUrl} (${config.location.engine})`)
    const link = await firstSignIn(server)
    if (link) note(`Sign in, once, within half an hour: ${signInUrl(server.publicUrl, link)}`)
    await untilStopped(config.startedByNpm)
    note('Stopping.')
  },
}
