import * as api from '../../api/owner/tokens.ts'
import { type Command, shownTime } from '../command.ts'
import { openOwnServer } from '../own-server.ts'
import { UsageError } from '../terminal/exit-errors.ts'

export const ownerToken: Command = {
  name: 'owner-token',
  usage: 'footnote owner-token [--json]',
  examples: ['TOKEN=$(footnote owner-token)'],
  async run({ config, values, print }) {
    await using server = await openOwnServer(config)
    const made = await server.call(api.createOwnerToken, {})
    print(values.json ? JSON.stringify(made) : made.token)
  },
}

export const ownerTokenList: Command = {
  name: 'owner-token list',
  usage: 'footnote owner-token list [--json]',
  examples: ['footnote owner-token list'],
  async run({ config, values, print, note }) {
    await using server = await openOwnServer(config)
    const { text: answer, body } = await server.get(api.listOwnerTokens, {})
    const { data } = body
    if (values.json) return print(answer)
    for (const { token_id, created_at } of data)
      print(`${token_id}  created ${shownTime(created_at, server.timeZone)}`)
    if (data.length === 0) note('No owner tokens.')
  },
}

export const ownerTokenRevoke: Command = {
  name: 'owner-token revoke',
  usage: 'footnote owner-token revoke TOKEN_ID… [--json]',
  examples: ['footnote owner-token revoke tok_3vJ0mSxQ2bYk9fLw'],
  async run({ config, values, positionals, print }) {
    if (positionals.length === 0)
      throw new UsageError('Name the tokens.', 'footnote owner-token revoke TOKEN_ID')
    await using server = await openOwnServer(config)
    for (const token_id of positionals) {
      await server.call(api.revokeOwnerToken, { token_id })
      print(values.json ? JSON.stringify({ token_id, revoked: true }) : `${token_id}  revoked`)
    }
  },
}
