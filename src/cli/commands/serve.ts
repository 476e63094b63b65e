import { packageVersion } from '../../origin/package-version.ts'
import type { Command } from '../command.ts'
import { keepImported } from '../import/keep-imported.ts'
import { startListening } from '../listening.ts'
import { logIn } from '../log.ts'
import { ownServer } from '../own-server.ts'
import { stopped, stopSignal } from '../terminal/stop-signal.ts'
import { firstSignIn } from './sign-in-link.ts'

export const serve: Command = {
  name: 'serve',
  isBare: true,
  usage: 'footnote serve [--port N] [--host ADDRESS] [--public-url URL]',
  examples: ['footnote serve', 'footnote serve --port 8080 --data-dir ./data'],
  options: {},
  serves: true,
  async run({ config, note }) {
    const log = logIn(config.log, line => note(line.trimEnd()))
    const stop = stopSignal(config.starter)
    if (stop.aborted) return
    await using server = await startListening(config, log)
    const { engine } = config.location
    const started = { url: server.publicUrl, engine, version: packageVersion() }
    log.event(`Footnote serves ${server.publicUrl} (${engine})`, 'started', started)
    // A log is stored and passed on, so it never contains a link.
    const link = config.log === 'text' ? await firstSignIn(ownServer(server)) : null
    if (link) note(`Sign in (the link works once, for half an hour): ${link}`)
    const keeping = keepImported(config.location.directory, ownServer(server), log, stop)
    await stopped(stop)
    log.event('Stopping.', 'stopping')
    await keeping
  },
}
