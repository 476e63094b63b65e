import { type LookupAddress, lookup as resolve } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { Provider } from 'oidc-provider'

const MOST_BYTES = 64 * 1024
const MOST_A_MINUTE = 60
const MOST_OF_ONE = 20
/** A name that is resolved slowly keeps one of Node's few threads busy, also after its request was given up. */
const MOST_NAMES_AT_ONCE = 2

/** Addresses that are not on the public internet (RFC 6890 and its successors). */
const PRIVATE = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv6')
const GLOBAL_IPV6 = new BlockList()
GLOBAL_IPV6.addSubnet('2000::', 3, 'ipv6')

export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !PRIVATE.check(address, 'ipv4')
  return family === 6 && GLOBAL_IPV6.check(address, 'ipv6') && !PRIVATE.check(address, 'ipv6')
}

/** How names are resolved, which addresses may be connected to, the timeout, and which certificates are trusted. */
interface Network {
  resolve(
    hostname: string,
    options: { all: true },
    callback: (error: Error | null, addresses: LookupAddress[]) => void,
  ): void
  isPublic(address: string): boolean
  timeoutMs: number
  ca?: string
}

const INTERNET: Network = { resolve, isPublic: isPublicAddress, timeoutMs: 3_000 }

/**
 * Resolves a name and passes only its public addresses to the connection; nothing is resolved again after the check.
 */
function publicLookup({ resolve, isPublic }: Network): LookupFunction {
  let resolving = 0
  return (hostname, options, callback) => {
    if (resolving >= MOST_NAMES_AT_ONCE)
      return callback(new Error('too many names of client documents are being resolved'), '')
    resolving++
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      resolving--
      if (error) return callback(error, '')
      const found = addresses.filter(({ address }) => isPublic(address))
      const [first] = found
      if (!first) return callback(new Error(`${hostname} has no public address`), '')
      if (options.all) callback(null, found)
      else callback(null, first.address, first.family)
    })
  }
}

/**
 * Fetches a client's document or keys: only over https, only from public addresses, with limits on size and time, and
 * without following redirects. Each unknown client may cause one request, so the number per minute is limited, and more
 * strictly per caller. A URL that is refused does not count.
 */
export function createDocumentFetch(
  clock: () => Date,
  network: Network = INTERNET,
  callerOf: () => string = () => Provider.ctx?.ip ?? '',
): typeof globalThis.fetch {
  let minute = 0
  let asked = 0
  const byCaller = new Map<string, number>()
  const lookup = publicLookup(network)
  return async input => {
    const url = new URL(String(input))
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (url.protocol !== 'https:' || url.username !== '' || (isIP(host) && !network.isPublic(host)))
      throw new Error('not a public https address')
    const now = Math.floor(clock().getTime() / 60_000)
    if (now !== minute) {
      asked = 0
      byCaller.clear()
    }
    minute = now
    const caller = callerOf()
    const own = byCaller.get(caller) ?? 0
    if (asked >= MOST_A_MINUTE || own >= MOST_OF_ONE)
      throw new Error('too many client documents were asked for')
    asked++
    byCaller.set(caller, own + 1)
    return get(url, network, lookup)
  }
}

/**
 * Reports documents that could not be reached. If a document is refused because of its URL or size, that is the app's
 * mistake.
 */
export function reportUnreachable(
  fetch: typeof globalThis.fetch,
  report: (error: Error) => void,
): typeof globalThis.fetch {
  return async (input, init) => {
    try {
      return await fetch(input, init)
    } catch (cause) {
      if (isSystemError(cause)) report(new Error(unreachable(String(input), cause.message), { cause }))
      throw cause
    }
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string'
}

function unreachable(address: string, reason: string): string {
  const advice =
    'Without a way to the internet, start Footnote with --client-documents off: apps then register.'
  return `The document of an app at ${address.slice(0, 200)} cannot be fetched (${reason.slice(0, 200)}). ${advice}`
}

/** Statuses without a body. A `Response` refuses them, but only the one that Node brings does so at once. */
const EMPTY_STATUSES = [204, 205, 304]

async function get(url: URL, network: Network, lookup: LookupFunction): Promise<Response> {
  const { response, body } = await received(url, network, lookup)
  const { statusCode = 500, headers: given } = response
  if (statusCode < 200 || statusCode > 599 || EMPTY_STATUSES.includes(statusCode))
    throw new Error(`status ${statusCode}`)
  const kept = ['content-type', 'cache-control', 'expires'].flatMap(name =>
    typeof given[name] === 'string' ? [[name, given[name]] as [string, string]] : [],
  )
  return new Response(body, { status: statusCode, headers: kept })
}

function received(
  url: URL,
  network: Network,
  lookup: LookupFunction,
): Promise<{ response: IncomingMessage; body: Buffer<ArrayBuffer> }> {
  const headers = { Accept: 'application/json', 'Accept-Encoding': 'identity' }
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      {
        headers,
        lookup,
        signal: AbortSignal.timeout(network.timeoutMs),
        ...(network.ca === undefined ? {} : { ca: network.ca }),
      },
      response => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > MOST_BYTES) asked.destroy(new Error('the document is too large'))
          else chunks.push(chunk)
        })
        response.on('error', reject)
        response.on('end', () => resolve({ response, body: Buffer.concat(chunks) }))
      },
    )
    // A connection that the other side turns into one of another protocol closes without an error.
    asked.on('close', () => reject(new Error('the connection was closed')))
    asked.on('error', reject).end()
  })
}
