import { packageVersion } from '../../origin/package-version.ts'
import type { Command } from '../command.ts'

export const version: Command = {
  name: 'version',
  usage: 'footnote version [--json]',
  examples: ['footnote version'],
  async run({ values, print }) {
    const version = packageVersion()
    print(values.json ? JSON.stringify({ version }) : version)
  },
}
