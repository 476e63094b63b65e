import { parseArgs } from 'node:util'
import { type Command, optionsIn } from './command.ts'
import { SETTINGS, type Setting } from './settings.ts'
import { nearestTo } from './terminal/edit-distance.ts'
import { UsageError } from './terminal/exit-errors.ts'

/** The settings that a command accepts. */
export function settingsOf(command: Command): Setting[] {
  const all: readonly Setting[] = SETTINGS
  return all.filter(({ common, links }) => common || command.serves || (links && command.links))
}

/** The flags and arguments of a command. */
export function parse(command: Command, args: string[]) {
  const settings = settingsOf(command).map(({ name }) => [name, { type: 'string' }] as const)
  const options = {
    ...Object.fromEntries(settings),
    help: { type: 'boolean', short: 'h' },
    ...optionsIn(command.usage),
  } as const
  try {
    const joined = withNegatives(args, options)
    const { values, positionals } = parseArgs({ args: joined, allowPositionals: true, options })
    return { values: values as Record<string, unknown>, positionals }
  } catch (error) {
    const [said = ''] = (error as Error).message.split(/\. |\n/)
    const valueless = /^Option '(?:-\w, )?(--[\w-]+)(?: <value>)?' argument /.exec(said)?.[1]
    const message = valueless === undefined ? said : `${valueless} needs a value`
    const unknown = /^Unknown option '--(.+)'$/.exec(message)?.[1]
    if (/^Unknown option '-\w'$/.test(message) && command.usage.includes('QUERY…'))
      throw new UsageError(`${message}.`, `footnote ${command.name} "WORDS -WORD", in quotation marks`)
    const meant = unknown === undefined ? [] : meantBy(unknown, Object.keys(options)).map(flag => `--${flag}`)
    const question = meant.length === 0 ? '' : ` Did you mean ${meant.join(' or ')}?`
    const argument = unknown?.toUpperCase() ?? ''
    const [before = ''] = command.usage.split('--')
    if (before.match(/[A-Z_]+/g)?.includes(argument))
      throw new UsageError(
        `${message}. Give ${argument} without a flag.`,
        before.replace(/[[\]]/g, '').trim(),
      )
    throw new UsageError(`${message}.${question}`, `footnote ${command.name} --help`)
  }
}

/** The flags that begin with what was typed, or else those that are spelled almost like it. */
function meantBy(typed: string, flags: readonly string[]): string[] {
  const begun = flags.filter(flag => flag.startsWith(`${typed}-`))
  return begun.length > 0 ? begun : nearestTo(typed, flags)
}

/** `--since -30d` as `--since=-30d`: a value may begin with a dash and a digit, and no flag does. */
function withNegatives(
  args: readonly string[],
  options: Readonly<Record<string, { type?: string }>>,
): string[] {
  const joined: string[] = []
  for (const arg of args) {
    const flag = joined.at(-1) ?? ''
    if (/^-\d/.test(arg) && options[flag.replace(/^--/, '')]?.type === 'string' && flag.startsWith('--'))
      joined[joined.length - 1] = `${flag}=${arg}`
    else joined.push(arg)
  }
  return joined
}
