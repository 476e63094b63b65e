import { randomBytes } from 'node:crypto'

export function requestId(): string {
  return `req_${randomBytes(12).toString('base64url')}`
}
