import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isObject, type JsonObject } from '../../model/json.ts'
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
  const held = await readFile(path, 'utf8').then(parsed, () => null)
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
  const fresh = `${path}.${randomBytes(6).toString('hex')}.new`
  try {
    const text = `${JSON.stringify({ credential: { access_token } })}\n`
    await writeFile(fresh, text, { mode: 0o600, flag: 'wx' })
    await rename(fresh, path)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
