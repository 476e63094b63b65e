import { randomBytes } from 'node:crypto'
import type { GrantTerms } from '../../model/access/grant.ts'
import { READ_SCOPE } from '../../model/access/oauth-scope.ts'
import { DATA_ACCESS } from '../../model/access/selection-request.ts'
import { type Decision, oauthEnd } from '../../store/access/consents.ts'
import type { Asking } from './consent-request.ts'

interface Approved {
  owner_id: string
  grants: GrantTerms[]
  expires_at: string | null
  shown: string
  training: boolean
  now: Date
}

/** What is written when the owner allows a request: the grants, the evidence of the decision, and OAuth's own grant. */
export function decision({ interaction, card, offers }: Asking, approved: Approved): Decision {
  const { owner_id, grants, expires_at, shown, training, now } = approved
  const { resource } = interaction.params as { resource?: string | string[] }
  const requests = offers.flatMap(({ request }) => request ?? [])
  const iat = Math.floor(now.getTime() / 1000)
  const payload = {
    kind: 'Grant',
    accountId: owner_id,
    clientId: card.client_id,
    iat,
    exp: oauthEnd(iat, expires_at),
    // Only says that there are details; their content comes from the grants that are active when it is requested.
    rar: [{ type: DATA_ACCESS }],
    resources: Object.fromEntries([resource ?? []].flat().map(each => [each, READ_SCOPE])),
  }
  const id = randomBytes(24).toString('base64url')
  return {
    owner_id,
    interaction: interaction.uid,
    client_id: card.client_id,
    client_name: card.name,
    grants,
    // A request with details is followed strictly: a refresh token works once (RFC 6819, PC-54).
    strict: requests.length > 0,
    evidence: { digest: shown, client: card, requests, ai_training: training },
    artifact: {
      owner_id,
      model: 'Grant',
      id,
      payload,
      consent_id: id,
      lookup: null,
      opens: false,
      asked_from: null,
      now: now.toISOString(),
      expires_at: null,
    },
    now: now.toISOString(),
  }
}
