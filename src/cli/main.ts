import { CodedError } from '../model/errors.ts'
import { parse, settingsOf } from './arguments.ts'
import { acceptsOnlyFlags, type Command } from './command.ts'
import { findCommand, resembling, summariesUnder } from './commands.ts'
import { type Config, readConfig, readSurroundings } from './config.ts'
import { folded, helpOf, listing, overview } from './help.ts'
import { adviceOn, exitCodeOf, failureOf } from './terminal/advice.ts'
import { nearestTo } from './terminal/edit-distance.ts'
import { EXIT_FAILURE, ExitError, UsageError } from './terminal/exit-errors.ts'
import { commandSpelling, withSpelling } from './terminal/spelling.ts'
import { inert, PROCESS_TERMINAL, paintFor, type Terminal } from './terminal/terminal.ts'

const HELP = ['help', '--help', '-h']
/** The settings that say which data a command works on. */
const PLACE = ['--config', '--data-dir', '--database-url']

/** Runs a command. stdout carries only its result; the exit code says how it went. */
export async function main(argv: string[]): Promise<void> {
  process.stdout.on('error', unlessNobodyReads)
  // A log that cannot be written, because its disk is full, does not end a server.
  process.stderr.on('error', () => {})
  const command = commandSpelling(readSurroundings())
  const code = await runCommand(argv, { ...PROCESS_TERMINAL, command })
  if (code !== 0) process.exitCode = code
}

/** The reader of the output may close it, as `head` does; the command then still runs to its end. */
function unlessNobodyReads(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

/** Runs a command on a terminal and returns its exit code. */
export async function runCommand(
  argv: string[],
  terminal: Terminal,
  env?: NodeJS.ProcessEnv,
): Promise<number> {
  const words = commandFirst(argv)
  const place = placeIn(words)
  const spelled = (text: string) => withSpelling(text, terminal.command, place)
  try {
    assertNode()
    await run(words, terminal, spelled, env)
    return 0
  } catch (error) {
    const { message, hint, exitCode } = explain(error, await findCommand(words))
    const advice = spelled(hint)
    terminal.err(inert(`Error: ${message}\n${advice ? `Try: ${advice}\n` : ''}`))
    return exitCode
  }
}

/**
 * Which data is meant can be named before the command, as in the commands that pages and messages show. Without a
 * command it means nothing.
 */
function commandFirst(argv: string[]): string[] {
  let named = 0
  while (PLACE.includes(argv[named] ?? '') && argv[named + 1] !== undefined) named += 2
  const rest = argv.slice(named)
  if (rest[0] === undefined || rest[0].startsWith('-')) return rest
  const end = rest.findIndex(word => word.startsWith('-'))
  return rest.toSpliced(end === -1 ? rest.length : end, 0, ...argv.slice(0, named))
}

/** The flags that say which data is meant, as they were typed; a password of a database is not repeated. */
function placeIn(words: readonly string[]): string[] {
  return PLACE.flatMap(flag => {
    const at = words.findIndex(word => word === flag || word.startsWith(`${flag}=`))
    const value = words[at] === flag ? words[at + 1] : words[at]?.slice(flag.length + 1)
    return value ? [flag, value.replace(/^(postgres(?:ql)?:\/\/[^/@]*:)[^/]*@/i, '$1PASSWORD@')] : []
  })
}

async function run(
  argv: string[],
  terminal: Terminal,
  spelled: (text: string) => string,
  env: NodeJS.ProcessEnv | undefined,
): Promise<void> {
  const inHelp = (text: string) => {
    const help = withSpelling(text, terminal.command)
    return terminal.isTerminal ? folded(help, terminal.columns) : help
  }
  const asksForHelp = argv.length === 0 || HELP.includes(argv[0] ?? '')
  const named = asksForHelp ? argv.slice(1) : argv[0] === '--version' ? ['version'] : argv
  const command = await findCommand(named)
  const [word] = named
  if (!command && word !== undefined) {
    const asked = asksForHelp || named.some(each => HELP.includes(each))
    const group = summariesUnder(word)
    if (group.length === 0 || !asked) throw unknownCommand(named)
    terminal.out(inHelp(listing(group)))
    return
  }
  if (!command || asksForHelp) {
    terminal.out(inHelp(command ? helpOf(command) : overview()))
    return
  }
  const words = command.name.split(' ').length
  const { values, positionals } = parse(command, named.slice(words))
  if (acceptsOnlyFlags(command) && positionals.length > 0 && !values.help)
    throw new UsageError(`Unknown argument: ${positionals[0]}.`, `footnote ${command.name} --help`)
  if (values.help) {
    terminal.out(inHelp(helpOf(command)))
    return
  }
  const settings = settingsOf(command).filter(setting => values[setting.name] !== undefined)
  const config = await configFor(
    command,
    Object.fromEntries(settings.map(({ name }) => [name, values[name]])),
    env,
  )
  for (const [variable, meant] of config.mistyped)
    terminal.err(`${variable} is not a setting and is ignored. Did you mean ${meant}?\n`)
  const { isTerminal, columns } = terminal
  await command.run({
    config,
    values,
    positionals,
    print: line => terminal.out(`${line}\n`),
    note: line => terminal.err(`${line}\n`),
    write: text => terminal.out(text),
    input: terminal.input,
    paint: paintFor(isTerminal && config.colours),
    command: terminal.command,
    spelled,
    isTerminal,
    columns,
  })
}

/** Links point to the server that runs on the data, whatever its port, unless a flag says otherwise. */
async function configFor(
  command: Command,
  flags: Record<string, unknown>,
  env?: NodeJS.ProcessEnv,
): Promise<Config> {
  const config = readConfig(flags, env)
  if (!command.links || flags.port !== undefined || flags['public-url'] !== undefined) return config
  const { runningServer } = await import('../origin/running-server.ts')
  const running = await runningServer(config.location.directory)
  return running ? { ...config, publicUrl: running.public_url } : config
}

function unknownCommand([word = '', next]: readonly string[]): UsageError {
  const group = summariesUnder(word).map(([name]) => name)
  const isNamed = group.length > 0 && next !== undefined && !next.startsWith('-')
  const named = isNamed ? `${word} ${next}` : word
  const near = isNamed ? nearestTo(named, group) : []
  const meant = (near.length > 0 ? near : resembling(word)).join(' or ')
  const question = meant === '' ? '' : ` Did you mean ${meant}?`
  const help = group.length > 0 ? `footnote ${word} --help` : 'footnote --help'
  return new UsageError(`Unknown command "${named}".${question}`, help)
}

function explain(error: unknown, command?: Command): { message: string; hint: string; exitCode: number } {
  if (error instanceof ExitError) return error
  if (!(error instanceof Error)) return { message: String(error), hint: '', exitCode: EXIT_FAILURE }
  if (error instanceof CodedError) {
    const help = command ? `footnote ${command.name} --help` : 'footnote --help'
    const [message, hint] = failureOf(error) ?? [error.message, adviceOn(error, help)]
    return { message, hint, exitCode: exitCodeOf(error) }
  }
  const { message, code } = error as NodeJS.ErrnoException
  const [sentence, hint] = failureOf(error) ?? [message || String(code), '']
  return { message: sentence, hint, exitCode: EXIT_FAILURE }
}

function assertNode(): void {
  const major = Number(process.versions.node.split('.')[0])
  if (major < 24)
    throw new UsageError(
      `Footnote needs Node 24 (this is ${process.version}).`,
      'node bin/footnote.js …, which starts the Node that npm ci brought',
    )
}

if (import.meta.main) await main(process.argv.slice(2))
