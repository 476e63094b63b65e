import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { CodedError } from '../../model/errors.ts'
import type { StoredPassphrase } from '../../store/sign-in/sign-in.ts'

/** The cost of an attempt, as scrypt's N. */
const COST = 2 ** 15
const SCRYPT = { r: 8, p: 3, maxmem: 64 * 1024 * 1024 }
const HASH_BYTES = 32
export const SHORTEST_PASSPHRASE = 10
const LONGEST = 1_000

function derive(passphrase: string, salt: Buffer, N: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, HASH_BYTES, { ...SCRYPT, N }, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })
}

export async function hashPassphrase(passphrase: string, cost = COST): Promise<StoredPassphrase> {
  if (passphrase.length < SHORTEST_PASSPHRASE || passphrase.length > LONGEST) {
    const message = `A passphrase has at least ${SHORTEST_PASSPHRASE} characters. Several words are best.`
    throw new CodedError('invalid_request', message, { param: 'passphrase' })
  }
  const salt = randomBytes(16)
  const hash = await derive(passphrase, salt, cost)
  return { salt: salt.toString('base64url'), hash: hash.toString('base64url') }
}

/** Takes as long for an owner without a passphrase as for a wrong passphrase. */
export async function verifyPassphrase(
  passphrase: string,
  stored: StoredPassphrase | null,
  cost = COST,
): Promise<boolean> {
  const salt = Buffer.from(stored?.salt ?? '', 'base64url')
  const hash = await derive(passphrase.slice(0, LONGEST), salt, cost)
  const expected = Buffer.from(stored?.hash ?? '', 'base64url')
  return expected.length === hash.length && timingSafeEqual(expected, hash)
}
