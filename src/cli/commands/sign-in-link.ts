import { createSignInLink } from '../../api/owner/tokens.ts'
import type { BodyOf } from '../../api/route.ts'
import type { Command } from '../command.ts'
import { type OwnServer, openOwnServer } from '../own-server.ts'

export const signInLink: Command = {
  name: 'sign-in-link',
  usage: 'footnote sign-in-link [--port N] [--public-url URL] [--json]',
  examples: ['footnote sign-in-link'],
  links: true,
  async run({ config, values, print }) {
    await using server = await openOwnServer(config)
    const url = await newLink(server, {})
    print(values.json ? JSON.stringify({ url }) : String(url))
  },
}

/** The link of the first run: for an owner who has no passphrase and is not signed in anywhere. */
export function firstSignIn(server: OwnServer): Promise<string | null> {
  return newLink(server, { first_only: true })
}

export function signInText(link: string): string {
  return `Sign in (the link works once, for half an hour): ${link}`
}

async function newLink(server: OwnServer, json: BodyOf<typeof createSignInLink>): Promise<string | null> {
  return (await server.call(createSignInLink, {}, { json })).url
}
