import { errors } from 'oidc-provider'
import { hasAtMost } from '../../model/text/code-points.ts'
import { redirectProblem } from '../redirect-address.ts'

const NAME_CHARS = 120
const MOST_REDIRECTS = 20
const ADDRESS_CHARS = 2_000

/**
 * Checks and cleans a client's metadata: when it registers, when its document is fetched, and whenever a stored client
 * is used. Scopes are ignored: there is only one, and a client that names another is not refused for it. Unknown grant
 * types are ignored too, and so is null, which some clients write for what they leave out.
 */
export function tidyClientMetadata(metadata: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(metadata)) if (value === null) delete metadata[name]
  delete metadata.scope
  delete metadata.id_token_signed_response_alg
  const known = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code']
  if (Array.isArray(metadata.grant_types)) {
    metadata.grant_types = metadata.grant_types.filter(type => known.includes(String(type)))
    const types = metadata.grant_types as string[]
    if (types.length === 0) types.push('authorization_code')
    if (!types.includes('authorization_code') && metadata.redirect_uris === undefined)
      metadata.response_types = []
  }
  const { client_name, redirect_uris } = metadata
  if (typeof client_name === 'string' && !hasAtMost(client_name, NAME_CHARS))
    throw new errors.InvalidClientMetadata(`client_name has at most ${NAME_CHARS} characters`)
  if (!Array.isArray(redirect_uris)) return
  if (redirect_uris.length > MOST_REDIRECTS)
    throw new errors.InvalidClientMetadata(`redirect_uris has at most ${MOST_REDIRECTS} addresses`)
  for (const uri of redirect_uris) {
    if (typeof uri !== 'string' || uri.length > ADDRESS_CHARS || /[\s\p{C}]/u.test(uri))
      throw new errors.InvalidClientMetadata('a redirect_uri is an address without spaces')
    const problem = redirectProblem(uri)
    if (problem !== null) throw new errors.InvalidClientMetadata(problem)
  }
}
