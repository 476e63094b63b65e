import { listConnections } from '../../api/owner/catalog.ts'
import * as api from '../../api/owner/grants.ts'
import type { ReplyOf } from '../../api/route.ts'
import type { GrantRequest } from '../../model/access/grant.ts'
import { counted } from '../../model/amounts.ts'
import { sinceInstant } from '../../model/time-bounds.ts'
import {
  boundsOf,
  type Command,
  commaList,
  type Invocation,
  noteBounds,
  onlyOne,
  shownTime,
  text,
  texts,
} from '../command.ts'
import { sourceIds } from '../names.ts'
import { type OwnServer, openOwnServer } from '../own-server.ts'
import { UsageError } from '../terminal/exit-errors.ts'
import { oneLine } from '../terminal/terminal.ts'

/** The flags that say what a grant gives access to, and for how long. */
export const NARROWING_FLAGS = ['connection', 'stream', 'fields', 'since', 'until', 'expires']

type Grant = Omit<ReplyOf<typeof api.readGrant>, 'grant'>

export const grantCreate: Command = {
  name: 'grant create',
  usage:
    'footnote grant create --client NAME [--connection NAME|ID]… [--stream S]… [--fields a,b] [--since T] [--until T]\n' +
    '                      [--record STREAM:ID]… [--expires T] [--single-use] [--json]',
  examples: [
    'footnote grant create --client "My assistant" --stream emails --fields subject,from,sent_at',
    'footnote grant create --client Codex --connection cin_4f2aqz --since 2026-01-01 --json',
  ],
  async run(invocation) {
    const { config, values, print } = invocation
    const client_name = text(values, 'client')
    if (!client_name) throw new UsageError('--client is missing.', 'footnote grant create --client NAME')
    await using server = await openOwnServer(config)
    const request = await requestOf(invocation, server)
    const { grants, client_id, access_token } = await server.call(
      api.createGrant,
      {},
      {
        json: {
          client_name,
          ...request,
          ...given('expires_at', expiresOf(values, server)),
          single_use: values['single-use'] === true,
        },
      },
    )
    const grant_ids = grants.map(({ grant_id }) => grant_id)
    if (values.json) print(JSON.stringify({ grant_ids, client_id, access_token }))
    else print([...grant_ids, access_token].join('\n'))
  },
}

/** What the flags give access to. Times are resolved now; days are in the owner's zone. */
export async function requestOf(invocation: Invocation, server: OwnServer): Promise<GrantRequest> {
  const { values } = invocation
  const bounds = boundsOf(values, server.timeZone)
  noteBounds(invocation, bounds, server.timeZone)
  const named = texts(values, 'connection')
  return {
    ...given('connections', named && (await sourceIds(server, named))),
    ...given('streams', texts(values, 'stream')),
    ...given('fields', commaList(values, 'fields')),
    ...bounds,
    ...given('records', texts(values, 'record')),
  }
}

/** When a grant ends; a day is in the owner's zone, and the grant ends when it begins. */
export function expiresOf(values: Invocation['values'], { timeZone: zone }: OwnServer): string | undefined {
  const expires = text(values, 'expires')
  return expires === undefined ? undefined : sinceInstant(expires, { zone, now: new Date() })
}

function given<Name extends string, T>(name: Name, value: T | undefined): { [N in Name]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: T }
}

export const grantList: Command = {
  name: 'grant list',
  usage: 'footnote grant list [--json]',
  examples: ['footnote grant list'],
  async run({ config, values, print, note, spelled }) {
    await using server = await openOwnServer(config)
    const { text: answer, body } = await server.get(api.listGrants, {})
    if (values.json) return print(answer)
    const { data: sources } = await server.call(listConnections, {})
    const names = new Map(sources.map(({ connection_id, display_name }) => [connection_id, display_name]))
    for (const grant of body.data) {
      const ids = new Set(grant.grant?.streams.flatMap(({ instance_ids }) => instance_ids))
      const opened = [...ids].map(id => oneLine(names.get(id) ?? id)).join(', ')
      print(
        `${grant.grant_id}  ${stateOf(grant).padEnd(8)}  ${oneLine(grant.client_name)}  ${opened}`.trimEnd(),
      )
    }
    if (body.data.length === 0)
      note(spelled('No grants. An app gets one when you connect it: footnote connect CLIENT'))
  },
}

export const grantShow: Command = {
  name: 'grant show',
  usage: 'footnote grant show GRANT_ID [--json]',
  examples: ['footnote grant show grt_7h3kq9x2ab'],
  async run({ config, values, positionals, print }) {
    const grant_id = onlyOne(positionals, 'the id of a grant', 'footnote grant list')
    await using server = await openOwnServer(config)
    const { text: answer, body } = await server.get(api.readGrant, { grant_id })
    if (values.json) return print(answer)
    print(`${body.grant_id}  ${stateOf(body)}  ${body.client_name}`)
    for (const { name, instance_ids, fields, time_constraint, resources } of body.grant?.streams ?? []) {
      const bounds = Object.entries(time_constraint ?? {}).map(
        ([bound, value]) => `${bound} ${shownTime(value, server.timeZone)}`,
      )
      const records = resources ? [counted(resources.length, 'record')] : []
      for (const connection_id of instance_ids)
        print([`${connection_id}/${name}`, fields.join(','), ...bounds, ...records].join('  '))
    }
  },
}

export const grantRevoke: Command = {
  name: 'grant revoke',
  usage: 'footnote grant revoke GRANT_ID… [--json]',
  examples: ['footnote grant revoke grt_7h3kq9x2ab'],
  async run({ config, values, positionals, print }) {
    if (positionals.length === 0)
      throw new UsageError(
        'Name the grants.',
        'footnote grant revoke GRANT_ID (footnote grant list shows them)',
      )
    await using server = await openOwnServer(config)
    for (const grant_id of positionals) {
      const grant = await server.call(api.revokeGrant, { grant_id })
      print(values.json ? JSON.stringify(grant) : `${grant_id}  revoked`)
    }
  },
}

function stateOf({ revoked_at, active }: Grant): string {
  if (revoked_at !== null) return 'revoked'
  return active ? 'active' : 'expired'
}
