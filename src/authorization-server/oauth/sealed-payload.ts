import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'

/** A key that only the holder of the id can derive; each id is used for one payload at a time, with a fresh nonce. */
function keyOf(id: string): Buffer {
  return Buffer.from(hkdfSync('sha256', id, '', 'footnote interaction', 32))
}

export function seal(id: string, text: string): string {
  const nonce = crypto.getRandomValues(Buffer.alloc(12))
  const cipher = createCipheriv('aes-256-gcm', keyOf(id), nonce)
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  )
}

export function unseal(id: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', keyOf(id), bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8')
}
