import { READ_SCOPE } from '../../api/discovery.ts'
import { DATA_ACCESS } from '../../model/access/selection-request.ts'
import type { AuthorizationEnvironment } from '../environment.ts'
import { PATHS } from './paths.ts'

/** The metadata of RFC 8414: what this server supports, without what OpenID Connect would add. */
function authorizationServerMetadata({ publicUrl, settings }: AuthorizationEnvironment) {
  return {
    issuer: publicUrl,
    authorization_endpoint: publicUrl + PATHS.authorization,
    token_endpoint: publicUrl + PATHS.token,
    registration_endpoint: publicUrl + PATHS.registration,
    revocation_endpoint: publicUrl + PATHS.revocation,
    introspection_endpoint: publicUrl + PATHS.introspection,
    pushed_authorization_request_endpoint: publicUrl + PATHS.pushed_authorization_request,
    device_authorization_endpoint: publicUrl + PATHS.device_authorization,
    scopes_supported: [READ_SCOPE],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'form_post', 'fragment'],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: AUTHENTICATION,
    token_endpoint_auth_signing_alg_values_supported: SIGNING,
    revocation_endpoint_auth_methods_supported: AUTHENTICATION,
    introspection_endpoint_auth_methods_supported: AUTHENTICATION,
    authorization_response_iss_parameter_supported: true,
    authorization_details_types_supported: [DATA_ACCESS],
    pdpp_authorization_details_types_supported: [DATA_ACCESS],
    pdpp_registration_modes_supported: [
      'dynamic',
      ...(settings.clientDocuments ? ['client_id_metadata_document'] : []),
    ],
    client_id_metadata_document_supported: settings.clientDocuments,
  }
}

export const AUTHENTICATION = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
] as const
export const SIGNING = ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA'] as const

export function metadataResponse(env: AuthorizationEnvironment): Response {
  return Response.json(authorizationServerMetadata(env), {
    headers: { 'Cache-Control': 'public, max-age=300' },
  })
}
