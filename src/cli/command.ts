import type { ParseArgsConfig } from 'node:util'
import { localTime, type TimeZone } from '../model/time.ts'
import { type Bounds, boundsNotes, sinceInstant, untilInstant } from '../model/time-bounds.ts'
import type { Config } from './config.ts'
import { UsageError } from './terminal/exit-errors.ts'
import type { Paint } from './terminal/terminal.ts'

export interface Invocation {
  config: Config
  values: Readonly<Record<string, unknown>>
  positionals: readonly string[]
  /** Writes a line of the result. Everything else is written with `note`. */
  print(line: string): void
  note(line: string): void
  /** Writes a part of the result unchanged. */
  write(text: string): void
  /** The input sent to the command. */
  input(): AsyncIterable<Uint8Array>
  paint: Paint
  /** How a person types `footnote`. */
  command: string
  /** A text in which `footnote …` is written the way a person has to type it, for the data folder of this command. */
  spelled(text: string): string
  /** Whether a person is looking. If so, the text of records is made harmless; otherwise it is passed on unchanged. */
  isTerminal: boolean
  columns: number
}

export interface Command {
  name: string
  /** How the command is typed. The first paragraph names every flag and argument: see `optionsIn`. */
  usage: string
  examples: readonly string[]
  /** Accepts the settings of a server in addition to those that every command accepts. */
  serves?: boolean
  /** Shows URLs of the server, so it accepts the settings that these depend on. */
  links?: boolean
  run(invocation: Invocation): Promise<void>
}

/**
 * The flags that a usage line names: `[--json]` is either given or not, `[--limit N]` has a value, and
 * `[--person NAME]…` may be repeated.
 */
export function optionsIn(usage: string): NonNullable<ParseArgsConfig['options']> {
  const options: ParseArgsConfig['options'] = {}
  const [lines = ''] = usage.split('\n\n')
  for (const [, name = '', value, more] of lines.matchAll(/--([a-z-]+)( [^\s\]|[-][^\s\]]*)?(\]…)?/g))
    options[name] ??= { type: value ? 'string' : 'boolean', multiple: more !== undefined }
  return options
}

/** Whether a usage line names nothing but flags. */
export function acceptsOnlyFlags({ name, usage }: Command): boolean {
  const [lines = ''] = usage.split('\n\n')
  return (
    lines
      .replace(`footnote ${name}`, '')
      .replace(/\[?--[^[\]]*(?:\]…?)?/g, '')
      .trim() === ''
  )
}

export function text(values: Invocation['values'], name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

export function texts(values: Invocation['values'], name: string): string[] | undefined {
  const value = values[name]
  return Array.isArray(value) ? value.map(String) : undefined
}

/** The parts of a list that is written with commas. */
export function commaList(values: Invocation['values'], name: string): string[] | undefined {
  return text(values, name)
    ?.split(',')
    .map(part => part.trim())
}

/** Says how to get the next page of a list. */
export function noteMore({ note, paint }: Pick<Invocation, 'note' | 'paint'>, next_cursor?: string): void {
  if (next_cursor) note(paint.dim(`More results: repeat the command with --cursor ${next_cursor}`))
}

/** The only positional argument that a command accepts. */
export function onlyOne(positionals: readonly string[], what: string, hint: string): string {
  const [one, ...rest] = positionals
  if (one !== undefined && one !== '' && rest.length === 0) return one
  throw new UsageError(`Expected exactly one argument: ${what}.`, hint)
}

/** The only positional argument that a command accepts, if there is one. */
export function atMostOne(positionals: readonly string[], what: string, hint: string): string | undefined {
  const [one, ...rest] = positionals
  if (rest.length === 0) return one
  throw new UsageError(`Only one ${what} can be named.`, hint)
}

/** `--since` and `--until` as instants. Days are in the owner's zone. */
export function boundsOf(values: Invocation['values'], zone: TimeZone): Bounds {
  const calendar = { zone, now: new Date() }
  const [since, until] = [text(values, 'since'), text(values, 'until')]
  return {
    ...(since === undefined ? {} : { since: sinceInstant(since, calendar) }),
    ...(until === undefined ? {} : { until: untilInstant(until, calendar) }),
  }
}

/** Says how a time was interpreted. */
export function noteBounds(
  { note, paint }: Pick<Invocation, 'note' | 'paint'>,
  bounds: Parameters<typeof boundsNotes>[0],
  zone: TimeZone,
): void {
  for (const line of boundsNotes(bounds, zone)) note(paint.dim(line))
}

/** A time in the owner's local time. */
export function shownTime(time: string, zone: TimeZone): string {
  return localTime(time, zone) ?? time
}
