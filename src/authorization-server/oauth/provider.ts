import { generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import {
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import { READ_SCOPE, resourcesOf } from '../../api/discovery.ts'
import { parseClientDisplay } from '../../model/access/client-display.ts'
import { DATA_ACCESS, parseSelectionRequests } from '../../model/access/selection-request.ts'
import { CodedError } from '../../model/errors.ts'
import { newToken } from '../../store/access/tokens.ts'
import { hashOf, randomId } from '../../store/engine/identifiers.ts'
import { readCatalog } from '../../store/records/catalog.ts'
import type { AuthorizationEnvironment } from '../environment.ts'
import { DeclarationPins, PINNED_DECLARATIONS, pinnedDeclarations } from '../pinned-declarations.ts'
import { StoreAdapter } from './adapter.ts'
import { tidyClientMetadata } from './client-metadata.ts'
import { createDocumentFetch, reportUnreachable } from './fetch-document.ts'
import {
  accessSeconds,
  addTokenFacts,
  detailsInForce,
  detailsOfToken,
  grantsInForce,
} from './granted-details.ts'
import { AUTHENTICATION, SIGNING } from './metadata.ts'
import { CONSENT_PATH, PATHS } from './paths.ts'
import { confirmDevice, deviceConnected, enterDeviceCode, renderProviderError } from './provider-pages.ts'

const MINUTE = 60
const DAY = 24 * 60 * MINUTE

export function createProvider(env: AuthorizationEnvironment): Provider {
  const { publicUrl } = env
  const provider = new Provider(publicUrl, configuration(env))
  provider.proxy = true
  const { owner_id } = env.store
  // The resource server looks up access tokens itself, so they have its format.
  const tokens = provider.AccessToken.prototype as unknown as { generateTokenId(): string }
  const generate = tokens.generateTokenId
  tokens.generateTokenId = function () {
    generate.call(this)
    return newToken('client', owner_id)
  }
  // The stored secret is a hash.
  provider.Client.prototype.compareClientSecret = function (actual: string) {
    return (this as unknown as { clientSecret?: string }).clientSecret === hashOf(actual)
  }
  // A client that names no authentication method has none, so it needs no secret.
  const clients = provider.Client as unknown as { needsSecret(metadata: object): boolean }
  const needsSecret = clients.needsSecret
  clients.needsSecret = metadata =>
    needsSecret.call(clients, { token_endpoint_auth_method: 'none', ...metadata })
  ignoreOfflineAccess(provider)
  takeEveryAddress(provider, new Set(resourcesOf(publicUrl)))
  provider.use(async (ctx, next) => {
    // oidc-provider sends such a code on by a script; the page for codes shows it instead.
    if (ctx.path === PATHS.code_verification) ctx.query = {}
    await next().catch(error => startDeviceAgain(ctx as KoaContextWithOIDC, error))
    if (ctx.oidc?.route === 'introspection') await addTokenFacts(env, ctx as KoaContextWithOIDC)
    if (ctx.oidc?.route === 'token') ctx.set('Pragma', 'no-cache')
  })
  provider.on('server_error', (ctx, error) => env.report(error, env.requestIdOf(ctx.res)))
  // Otherwise Koa prints them.
  const koa: EventEmitter = provider
  koa.on('error', (error: Error & { expose?: boolean }, { res }: KoaContextWithOIDC) => {
    if (!error.expose) env.report(error, env.requestIdOf(res))
  })
  return provider
}

/** Long-lived grants can be refreshed anyway, so this scope is ignored when clients request it, also on refresh. */
function ignoreOfflineAccess({ OIDCContext }: Provider): void {
  Object.defineProperty(OIDCContext.prototype, 'requestParamScopes', {
    get(this: { params?: { scope?: string } }) {
      const asked = new Set(this.params?.scope?.split(' '))
      if (asked.delete('offline_access') && asked.size === 0) asked.add(READ_SCOPE)
      return asked
    },
  })
}

/**
 * Each address of this server names the same resource. A client may use one when it asks and another when it redeems or
 * refreshes: the one in the metadata first, then the one that it was given.
 */
function takeEveryAddress(
  { AuthorizationCode, DeviceCode, RefreshToken }: Provider,
  resources: ReadonlySet<string>,
): void {
  for (const { prototype } of [AuthorizationCode, DeviceCode, RefreshToken])
    Object.defineProperty(prototype, 'resourceIndicators', { get: () => resources })
}

/**
 * Handles a form of the device page, or its end, without the session that the page started, which oidc-provider fails
 * to save.
 */
function startDeviceAgain(ctx: KoaContextWithOIDC, error: unknown): void {
  const { code_verification: page } = PATHS
  const isOfPage = ctx.path === page || ctx.path.startsWith(`${page}/`)
  if (!isOfPage || ctx.oidc.session?.exp !== undefined) throw error
  ctx.redirect(page)
  ctx.status = 303
}

function configuration(env: AuthorizationEnvironment): Configuration {
  const { publicUrl } = env
  const resources = new Set(resourcesOf(publicUrl))
  return {
    adapter: (model: string) => new StoreAdapter(env, model),
    cookies: {
      keys: [Buffer.from(hkdfSync('sha256', env.store.sealingKey, '', 'oauth cookies', 32)).toString('hex')],
      names: { session: 'oauth', interaction: 'oauth_request', resume: 'oauth_resume' },
    },
    jwks: signingKeys(),
    routes: { ...PATHS, jwks: '/oauth/jwks', userinfo: '/oauth/userinfo', end_session: '/oauth/end' },
    scopes: [],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: [...AUTHENTICATION],
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'EdDSA',
      authorization_details_types: [DATA_ACCESS],
    } as NonNullable<Configuration['clientDefaults']>,
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'], clientAuthSigningAlgValues: [...SIGNING] },
    extraClientMetadata: {
      properties: ['software_id'],
      validator: (_ctx, _key, _value, metadata) => tidyClientMetadata(metadata as Record<string, unknown>),
    },
    pkce: { required: () => true },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    interactions: { policy: alwaysAsk(), url: (_ctx, { uid }) => `${CONSENT_PATH}/${uid}` },
    loadExistingGrant: ctx => {
      const consent = ctx.oidc.result?.consent?.grantId
      return consent ? ctx.oidc.provider.Grant.find(consent) : undefined
    },
    expiresWithSession: () => false,
    extraParams: {
      client_display: (_ctx, value) => assertClientDisplay(value),
      [PINNED_DECLARATIONS]: ctx => assertAnyDetails(ctx as KoaContextWithOIDC),
    },
    issueRefreshToken: (_ctx, client, code) => mayRefresh(env, client, code),
    rotateRefreshToken: true,
    // A client that revokes a token gives up what the owner granted it.
    revokeGrantPolicy: () => true,
    renderError: (ctx, out) => renderProviderError(ctx, out, env.requestIdOf(ctx.res)),
    ttl: {
      AccessToken: (ctx, { rar }) => Math.min(accessSeconds(rar), secondsLeft(env, ctx)),
      AuthorizationCode: MINUTE,
      DeviceCode: 10 * MINUTE,
      Grant: 3_650 * DAY,
      Interaction: 60 * MINUTE,
      PushedAuthorizationRequest: MINUTE,
      RefreshToken: ctx => Math.min(90 * DAY, secondsLeft(env, ctx)),
      Session: DAY,
    },
    fetch: reportUnreachable(env.fetch ?? createDocumentFetch(env.clock), error =>
      env.report(error, Provider.ctx ? env.requestIdOf(Provider.ctx.res) : 'document'),
    ),
    fetchResponseBodyLimits: { jwks_uri: 64 * 1024, sector_identifier_uri: 1024 },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: true },
      registration: {
        enabled: true,
        idFactory: () => randomId('cli_', 16),
        secretFactory: async () => randomBytes(32).toString('base64url'),
        issueRegistrationAccessToken: false,
      },
      clientIdMetadataDocument: { enabled: env.settings.clientDocuments, ack: 'draft-02' },
      revocation: { enabled: true, allowedPolicy: ownTokensOnly },
      introspection: { enabled: true, allowedPolicy: ownTokensOnly },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: enterDeviceCode,
        userCodeConfirmSource: confirmDevice,
        successSource: deviceConnected,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => publicUrl,
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, resource) => {
          if (!resources.has(resource))
            throw new errors.InvalidTarget(`The resource of this server is ${publicUrl}`)
          askForReading(ctx.oidc)
          return { scope: READ_SCOPE, audience: publicUrl, accessTokenFormat: 'opaque' }
        },
      },
      richAuthorizationRequests: {
        enabled: true,
        types: { [DATA_ACCESS]: { validate: ctx => assertDetails(env, ctx) } },
        authorizationDetailsForGrantSource: ctx => detailsInForce(env, ctx),
        authorizationDetailsForAccessToken: ctx => detailsInForce(env, ctx),
        authorizationDetailsForIntrospection: (_ctx, token) => detailsOfToken(env, token),
      },
    },
  } as Configuration
}

