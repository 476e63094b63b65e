import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export const KEY_BYTES = 32

/**
 * Creates a file with a new key, as one line, that only its owner can read. If another process was first, its key is
 * used.
 */
export function makeKeyFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  const key = randomBytes(KEY_BYTES).toString('base64url')
  writeFileSync(draft, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    // The key appears under its name only when complete.
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}
