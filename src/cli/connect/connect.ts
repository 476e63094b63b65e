import { CLIENT_KINDS, CLIENTS_BY_HAND, type ClientByHand } from '../../clients/client-kinds.ts'
import { originFor } from '../../origin/address.ts'
import { type Command, type Invocation, onlyOne, optionsIn, text } from '../command.ts'
import { NARROWING_FLAGS } from '../commands/grants.ts'
import { UsageError } from '../terminal/exit-errors.ts'
import { readClientFile } from './client-file.ts'
import { type ClientSetup, setUpClient, showSetup } from './client-setup.ts'

const KEYS = [...CLIENT_KINDS, ...CLIENTS_BY_HAND].map(({ key }) => key)

export const connect: Command = {
  name: 'connect',
  usage:
    `footnote connect ${KEYS.join(' | ')}\n` +
    '                        [--write] [--stdio [--cache-root DIR]] [--token] [--name NAME] [--json]\n' +
    '       with --stdio or --token, also [--connection ID]… [--stream S]… [--fields a,b] [--since T] [--until T]\n' +
    '                        [--expires T]',
  examples: [
    'footnote connect claude-code --write',
    'footnote connect claude-desktop --write',
    'footnote connect codex --token --stream emails --since 2026-01-01',
    'footnote connect vscode --stdio --json',
    'footnote connect chatgpt --public-url https://footnote.example.org',
  ],
  links: true,
  async run(invocation) {
    const { config, values, positionals } = invocation
    const key = onlyOne(positionals, `a client (${KEYS.join(', ')})`, `footnote connect ${KEYS[0]}`)
    const byHand = CLIENTS_BY_HAND.find(candidate => candidate.key === key)
    if (byHand) return showSteps(invocation, byHand)
    const kind = CLIENT_KINDS.find(candidate => candidate.key === key)
    if (!kind)
      throw new UsageError(
        `Unknown client "${key}". Known: ${KEYS.join(', ')}.`,
        `footnote connect ${KEYS[0]}`,
      )
    const name = text(values, 'name') ?? 'footnote'
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
      throw new UsageError('--name may contain only letters, digits, - and _.', '--name footnote')
    const stdio = values.stdio === true || kind.http === undefined
    assertFlags(values, stdio, key)
    const file = await readClientFile(kind, kind.file(config.folders), name)
    const client_name = name === 'footnote' ? kind.label : `${kind.label} (${name})`
    const task: ClientSetup = {
      invocation,
      kind,
      name,
      client_name,
      stdio,
      file,
      before: /fnc_[A-Za-z0-9_-]+/.exec(file.entry ?? '')?.[0] ?? '',
    }
    await (values.write ? setUpClient(task) : showSetup(task))
  },
}

function assertFlags(values: Invocation['values'], stdio: boolean, key: string): void {
  const narrowing = NARROWING_FLAGS.find(name => values[name] !== undefined)
  if (narrowing && !stdio && !values.token) {
    throw new UsageError(
      `--${narrowing} narrows a token, and this client gets none: you decide in the browser what it may read.`,
      `footnote connect ${key} --token --${narrowing} …, or --stdio`,
    )
  }
  if (values['cache-root'] !== undefined && (!stdio || values.token))
    throw new UsageError(
      '--cache-root needs --stdio and cannot be combined with --token.',
      `footnote connect ${key} --stdio`,
    )
}

function showSteps({ config, values, print, spelled }: Invocation, client: ClientByHand): void {
  const other = Object.keys(values).find(name => name in optionsIn(connect.usage) && name !== 'json')
  if (other) {
    throw new UsageError(
      `${client.label} is set up on its own pages: there is no file to write and nowhere to put a token, so --${other} does not apply.`,
      `footnote connect ${client.key}`,
    )
  }
  const origin = originFor(config)
  const steps = client.connectorSteps(origin).map(spelled)
  if (values.json) print(JSON.stringify({ client: client.key, url: `${origin}/mcp`, steps }))
  else for (const [index, step] of steps.entries()) print(`${index + 1}. ${step}`)
}