/** The owner decides each authorization on the consent page, even if an earlier one is still valid. */
function alwaysAsk() {
  const { base, Check } = interactionPolicy
  const policy = base()
  const decided = new Check('owner_decision', 'the owner has to decide', 'consent_required', ctx =>
    ctx.oidc.result?.consent ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
  )
  const checks = policy.get('consent')?.checks
  // It would keep the details a second time.
  checks?.remove('rar_prompt')
  checks?.add(decided)
  return policy
}

/** A client that names no scope, or other scopes, is treated as asking to read: there is no other scope. */
function askForReading(oidc: { route: string; params?: Record<string, unknown> | undefined }): void {
  const asks = ['authorization', 'pushed_authorization_request', 'device_authorization']
  if (!asks.includes(oidc.route) || !oidc.params) return
  oidc.params.scope = READ_SCOPE
}

function ownTokensOnly(
  _ctx: unknown,
  client: { clientId: string },
  token: { clientId?: string | undefined },
) {
  return token.clientId === client.clientId
}

/**
 * Every violation in a request is refused before a page is shown. A pushed request is checked again when it is used,
 * against the declarations of the first check.
 */
async function assertDetails(env: AuthorizationEnvironment, ctx: KoaContextWithOIDC): Promise<void> {
  const params = ctx.oidc.params as Record<string, unknown>
  const catalog = await readCatalog(env.store.database, env.store.owner_id)
  const wasPushed = 'PushedAuthorizationRequest' in ctx.oidc.entities
  const pins = new DeclarationPins(
    wasPushed ? pinnedDeclarations(catalog, params[PINNED_DECLARATIONS]) : catalog.latestDeclaration,
  )
  const details = JSON.parse(String(params.authorization_details))
  refuseAs(errors.InvalidAuthorizationDetails, () => parseSelectionRequests(details, pins.find))
  params[PINNED_DECLARATIONS] = String(pins)
}

