import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Grant } from '../../model/access/grant.ts'
import { DATA_ACCESS } from '../../model/access/selection-request.ts'
import { readConsent } from '../../store/access/consents.ts'
import type { AuthorizationEnvironment } from '../environment.ts'

/** The grants of a consent that are active now; a revoked one no longer appears in any response. */
export async function grantsInForce(
  { store, clock }: AuthorizationEnvironment,
  consent_id: string | undefined,
): Promise<Grant[]> {
  if (consent_id === undefined) return []
  const consent = await readConsent(store.database, { owner_id: store.owner_id, consent_id, now: clock() })
  return consent?.active ?? []
}

/** What was granted, in the form of a request: one detail for each active grant. */
export async function detailsInForce(env: AuthorizationEnvironment, ctx: KoaContextWithOIDC) {
  return describe(await grantsInForce(env, ctx.oidc.entities.Grant?.jti))
}

export async function detailsOfToken(env: AuthorizationEnvironment, token: object) {
  return describe(await grantsInForce(env, (token as { grantId?: string }).grantId))
}

function describe(grants: readonly Grant[]) {
  return grants.map(grant => {
    const { grant_id, source, purpose_code, purpose_description, access_mode, streams } = grant
    const { retention, selection_preset } = grant
    return {
      type: DATA_ACCESS,
      ...(grants.length > 1 ? { grant_id } : {}),
      source,
      purpose_code,
      ...(purpose_description === undefined ? {} : { purpose_description }),
      access_mode,
      streams,
      ...(retention === undefined ? {} : { retention }),
      ...(selection_preset === undefined ? {} : { selection_preset }),
    }
  })
}

/** Adds to an introspection response what a resource server of this protocol needs to know. */
export async function addTokenFacts(env: AuthorizationEnvironment, ctx: KoaContextWithOIDC): Promise<void> {
  const body = ctx.body as Record<string, unknown> | undefined
  const token = ctx.oidc.entities.AccessToken
  if (body?.active !== true || !token) return
  const grants = await grantsInForce(env, token.grantId)
  const [first] = grants
  const subject_id = env.store.owner_id
  if (!first) ctx.body = { active: false }
  else if (grants.length > 1) Object.assign(body, { pdpp_token_kind: 'package', subject_id })
  else {
    const { grant_id, issued_at, source, source_declaration, client } = first
    const { client_id } = client
    const pdpp = {
      context_kind: 'oauth_rar_0_1',
      grant_id,
      client_id,
      subject_id,
      issued_at,
      source,
      source_declaration,
    }
    Object.assign(body, { pdpp_token_kind: 'client', subject_id, grant_id, pdpp })
  }
}

const HOUR_SECONDS = 3_600

/**
 * How long an access token is valid: a working day, because some clients do not renew one in an open session. Access that
 * is removed ends at the next request anyway. A single-use grant has one token, for an hour.
 */
export function accessSeconds(details: readonly { type: string; access_mode?: unknown }[] = []): number {
  return details.some(({ access_mode }) => access_mode === 'single_use') ? HOUR_SECONDS : 8 * HOUR_SECONDS
}
