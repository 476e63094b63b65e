import { readFileSync } from 'node:fs'
import type { Command } from '../command.ts'

export function packageVersion(): string {
  const manifest = new URL('../../../package.json', import.meta.url)
  return JSON.parse(readFileSync(manifest, 'utf8')).version
}

export const version: Command = {
  name: 'version',
  summary: 'Prints the version.',
  usage: 'footnote version',
  examples: ['footnote version'],
  options: {},
  async run({ print }) {
    print(packageVersion())
  },
}
