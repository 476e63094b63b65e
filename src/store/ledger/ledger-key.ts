import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeKeyFile } from '../../data-folder/key-file.ts'

export const LEDGER_KEY_FILE = 'ledger.key'

const MAC_CHARS = 27

/** Signs the ledger. It is stored in the data folder, outside the database that it protects. */
export class LedgerKey {
  /** Identifies the key without revealing it. */
  readonly id: string
  readonly #secret: KeyObject

  constructor(text: string) {
    const secret = Buffer.from(text, 'base64url')
    this.#secret = createSecretKey(secret)
    this.id = createHash('sha256').update('ledger key\0').update(secret).digest('hex').slice(0, 12)
  }

  mac(purpose: 'line' | 'query' | 'head' | 'mark', parts: readonly unknown[]): string {
    const hash = createHmac('sha256', this.#secret).update(JSON.stringify([purpose, ...parts]))
    return hash.digest('base64url').slice(0, MAC_CHARS)
  }
}

/**
 * The keys in the data folder, one per line. The first is used to sign; the others belong to ledgers that were restored
 * here.
 */
export function readLedgerKeys(directory: string): LedgerKey[] {
  const path = join(directory, LEDGER_KEY_FILE)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter(line => line.trim() !== '').map(line => new LedgerKey(line.trim()))
}

/** The key that signs; generated if there is none. */
export function signingKey(directory: string): LedgerKey {
  const [known] = readLedgerKeys(directory)
  if (known) return known
  makeKeyFile(join(directory, LEDGER_KEY_FILE))
  return readLedgerKeys(directory)[0] as LedgerKey
}
