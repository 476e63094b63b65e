import { packageVersion } from '../../origin/package-version.ts'
import type { Command } from '../command.ts'
import { serveUntilStopped } from '../listening.ts'
import { ownServer } from '../own-server.ts'
import { firstSignIn, signInText } from './sign-in-link.ts'

export const serve: Command = {
  name: 'serve',
  usage: 'footnote serve [--port N] [--host ADDRESS] [--public-url URL]',
  examples: ['footnote serve', 'footnote serve --port 8080 --data-dir ./data'],
  serves: true,
  async run(invocation) {
    const { config, note } = invocation
    await serveUntilStopped(invocation, async (server, log) => {
      const { engine } = config.location
      const started = { url: server.publicUrl, engine, version: packageVersion() }
      log.event(`Footnote serves ${server.publicUrl} (${engine})`, 'started', started)
      // A log is stored and passed on, so it never contains a link.
      const link = config.log === 'text' ? await firstSignIn(ownServer(server)) : null
      if (link) note(signInText(link))
    })
  },
}
