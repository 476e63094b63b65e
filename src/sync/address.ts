import type { Sync } from '../api/owner/syncs.ts'
import { invalidRequest } from '../model/errors.ts'
import { isLoopback } from '../model/loopback.ts'
import { percentDecoded } from '../model/percent-decoded.ts'

/** An account on a mail server, and how it is reached. */
export interface MailAddress {
  user: string
  host: string
  port: number
  /** The only folder to sync; null for all. */
  folder: string | null
  security: Sync['security']
}

const EXAMPLE = 'imap://ada@imap.example.org'
const TLS_PORT = 993
const STARTTLS_PORT = 143

/**
 * Parses `imap://user@host[:port][/folder]`. The connection is encrypted, except to this computer, or if the owner asks
 * for a plain one.
 */
export function readAddress(text: string, isPlain: boolean): MailAddress {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^imaps?:$/.test(url.protocol) || url.hostname === '' || url.username === '')
    throw wrong(`"${text.replace(/:[^:@/]*@/, ':…@')}" is not the address of an account, such as ${EXAMPLE}.`)
  if (url.password !== '')
    throw wrong('The address contains a password, which other programs can see. Leave it out.')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const wanted = url.port === '' ? null : Number(url.port)
  const security = securityOf(host, wanted, isPlain)
  const folder = percentDecoded(url.pathname.replace(/^\//, ''))
  return {
    user: percentDecoded(url.username),
    host,
    port: wanted ?? (security === 'plain' ? STARTTLS_PORT : TLS_PORT),
    folder: folder === '' ? null : folder,
    security,
  }
}

function securityOf(host: string, port: number | null, isPlain: boolean): Sync['security'] {
  if (isPlain || (isLoopback(host) && port !== null && port !== TLS_PORT)) return 'plain'
  return port === STARTTLS_PORT ? 'starttls' : 'tls'
}

/** The address as it is stored and shown; always the same for the same account and folder. */
export function addressText({ user, host, port, folder }: MailAddress): string {
  const name = host.includes(':') ? `[${host}]` : host
  const path = folder === null ? '' : `/${folder.split('/').map(encodeURIComponent).join('/')}`
  return `imap://${encodeURIComponent(user)}@${name}:${port}${path}`
}

/** Parses a stored address. */
export function storedAddress({ address, security }: Pick<Sync, 'address' | 'security'>): MailAddress {
  return { ...readAddress(address, true), security }
}

function wrong(message: string) {
  return invalidRequest(message, 'address')
}
