import { chmod, mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { replaceFile } from '../../data-folder/replace-file.ts'
import { isObject, type JsonObject, jsonOrNull } from '../../model/json.ts'
import type { Config } from '../config.ts'

export function defaultCacheRoot({ folders }: Config): string {
  return join(folders.home, '.pdpp')
}

/** Where the credential for a resource server is stored: one file per host. */
export function credentialPath(cacheRoot: string, url: string): string {
  const host = new URL(url).host.replace(/[^A-Za-z0-9.-]/g, '_')
  return join(cacheRoot, 'clients', `${host}.json`)
}

/** The content of a credential file; an empty object if it cannot be read. */
export async function readCredentialFile(path: string): Promise<JsonObject> {
  const held = await readFile(path, 'utf8').then(jsonOrNull, () => null)
  return isObject(held) ? held : {}
}

export function accessTokenIn({ credential }: JsonObject): string {
  const token = isObject(credential) ? credential.access_token : undefined
  return typeof token === 'string' ? token : ''
}

/** Replaces the stored token in one step. Only its owner may read it. */
export async function writeCredential(path: string, access_token: string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  replaceFile(path, `${JSON.stringify({ credential: { access_token } })}\n`, 0o600)
}