/** To oidc-provider an empty list means no details, and without details the owner chooses among everything. */
function assertAnyDetails({ oidc, query }: KoaContextWithOIDC): void {
  const given = String(oidc.body?.authorization_details ?? query.authorization_details)
  if (/^\s*\[\s*\]\s*$/.test(given))
    throw new errors.InvalidAuthorizationDetails('authorization_details is an empty list')
}

function assertClientDisplay(value: string | undefined): void {
  if (value !== undefined) refuseAs(errors.InvalidRequest, () => parseClientDisplay(value))
}

function refuseAs(Refusal: new (message: string) => Error, check: () => unknown): void {
  try {
    check()
  } catch (error) {
    throw error instanceof CodedError ? new Refusal(error.message) : error
  }
}

/** A set of grants can be refreshed only if all of them are continuous. */
async function mayRefresh(
  env: AuthorizationEnvironment,
  client: { grantTypeAllowed(type: string): boolean },
  code: { grantId?: string | undefined },
): Promise<boolean> {
  if (!client.grantTypeAllowed('refresh_token')) return false
  const grants = await grantsInForce(env, code.grantId)
  return grants.length > 0 && grants.every(({ access_mode }) => access_mode === 'continuous')
}

/** How many seconds the consent of this request has left: no token outlives it. */
function secondsLeft({ clock }: AuthorizationEnvironment, ctx: KoaContextWithOIDC): number {
  const exp = ctx.oidc.entities.Grant?.exp
  const now = Math.floor(clock().getTime() / 1000)
  return exp === undefined ? Number.POSITIVE_INFINITY : Math.max(1, exp - now)
}

/** oidc-provider requires a key; nothing is ever signed with it, because there are no id tokens. */
function signingKeys() {
  const { privateKey } = generateKeyPairSync('ed25519')
  return { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'EdDSA', use: 'sig' }] } as {
    keys: { kty: 'OKP'; crv: string; x: string; d: string; alg: string; use: 'sig' }[]
  }
}
