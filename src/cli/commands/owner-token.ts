import { Store } from '../../store/store.ts'
import type { Command } from '../command.ts'

export const ownerToken: Command = {
  name: 'owner-token',
  summary: 'Makes a token for you, the owner, and prints it. Earlier ones stay valid.',
  usage: 'footnote owner-token',
  examples: ['TOKEN=$(footnote owner-token)'],
  options: {},
  async run({ config, print }) {
    await using store = await Store.open(config.location)
    print(
      await store.writer.call('createOwnerToken', {
        owner_id: store.owner_id,
        now: new Date().toISOString(),
      }),
    )
  },
}
