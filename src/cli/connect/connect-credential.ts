import { join, resolve } from 'node:path'
import { originFor } from '../../origin/address.ts'
import { type Invocation, text } from '../command.ts'
import type { OwnServer } from '../own-server.ts'
import { ExitError } from '../terminal/exit-errors.ts'
import {
  type ClientToken,
  clientOf,
  makeToken,
  revokeToken,
  tokenIfSame,
  type WantedGrant,
} from './connect-grant.ts'
import {
  accessTokenIn,
  credentialPath,
  defaultCacheRoot,
  readCredentialFile,
  writeCredential,
} from './credential-cache.ts'

export interface StoredCredential {
  cacheRoot: string
  isDefault: boolean
  path: string
  grant_ids: string[]
  /** Whether it was stored just now. */
  fresh: boolean
}

/**
 * Makes sure that the credential cache contains a token that gives exactly the wanted access. The cache has one token
 * per host, so a second client gets its own folder: with a shared token it could read what the first may read.
 */
export async function storeCredential(
  { config, values }: Invocation,
  server: OwnServer,
  wanted: WantedGrant,
  folder: string,
): Promise<StoredCredential> {
  const named = text(values, 'cache-root')
  const usual = resolve(named ?? config.mcp.cacheRoot ?? defaultCacheRoot(config))
  const roots = named === undefined ? [usual, join(usual, folder)] : [usual]
  const { cacheRoot, path, held } = await freePlace(server, wanted.client_name, roots, originFor(config))
  const place = { cacheRoot, isDefault: cacheRoot === defaultCacheRoot(config), path }
  const same = await tokenIfSame(server, wanted, held)
  if (same) return { ...place, grant_ids: same.grant_ids, fresh: false }
  const made = await makeToken(server, wanted)
  await replaceCredential(server, wanted.client_name, path, made)
  await revokeToken(server, wanted.client_name, held)
  return { ...place, grant_ids: made.grant_ids, fresh: true }
}

async function replaceCredential(
  server: OwnServer,
  client_name: string,
  path: string,
  { access_token }: ClientToken,
): Promise<void> {
  await writeCredential(path, access_token).catch(async (error: NodeJS.ErrnoException) => {
    await revokeToken(server, client_name, access_token)
    throw new ExitError(`${path} cannot be written (${error.code}).`, 'check its permissions', 1)
  })
}

/** The folder that contains this client's token, or else the first unused one. */
async function freePlace(server: OwnServer, client_name: string, roots: readonly string[], origin: string) {
  const places = await Promise.all(
    roots.map(async cacheRoot => {
      const path = credentialPath(cacheRoot, origin)
      const held = accessTokenIn(await readCredentialFile(path))
      return { cacheRoot, path, held, client: await clientOf(server, held) }
    }),
  )
  const place =
    places.find(({ client }) => client === client_name) ?? places.find(({ client }) => client === null)
  if (place) return place
  throw new ExitError(
    `${places[0]?.path} contains the token of ${places[0]?.client}, and a file can contain only one.`,
    '--cache-root with another folder',
    1,
  )
}
