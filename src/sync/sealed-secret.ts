import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { KEY_BYTES, makeKeyFile } from '../data-folder/key-file.ts'
import { CodedError } from '../model/errors.ts'

export const SYNC_KEY_FILE = 'sync.key'

const VERSION = 'v1'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts the credentials of an account with the key in the data folder, which is created if there is none. */
export function seal(directory: string, secret: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', readKey(directory) ?? madeKey(directory), nonce)
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return `${VERSION}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`
}

export function unseal(directory: string, text: string): string {
  const key = readKey(directory)
  const [version, body = ''] = text.split('.')
  const bytes = Buffer.from(body, 'base64url')
  try {
    if (!key || version !== VERSION) throw new Error()
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    const rest = bytes.subarray(NONCE_BYTES + TAG_BYTES)
    return Buffer.concat([decipher.update(rest), decipher.final()]).toString('utf8')
  } catch {
    const message = `The password was encrypted with a different key from the one in ${join(directory, SYNC_KEY_FILE)}.`
    throw new CodedError('sync_secret_unreadable', `${message} Copy that key here, or add the account again.`)
  }
}

function readKey(directory: string): Buffer | null {
  const path = join(directory, SYNC_KEY_FILE)
  if (!existsSync(path)) return null
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64url')
  return key.length === KEY_BYTES ? key : null
}

function madeKey(directory: string): Buffer {
  const path = join(directory, SYNC_KEY_FILE)
  makeKeyFile(path)
  const key = readKey(directory)
  if (key) return key
  throw new CodedError(
    'sync_secret_unreadable',
    `${path} does not contain a key. Remove it and add the account again.`,
  )
}
