import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** The proxies that are trusted to report the caller's address: addresses, or networks such as 10.0.0.0/8. */
export class TrustedProxies {
  readonly #list = new BlockList()
  readonly #any: boolean

  /** Throws if one of them is not an address or a network. */
  constructor(proxies: readonly string[]) {
    this.#any = proxies.length > 0
    for (const proxy of proxies) {
      const [network = '', bits, more] = proxy.split('/')
      const family = isIP(network)
      const type = family === 6 ? 'ipv6' : 'ipv4'
      if (family === 0 || more !== undefined || (bits !== undefined && !/^\d{1,3}$/.test(bits)))
        throw new RangeError(`${proxy} is not an address`)
      if (bits === undefined) this.#list.addAddress(network, type)
      else this.#list.addSubnet(network, Number(bits), type)
    }
  }

  has(address: string): boolean {
    const family = isIP(address)
    return this.#any && family !== 0 && this.#list.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
}

/**
 * Who a request came from, for rate limits: an address or, on IPv6, its /64 network. Requests from pages of other sites
 * are counted separately, so that a page in the owner's browser does not use up the limit of other programs on the same
 * computer.
 */
export function callerOf(request: IncomingMessage, proxies: TrustedProxies): string {
  const network = networkOf(addressOf(request, proxies))
  return isFromForeignPage(request) ? `${network} page` : network
}

/** Proxies append the address that they saw. The last address that is not a trusted proxy is the caller's. */
function addressOf(request: IncomingMessage, proxies: TrustedProxies): string {
  const passed = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
  let address = plain(request.socket.remoteAddress ?? '')
  while (proxies.has(address)) {
    const before = plain(passed.pop()?.trim() ?? '')
    if (isIP(before) === 0) break
    address = before
  }
  return address
}

function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const groups = head.split(':').filter(group => group !== '')
  const rest = (tail ?? '').split(':').filter(group => group !== '')
  const zeros = tail === undefined ? 0 : 8 - groups.length - rest.length
  const all = [...groups, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...rest]
  const network = all.slice(0, 4).map(group => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}

/**
 * Browsers send these headers themselves, and pages cannot change them. Navigation is the person's own action, so it is
 * not counted.
 */
function isFromForeignPage({ headers }: IncomingMessage): boolean {
  if (headers['sec-fetch-dest'] === 'document') return false
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'cross-site' || site === 'same-site'
  return headers.origin !== undefined
}
