import { signInUrl } from '../../authorization-server/owner/sign-in.ts'
import { originFor } from '../../origin/address.ts'
import { Store } from '../../store/store.ts'
import type { Command } from '../command.ts'

export const signInLink: Command = {
  name: 'sign-in-link',
  summary: 'Prints a link that signs a browser in as the owner, once.',
  usage: 'footnote sign-in-link [--port N] [--public-url URL]',
  examples: ['footnote sign-in-link'],
  options: {},
  serves: true,
  async run({ config, print }) {
    await using store = await Store.open(config.location)
    const now = new Date().toISOString()
    const link = await store.writer.call('createSignInLink', { owner_id: store.owner_id, now })
    print(signInUrl(originFor(config), link))
  },
}
