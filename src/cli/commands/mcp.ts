import { randomBytes } from 'node:crypto'
import { serveOverStdio } from '../../mcp/protocol/stdio.ts'
import { PROVIDER_TIMEOUT_MS } from '../../mcp/reading/resource-server-client.ts'
import { isObject } from '../../model/json.ts'
import { Cursors } from '../../model/reading/cursor.ts'
import { originFor } from '../../origin/address.ts'
import { requestId } from '../../origin/dispatcher.ts'
import { packageVersion } from '../../origin/package-version.ts'
import { type Command, text } from '../command.ts'
import type { Config } from '../config.ts'
import {
  accessTokenIn,
  credentialPath,
  defaultCacheRoot,
  readCredentialFile,
} from '../connect/credential-cache.ts'
import { logIn } from '../log.ts'
import { ExitError, UsageError } from '../terminal/exit-errors.ts'

const EXIT_OWNER_CREDENTIAL = 77
const EXIT_NO_TOKEN = 78
const OWNER_TOKEN = /^fno_/
/** The characters allowed in a header. An error message about an invalid one would repeat the token. */
const TOKEN = /^[\x21-\x7e]+$/
const HOW_TO_GET_ONE =
  'footnote grant create --client "My assistant", and pass its token as PDPP_ACCESS_TOKEN'

export const mcp: Command = {
  name: 'mcp',
  usage: 'footnote mcp [--provider-url URL] [--cache-root DIR]',
  examples: [
    'PDPP_ACCESS_TOKEN=fnc_… footnote mcp',
    'footnote mcp --provider-url https://data.example.org --cache-root ~/.config/footnote',
  ],
  links: true,
  async run({ config, values }) {
    const url = providerUrl(text(values, 'provider-url') ?? config.mcp.providerUrl, config)
    const token = await scopedToken(url, text(values, 'cache-root') ?? config.mcp.cacheRoot, config)
    const provider = {
      url,
      send: (request: Request, signal: AbortSignal) => fetch(request, { signal }),
      cursors: new Cursors(randomBytes(32), config.cursorTtlSeconds),
      timeoutMs: PROVIDER_TIMEOUT_MS,
    }
    await serveOverStdio(
      { provider, version: packageVersion(), report: logIn(config.log).failure },
      token,
      requestId,
    )
  },
}

/** The address of a server, or of its `/mcp`, which is what other assistants are given. */
function providerUrl(given: string | undefined, config: Config): string {
  const url = given ?? originFor(config)
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed && /^https?:$/.test(parsed.protocol))
    return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '').replace(/\/mcp$/, '')}`
  throw new UsageError('--provider-url must be an http(s) address.', '--provider-url http://127.0.0.1:7007')
}

/** The token from the environment, or else from the credential cache; an owner's token is refused (HO-2). */
async function scopedToken(url: string, cacheRoot: string | undefined, config: Config): Promise<string> {
  const { mcp } = config
  if (mcp.ownerToken || mcp.ownerSessionCookie)
    throw ownerRefused('The environment contains an owner credential.')
  const token = mcp.accessToken ?? (await cachedToken(url, cacheRoot ?? defaultCacheRoot(config)))
  if (OWNER_TOKEN.test(token)) throw ownerRefused('This is an owner token.')
  if (!TOKEN.test(token))
    throw new ExitError('The token contains characters that no token has.', HOW_TO_GET_ONE, EXIT_NO_TOKEN)
  return token
}

/** `<cache-root>/clients/<host>.json`: `{"credential":{"access_token":…}}`. */
async function cachedToken(url: string, cacheRoot: string): Promise<string> {
  const path = credentialPath(cacheRoot, url)
  const cached = await readCredentialFile(path)
  const credential = isObject(cached.credential) ? cached.credential : {}
  const kinds = [credential.kind, credential.token_kind, cached.kind]
  if (kinds.includes('owner')) throw ownerRefused(`${path} contains an owner credential.`)
  const token = accessTokenIn(cached)
  if (token !== '') return token
  throw new ExitError(
    `There is no token for ${url} (looked at PDPP_ACCESS_TOKEN and ${path}).`,
    HOW_TO_GET_ONE,
    EXIT_NO_TOKEN,
  )
}

function ownerRefused(what: string): ExitError {
  return new ExitError(
    `${what} Assistants read with a scoped token only.`,
    HOW_TO_GET_ONE,
    EXIT_OWNER_CREDENTIAL,
  )
}
