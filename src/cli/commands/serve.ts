import type { Command } from '../command.ts'
import { startListening } from '../listening.ts'
import { ownServer } from '../own-server.ts'
import { stopped, stopSignal } from '../terminal/stop-signal.ts'
import { firstSignIn } from './sign-in-link.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'Serves the data; never imports anything by itself.',
  usage: 'footnote serve [--port N] [--host ADDRESS] [--public-url URL]',
  examples: ['footnote serve', 'footnote serve --port 8080 --data-dir ./data'],
  options: {},
  serves: true,
  async run({ config, note }) {
    const stop = stopSignal(config.starter)
    if (stop.aborted) return
    await using server = await startListening(config)
    note(`Footnote serves ${server.publicUrl} (${config.location.engine})`)
    const link = await firstSignIn(ownServer(server))
    if (link) note(`Sign in, once, within half an hour: ${link}`)
    await stopped(stop)
    note('Stopping.')
  },
}
