/** The origin that links start with. */
export function originFor({ publicUrl, port }: { publicUrl: string | null; port: number }): string {
  return publicUrl ?? `http://127.0.0.1:${port}`
}

/** A host and port to listen on, as written in a URL. */
export function hostAndPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/**
 * An address of this computer that reaches what listens on a host: not every address that can be listened on can be
 * connected to.
 */
export function reachable(host: string): string {
  return { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
}

/** The origin of a URL that consists of nothing else; null for any other text. */
export function publicOrigin(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null
  const isOrigin = parsed && /^https?:$/.test(parsed.protocol) && parsed.pathname === '/' && !parsed.search
  return isOrigin ? parsed.origin : null
}
