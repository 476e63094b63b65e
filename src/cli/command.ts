import type { ParseArgsConfig } from 'node:util'
import type { Config } from './config.ts'
import { UsageError } from './terminal/exit-errors.ts'
import type { Paint } from './terminal/terminal.ts'

export interface Invocation {
  config: Config
  values: Readonly<Record<string, unknown>>
  positionals: readonly string[]
  /** Writes a line of the result. Everything else goes to `note`. */
  print(line: string): void
  note(line: string): void
  /** Writes a part of the result as it is. */
  write(text: string): void
  /** What is sent to the command. */
  input(): AsyncIterable<Uint8Array>
  paint: Paint
  /** A text in which `footnote …` is written as a person has to type it. */
  spelled(text: string): string
  /** Whether a person is looking: then the text of records is made harmless, else it is passed on as it is. */
  isTerminal: boolean
  columns: number
}

export interface Command {
  name: string
  usage: string
  examples: readonly string[]
  options: NonNullable<ParseArgsConfig['options']>
  /** Takes the settings of a server besides those that every command takes. */
  serves?: boolean
  /** Shows addresses of the server, so it takes the settings that these are made of. */
  links?: boolean
  run(invocation: Invocation): Promise<void>
}

export function text(values: Invocation['values'], name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

export function texts(values: Invocation['values'], name: string): string[] | undefined {
  const value = values[name]
  return Array.isArray(value) ? value.map(String) : undefined
}

/** Says how to get the next page of a list. */
export function noteMore({ note, paint }: Pick<Invocation, 'note' | 'paint'>, next_cursor?: string): void {
  if (next_cursor) note(paint.dim(`More results: repeat the command with --cursor ${next_cursor}`))
}

/** The only positional that a command takes. */
export function onlyOne(positionals: readonly string[], what: string, hint: string): string {
  const [one, ...rest] = positionals
  if (one !== undefined && one !== '' && rest.length === 0) return one
  throw new UsageError(`Expected exactly one argument: ${what}.`, hint)
}
