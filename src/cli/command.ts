import type { ParseArgsConfig } from 'node:util'
import type { Config } from './config.ts'

export interface Invocation {
  config: Config
  values: Readonly<Record<string, unknown>>
  positionals: readonly string[]
  /** Writes a line of the result. Everything else goes to `note`. */
  print(line: string): void
  note(line: string): void
}

export interface Command {
  name: string
  summary: string
  usage: string
  examples: readonly string[]
  options: NonNullable<ParseArgsConfig['options']>
  /** Takes the settings of a server besides those that every command takes. */
  serves?: boolean
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
