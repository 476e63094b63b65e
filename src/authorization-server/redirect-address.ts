const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Schemes that lead to another computer, or to whatever address follows them. No app can own one of these. */
const SHARED_SCHEMES = new Set([
  ...['about:', 'blob:', 'data:', 'file:', 'filesystem:', 'javascript:', 'vbscript:', 'view-source:'],
  ...['ftp:', 'ftps:', 'sftp:', 'ssh:', 'smb:', 'ws:', 'wss:', 'ldap:', 'ldaps:', 'telnet:', 'gopher:'],
  ...['afp:', 'cifs:', 'dav:', 'davs:', 'git:', 'nfs:', 'rdp:', 'rtmp:', 'rtsp:', 'svn:', 'vnc:', 'webcals:'],
  ...['feed:', 'intent:', 'android-app:', 'microsoft-edge:', 'googlechrome:', 'itpc:', 'pcast:'],
  ...['jar:', 'itms-services:', 'search:', 'shell:', 'onenote:'],
])

/** Schemes that any web site can offer to open in a browser, by the HTML standard, and those of Windows. */
const OPEN_SCHEME =
  /^(?:web\+.*|ms-.*|search-ms|bitcoin|geo|im|ircs?|magnet|mailto|matrix|mms|news|nntp|openpgp4fpr|sip|sms|smsto|tel|urn|webcal|wtai|xmpp):$/

export function isLoopbackAddress({ hostname }: URL): boolean {
  return LOOPBACK.has(hostname)
}

/** Why a code must not be sent to this URL; null if it may be. oidc-provider uses the first word as the field name. */
export function redirectProblem(address: string): string | null {
  if (!URL.canParse(address)) return 'redirect_uris must be absolute addresses'
  const url = new URL(address)
  if (url.protocol === 'http:' && !isLoopbackAddress(url))
    return 'redirect_uris must use https; http is allowed for loopback only'
  // What comes before the @ can look like the host.
  if (url.username !== '' || url.password !== '')
    return 'redirect_uris must not contain a user name or password'
  if (SHARED_SCHEMES.has(url.protocol) || OPEN_SCHEME.test(url.protocol))
    return `redirect_uris must not use the scheme ${url.protocol}`
  return null
}
