/** The origin that links are made of. */
export function originFor({ publicUrl, port }: { publicUrl: string | null; port: number }): string {
  return publicUrl ?? `http://127.0.0.1:${port}`
}

/** A place to listen on, as a URL has it. */
export function hostAndPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** An address of this computer that leads to what listens on a host: not every address that is listened on can be called. */
export function reachable(host: string): string {
  return { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
}

/** The origin of an address that has nothing else; null for any other text. */
export function publicOrigin(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null
  const isOrigin = parsed && /^https?:$/.test(parsed.protocol) && parsed.pathname === '/' && !parsed.search
  return isOrigin ? parsed.origin : null
}
