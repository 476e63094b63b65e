import { createOwnerToken } from '../../api/owner-tokens.ts'
import type { Command } from '../command.ts'
import { openOwnServer } from '../own-server.ts'

export const ownerToken: Command = {
  name: 'owner-token',
  summary: 'Makes a token for you, the owner, and prints it. Earlier ones stay valid.',
  usage: 'footnote owner-token',
  examples: ['TOKEN=$(footnote owner-token)'],
  options: {},
  async run({ config, print }) {
    await using server = await openOwnServer(config)
    print((await server.call(createOwnerToken, {})).token)
  },
}
