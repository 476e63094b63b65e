import { packageVersion } from '../../origin/package-version.ts'
import type { Command } from '../command.ts'

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
