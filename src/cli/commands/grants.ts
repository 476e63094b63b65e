import { freezeGrant, type GrantRequest, type GrantState, isActive } from '../../model/access/grant.ts'
import { describe, describeStream, expiry } from '../../resource-server/owner/owner-grants.ts'
import { listGrants, readGrant } from '../../store/access/grants.ts'
import { readCatalog } from '../../store/records/catalog.ts'
import { Store } from '../../store/store.ts'
import { type Command, type Invocation, text, texts } from '../command.ts'
import { UsageError } from '../terminal/exit-errors.ts'

const JSON_OPTION = { json: { type: 'boolean' } } as const

export const grantCreate: Command = {
  name: 'grant create',
  summary: 'Opens exactly what you name to a client, and prints its token.',
  usage:
    'footnote grant create --client NAME [--connection ID]… [--stream S]… [--fields a,b] [--since T] [--until T]\n' +
    '                      [--record STREAM:ID]… [--expires T] [--single-use] [--json]',
  examples: [
    'footnote grant create --client "My assistant" --stream messages --fields id,subject,received_at',
    'footnote grant create --client Codex --connection cin_4f2aqz --since 2026-01-01 --json',
  ],
  options: {
    client: { type: 'string' },
    connection: { type: 'string', multiple: true },
    stream: { type: 'string', multiple: true },
    fields: { type: 'string' },
    since: { type: 'string' },
    until: { type: 'string' },
    record: { type: 'string', multiple: true },
    expires: { type: 'string' },
    'single-use': { type: 'boolean' },
    ...JSON_OPTION,
  },
  async run({ config, values, print }) {
    const client_name = text(values, 'client')
    if (!client_name) throw new UsageError('--client is missing.', 'footnote grant create --client NAME')
    await using store = await Store.open(config.location)
    const { connections } = await readCatalog(store.database, store.owner_id)
    const made = await store.writer.call('createGrant', {
      owner_id: store.owner_id,
      client_name,
      streams: freezeGrant(requestOf(values), connections),
      expires_at: expiry(text(values, 'expires')),
      single_use: values['single-use'] === true,
      now: new Date().toISOString(),
    })
    if (values.json) print(JSON.stringify(made))
    else print(`${made.grant_id}\n${made.access_token}`)
  },
}

export function requestOf(values: Invocation['values']): GrantRequest {
  const fields = text(values, 'fields')
    ?.split(',')
    .map(field => field.trim())
  return {
    ...given('connections', texts(values, 'connection')),
    ...given('streams', texts(values, 'stream')),
    ...given('fields', fields),
    ...given('since', text(values, 'since')),
    ...given('until', text(values, 'until')),
    ...given('records', texts(values, 'record')),
  }
}

function given<Name extends string, T>(name: Name, value: T | undefined): { [N in Name]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: T }
}

export const grantList: Command = {
  name: 'grant list',
  summary: 'Lists the grants.',
  usage: 'footnote grant list [--json]',
  examples: ['footnote grant list'],
  options: JSON_OPTION,
  async run({ config, values, print }) {
    await using store = await Store.open(config.location)
    const grants = await listGrants(store.database, store.owner_id)
    if (values.json) return print(JSON.stringify(grants.map(grant => describe(grant, new Date()))))
    for (const grant of grants) print(`${grant.grant_id}  ${stateOf(grant).padEnd(8)}  ${grant.client_name}`)
  },
}

export const grantShow: Command = {
  name: 'grant show',
  summary: 'Shows what a grant opens.',
  usage: 'footnote grant show GRANT_ID [--json]',
  examples: ['footnote grant show grt_7h3kq9x2ab'],
  options: JSON_OPTION,
  async run({ config, values, positionals, print }) {
    const grant_id = onlyId(positionals, 'grant show')
    await using store = await Store.open(config.location)
    const { state, streams } = await readGrant(store.database, { owner_id: store.owner_id, grant_id })
    const shown = { ...describe(state, new Date()), streams: streams.map(describeStream) }
    if (values.json) return print(JSON.stringify(shown))
    print(`${state.grant_id}  ${stateOf(state)}  ${state.client_name}`)
    for (const stream of shown.streams) {
      const bounds = [
        stream.since && `since ${stream.since}`,
        stream.until && `until ${stream.until}`,
      ].filter(Boolean)
      const records = stream.record_ids ? [`${stream.record_ids.length} records`] : []
      print(
        [`${stream.connection_id}/${stream.stream}`, stream.fields.join(','), ...bounds, ...records].join(
          '  ',
        ),
      )
    }
  },
}

export const grantRevoke: Command = {
  name: 'grant revoke',
  summary: 'Ends a grant; the next request is refused.',
  usage: 'footnote grant revoke GRANT_ID [--json]',
  examples: ['footnote grant revoke grt_7h3kq9x2ab'],
  options: JSON_OPTION,
  async run({ config, values, positionals, print }) {
    const grant_id = onlyId(positionals, 'grant revoke')
    await using store = await Store.open(config.location)
    const now = new Date()
    const args = { owner_id: store.owner_id, grant_id, now: now.toISOString() }
    const state = await store.writer.call('revokeGrant', args)
    print(values.json ? JSON.stringify(describe(state, now)) : `${grant_id}  revoked`)
  },
}

function stateOf(grant: GrantState): string {
  if (grant.revoked_at !== null) return 'revoked'
  return isActive(grant, new Date()) ? 'active' : 'expired'
}

function onlyId(positionals: readonly string[], command: string): string {
  const [id, ...rest] = positionals
  if (id === undefined || rest.length > 0) {
    throw new UsageError('Name one grant.', `footnote ${command} GRANT_ID (footnote grant list shows them)`)
  }
  return id
}
