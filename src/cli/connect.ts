import { join } from 'node:path'
import { freezeGrant } from '../model/grant.ts'
import type { JsonObject } from '../model/json.ts'
import { expiry } from '../resource-server/owner-grants.ts'
import { readCatalog } from '../store/catalog.ts'
import { Store } from '../store/store.ts'
import { readGrant, resolveToken } from '../store/tokens.ts'
import { type ClientFile, readClientFile, writeClientFile } from './client-file.ts'
import { CLIENT_KINDS, type ClientKind } from './client-kinds.ts'
import { type Command, type Invocation, onlyOne, text } from './command.ts'
import { originFor } from './config.ts'
import { requestOf } from './grants.ts'
import { UsageError } from './usage-error.ts'

const KEYS = CLIENT_KINDS.map(({ key }) => key).join(' | ')
const BIN = join(import.meta.dirname, '../../bin/footnote.js')

export const connect: Command = {
  name: 'connect',
  summary: 'Connects an assistant: prints what to paste, or sets it up with --write.',
  usage:
    `footnote connect ${KEYS}\n` +
    '                        [--write] [--stdio] [--name NAME] [--connection ID]… [--stream S]… [--fields a,b]\n' +
    '                        [--since T] [--until T] [--expires T] [--json]',
  examples: [
    'footnote connect claude-code --write',
    'footnote connect codex --stream messages --since 2026-01-01',
    'footnote connect vscode --stdio --json',
  ],
  options: {
    write: { type: 'boolean' },
    stdio: { type: 'boolean' },
    name: { type: 'string' },
    connection: { type: 'string', multiple: true },
    stream: { type: 'string', multiple: true },
    fields: { type: 'string' },
    since: { type: 'string' },
    until: { type: 'string' },
    expires: { type: 'string' },
    json: { type: 'boolean' },
  },
  links: true,
  async run(invocation) {
    const { config, values, positionals } = invocation
    const key = onlyOne(positionals, 'A client', `footnote connect ${KEYS}`)
    const kind = CLIENT_KINDS.find(candidate => candidate.key === key)
    if (!kind) throw new UsageError(`There is no recipe for "${key}".`, `footnote connect ${KEYS}`)
    const name = text(values, 'name') ?? 'footnote'
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
      throw new UsageError('--name is made of letters, digits, - and _.', '--name footnote')
    const file = await readClientFile(kind, kind.file(config.folders), name)
    await using store = await Store.open(config.location)
    await (values.write
      ? setUp(invocation, store, kind, name, file)
      : show(invocation, store, kind, name, file))
  },
}

async function show(
  invocation: Invocation,
  store: Store,
  kind: ClientKind,
  name: string,
  file: ClientFile,
): Promise<void> {
  const { values, print, note, paint } = invocation
  const made = await makeGrant(invocation, store, kind)
  const url = `${originFor(invocation.config)}/mcp`
  const snippet = file.snippet(entryOf(invocation, kind, made.access_token))
  const command = values.stdio ? undefined : kind.command?.(name, url, `Bearer ${made.access_token}`)
  if (values.json) {
    return print(
      JSON.stringify({
        client: kind.key,
        name,
        ...made,
        url,
        command,
        file: file.path,
        snippet,
        written: false,
      }),
    )
  }
  if (command) {
    note(paint.dim(`Run this, or put the rest into ${file.path}:`))
    print(command)
    print('')
  } else note(paint.dim(`Put this into ${file.path}:`))
  print(snippet.trimEnd())
  note(paint.dim(`This is grant ${made.grant_id}; footnote grant revoke ${made.grant_id} ends it.`))
}

async function setUp(
  invocation: Invocation,
  store: Store,
  kind: ClientKind,
  name: string,
  file: ClientFile,
): Promise<void> {
  const { config, values, print } = invocation
  const { owner_id } = store
  const url = `${originFor(config)}/mcp`
  const [token = ''] = /fnc_[A-Za-z0-9_-]+/.exec(file.entry ?? '') ?? []
  const held = await grantsOf(store, token)
  const wanted = JSON.stringify(await frozenStreams(invocation, store))
  const [kept] = held.filter(grant => grant.streams === wanted && grant.client_name === kind.label)
  if (kept && held.length === 1 && file.with(entryOf(invocation, kind, token)) === file.text) {
    const { grant_id } = kept
    const same = { client: kind.key, name, grant_id, url, file: file.path, backup: null, written: false }
    return print(values.json ? JSON.stringify(same) : `${kind.label} is set up already in ${file.path}.`)
  }
  const made = await makeGrant(invocation, store, kind)
  const revoke = (grant_id: string) =>
    store.writer.call('revokeGrant', { owner_id, grant_id, now: new Date().toISOString() })
  const { backup } = await writeClientFile(
    file,
    file.with(entryOf(invocation, kind, made.access_token)),
  ).catch(async error => {
    await revoke(made.grant_id)
    throw error
  })
  // The token that stood there is gone, so nothing can use what it opened any more.
  for (const grant of held) if (grant.client_name === kind.label) await revoke(grant.grant_id)
  const done = {
    client: kind.key,
    name,
    grant_id: made.grant_id,
    url,
    file: file.path,
    backup,
    written: true,
  }
  if (values.json) return print(JSON.stringify(done))
  print(`${kind.label} is set up in ${file.path}.${backup ? ` What was there is in ${backup}.` : ''}`)
  print(`This is grant ${made.grant_id}. Start ${kind.label} again to use it.`)
}

function entryOf({ config, values }: Invocation, kind: ClientKind, token: string): JsonObject {
  const origin = originFor(config)
  if (!values.stdio) return kind.http(`${origin}/mcp`, `Bearer ${token}`)
  const args = [BIN, 'mcp', '--provider-url', origin]
  return kind.stdio({ command: process.execPath, args, env: { PDPP_ACCESS_TOKEN: token } })
}

async function frozenStreams({ values }: Invocation, store: Store) {
  const { connections } = await readCatalog(store.database, store.owner_id)
  return freezeGrant(requestOf(values), connections)
}

async function makeGrant(invocation: Invocation, store: Store, kind: ClientKind) {
  return store.writer.call('createGrant', {
    owner_id: store.owner_id,
    client_name: kind.label,
    streams: await frozenStreams(invocation, store),
    expires_at: expiry(text(invocation.values, 'expires')),
    single_use: false,
    now: new Date().toISOString(),
  })
}

/** What a token opens now, as far as that is known. */
async function grantsOf(store: Store, token: string) {
  const { owner_id } = store
  const state = await resolveToken(store.database, token, new Date())
  if (state?.kind !== 'client' || state.owner_id !== owner_id) return []
  return Promise.all(
    state.grants.map(async ({ grant_id, client_name }) => {
      const { streams } = await readGrant(store.database, { owner_id, grant_id })
      return { grant_id, client_name, streams: JSON.stringify(streams) }
    }),
  )
}
