import { readFileSync } from 'node:fs'
import type { Command } from './command.ts'

export const version: Command = {
  name: 'version',
  summary: 'Prints the version.',
  usage: 'footnote version',
  examples: ['footnote version'],
  options: {},
  async run({ print }) {
    const manifest = new URL('../../package.json', import.meta.url)
    print(JSON.parse(readFileSync(manifest, 'utf8')).version)
  },
}
