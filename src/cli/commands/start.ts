import { listConnections } from '../../api/owner/catalog.ts'
import { createGrant } from '../../api/owner/grants.ts'
import { CLIENT_KINDS } from '../../clients/client-kinds.ts'
import { number } from '../../model/amounts.ts'
import { EXAMPLE } from '../../samples/samples.ts'
import type { Command, Invocation } from '../command.ts'
import { rememberSamples, samplesDecided } from '../import/sample-memory.ts'
import { serveUntilStopped } from '../listening.ts'
import { type OwnServer, ownServer } from '../own-server.ts'
import { firstAnswer } from '../tour/first-answer.ts'
import { firstSignIn, signInText } from './sign-in-link.ts'

/** Clients for which the first run shows a line to paste. */
const SHOWN_CLIENTS = ['claude-code', 'codex']
const SAMPLE_DAYS = 30

export const start: Command = {
  name: 'start',
  usage: 'footnote start [--empty] [--port N] [--host ADDRESS] [--public-url URL]',
  examples: ['footnote start', 'footnote start --empty --data-dir ./data'],
  serves: true,
  async run(invocation) {
    const { values, print, paint } = invocation
    await serveUntilStopped(invocation, async (server, _, stop) => {
      print(`${paint.bold('Footnote')} runs at ${server.publicUrl}`)
      print(`MCP for assistants: ${server.publicUrl}/mcp`)
      await greet(invocation, ownServer(server), values.empty === true, stop).catch(error => {
        if (!stop.aborted) throw error
      })
    })
  },
}

async function greet(
  invocation: Invocation,
  own: OwnServer,
  empty: boolean,
  stop: AbortSignal,
): Promise<void> {
  const { config, print, paint, spelled } = invocation
  const { directory } = config.location
  stop.throwIfAborted()
  const { data: connections } = (await own.get(listConnections, {})).body
  const link = await firstSignIn(own)
  if (connections.length === 0 && !empty && !samplesDecided(directory)) {
    await bringSamples(invocation, own, stop)
    rememberSamples(directory, 'imported')
    stop.throwIfAborted()
    await showAnswer(invocation, own, link)
  } else {
    if (!samplesDecided(directory)) rememberSamples(directory, 'declined')
    if (link) print(signInText(link))
    print(`Connect an assistant: ${paint.bold(spelled('footnote connect claude-code'))}`)
  }
  print(`Your own data: ${paint.bold(spelled('footnote import PATH'))}`)
  print(paint.dim('Ctrl+C stops the server.'))
}

async function bringSamples({ print, paint }: Invocation, own: OwnServer, stop: AbortSignal): Promise<void> {
  print('')
  print(paint.bold('Sample data, because there is none of yours yet:'))
  // Loaded when needed, because it is needed once, and the importers come with it.
  const { importSamples } = await import('../import/import-samples.ts')
  await importSamples(own, stop, ({ name, format, records }) =>
    print(
      `  ${name.padEnd(27)} ${format.padEnd(9)} ${number(records).padStart(5)} ${records === 1 ? 'record' : 'records'}`,
    ),
  )
  const expires_at = new Date(Date.now() + SAMPLE_DAYS * 86_400_000).toISOString()
  print('')
  print(paint.bold(`Paste one of these to connect an assistant to it, for ${SAMPLE_DAYS} days:`))
  for (const kind of CLIENT_KINDS.filter(({ key }) => SHOWN_CLIENTS.includes(key))) {
    const { access_token } = await own.call(
      createGrant,
      {},
      { json: { client_name: kind.label, expires_at } },
    )
    const line = kind.command?.('footnote', `${own.publicUrl}/mcp`, `Bearer ${access_token}`)
    if (line) print(`  ${line}`)
  }
}

async function showAnswer({ print, paint }: Invocation, own: OwnServer, link: string | null): Promise<void> {
  const answer = await firstAnswer(own, EXAMPLE.query)
  if (!answer) return
  print('')
  print(paint.bold('A first answer, as an assistant finds it:'))
  print(`  question  ${EXAMPLE.question}`)
  print(`  search    ${answer.query}`)
  print(`  evidence  ${answer.id}`)
  print(
    `            ${answer.field_path}, characters ${answer.start_chars}-${answer.end_chars} of ${answer.size_chars}`,
  )
  print(`            ${answer.before}${paint.match(answer.match)}${answer.after}`)
  print(`  window    ${answer.call}`)
  print(`            ${answer.window}`)
  print(`  citation  ${answer.url}`)
  if (link) {
    const back = new URL(answer.url)
    const target = encodeURIComponent(back.pathname + back.search)
    print(`            to open it, sign in once: ${link}&return_to=${target}`)
  }
  print('')
}
