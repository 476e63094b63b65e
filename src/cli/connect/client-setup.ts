import { join } from 'node:path'
import type { ClientKind } from '../../clients/client-kinds.ts'
import type { JsonObject } from '../../model/json.ts'
import { originFor } from '../../origin/address.ts'
import type { Invocation } from '../command.ts'
import { type OpenOwnServer, type OwnServer, openOwnServer } from '../own-server.ts'
import { type ClientFile, writeClientFile } from './client-file.ts'
import { type StoredCredential, storeCredential } from './connect-credential.ts'
import { type ClientToken, makeToken, revokeToken, tokenIfSame, wantedGrant } from './connect-grant.ts'

const BIN = join(import.meta.dirname, '../../../bin/footnote.js')

/** A client to connect. */
export interface ClientSetup {
  invocation: Invocation
  kind: ClientKind
  name: string
  /** The client that a grant is made for. */
  client_name: string
  stdio: boolean
  file: ClientFile
  /** The token in the current entry; empty if there is none. */
  before: string
}

/** Prints how to connect the client. */
export async function showSetup(task: ClientSetup): Promise<void> {
  const { invocation, kind, name, stdio, file } = task
  const { values, print, note, paint } = invocation
  await using server = stdio || values.token ? await openData(task) : null
  const { token, credential } = await accessFor(task, server, '')
  const url = `${originFor(invocation.config)}/mcp`
  const snippet = file.snippet(entryOf(task, token, credential))
  const command = stdio ? undefined : kind.command?.(name, url, token && `Bearer ${token.access_token}`)
  if (values.json) {
    const access = token ?? described(credential)
    const told = { ...access, url, command, file: file.path, snippet, written: false, ...guidance(task) }
    return print(JSON.stringify({ client: kind.key, name, ...told }))
  }
  if (command) {
    note(paint.dim(`Run this, or put the rest into ${file.path}, or repeat this with --write:`))
    print(command)
    print('')
  } else note(paint.dim(`Put this into ${file.path}, or repeat this with --write:`))
  print(snippet.trimEnd())
  if (credential) note(paint.dim(whereTokenIs(credential)))
  const grant_ids = (token ?? credential)?.grant_ids ?? []
  if (grant_ids.length > 0)
    note(
      paint.dim(`To end this access: ${invocation.spelled(`footnote grant revoke ${grant_ids.join(' ')}`)}`),
    )
  for (const line of advice(task)) note(paint.dim(line))
}

/** Puts the entry into the client's own configuration, unless it is already there. */
export async function setUpClient(task: ClientSetup): Promise<void> {
  const { invocation, kind, name, client_name, stdio, file, before } = task
  const { config, values, print, spelled } = invocation
  await using server = stdio || values.token || before ? await openData(task) : null
  const { token, credential } = await accessFor(task, server, before)
  const whole = file.with(entryOf(task, token, credential))
  const written = whole !== file.text
  const { backup } = written
    ? await writeClientFile(file, whole, token !== undefined || before !== '').catch(async error => {
        if (token && token.access_token !== before) await revoke(token.access_token)
        throw error
      })
    : { backup: null }
  // The previous token is gone from the file, so nothing can use its grant any more.
  if (written && before && !whole.includes(before)) await revoke(before)

  async function revoke(access_token: string): Promise<void> {
    if (server) await revokeToken(server, client_name, access_token)
  }

  const grant_ids = (token ?? credential)?.grant_ids ?? []
  if (values.json) {
    const access = credential ? described(credential) : token ? { grant_ids } : {}
    const told = { ...access, url: `${originFor(config)}/mcp`, file: file.path, backup, written }
    return print(JSON.stringify({ client: kind.key, name, ...told, ...guidance(task) }))
  }
  const state = written ? 'is set up' : 'is set up already'
  print(`${kind.label} ${state} in ${file.path}.${backup ? ` What was there is in ${backup}.` : ''}`)
  if (credential?.fresh) print(whereTokenIs(credential))
  if (written || credential?.fresh) {
    if (grant_ids.length > 0)
      print(spelled(`To end this access: footnote grant revoke ${grant_ids.join(' ')}`))
    print(`Start ${kind.label} again to use it.`)
  }
  for (const line of advice(task)) print(line)
}

/** The data that the grant gives access to. */
function openData({ invocation }: ClientSetup): Promise<OpenOwnServer> {
  return openOwnServer(invocation.config)
}

/** What the entry needs: a token in it, one in the credential cache, or none if the client signs in by itself. */
async function accessFor(task: ClientSetup, server: OwnServer | null, held: string) {
  const { invocation, kind, name, client_name, stdio } = task
  const { values } = invocation
  const access: { token?: ClientToken; credential?: StoredCredential } = {}
  if (!server || (!stdio && !values.token)) return access
  const wanted = await wantedGrant(invocation, server, client_name)
  if (values.token)
    access.token = (await tokenIfSame(server, wanted, held)) ?? (await makeToken(server, wanted))
  else {
    const folder = name === 'footnote' ? kind.key : `${kind.key}-${name}`
    access.credential = await storeCredential(invocation, server, wanted, folder)
  }
  return access
}

function entryOf(
  { invocation, kind, stdio }: ClientSetup,
  token: ClientToken | undefined,
  credential: StoredCredential | undefined,
): JsonObject {
  const origin = originFor(invocation.config)
  if (!stdio && kind.http) return kind.http(`${origin}/mcp`, token && `Bearer ${token.access_token}`)
  const elsewhere = credential && !credential.isDefault ? ['--cache-root', credential.cacheRoot] : []
  const args = [BIN, 'mcp', '--provider-url', origin, ...elsewhere]
  const env = token && { env: { PDPP_ACCESS_TOKEN: token.access_token } }
  return kind.stdio({ command: process.execPath, args, ...env })
}

function described(credential: StoredCredential | undefined) {
  return credential ? { grant_ids: credential.grant_ids, credential: credential.path } : {}
}

function whereTokenIs({ path, fresh }: StoredCredential): string {
  return `The token is not in the configuration: it ${fresh ? 'was' : 'is'} stored in ${path}, which only you can read.`
}

/** What is left for a person to do, if anything. */
function guidance({ invocation, kind, name, stdio }: ClientSetup) {
  if (stdio) {
    const steps = kind.connectorSteps?.(originFor(invocation.config))
    return { connector_steps: steps?.map(invocation.spelled) }
  }
  return invocation.values.token ? {} : { sign_in: kind.signIn?.(name) }
}

function advice(task: ClientSetup): string[] {
  const { sign_in, connector_steps } = guidance(task)
  const { label } = task.kind
  const browser = sign_in
    ? [
        `At first use ${label} opens your browser, where you decide what it may read: ${sign_in}.`,
        `When the browser asks who you are: ${task.invocation.spelled('footnote sign-in-link')}`,
      ]
    : []
  const connector = connector_steps
    ? [
        `${label} can also call the server from the internet, and you decide in the browser what it may read:`,
        ...connector_steps.map((step, index) => `${index + 1}. ${step}`),
      ]
    : []
  return [...browser, ...connector]
}
