/** Whether a host name means this computer. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

/** The origins of a server. On loopback, it has the same port under every name of this computer. */
export function originsOf(publicUrl: string): string[] {
  const { protocol, hostname, port } = new URL(publicUrl)
  if (protocol !== 'http:' || !isLoopback(hostname.replace(/^\[|\]$/g, ''))) return [publicUrl]
  const others = ['127.0.0.1', 'localhost', '[::1]'].map(host => `http://${host}${port && `:${port}`}`)
  return [publicUrl, ...others.filter(origin => origin !== publicUrl)]
}

/** The origin that a request was sent to, if it is one of the server's own; otherwise the public one. */
export function originAsked(publicUrl: string, request: { url: string }): string {
  const { origin } = new URL(request.url)
  return originsOf(publicUrl).includes(origin) ? origin : publicUrl
}
