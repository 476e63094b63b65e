import { isIP } from 'node:net'

/** The host that passkeys are created for; null if browsers allow none: for an IP address, or without https. */
export function passkeyHost(publicUrl: string): string | null {
  const { protocol, hostname } = new URL(publicUrl)
  if (hostname.startsWith('[') || isIP(hostname) !== 0) return null
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  return protocol === 'https:' || isLocal ? hostname : null
}
