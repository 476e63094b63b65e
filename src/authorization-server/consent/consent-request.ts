import { type Client, errors, type Interaction } from 'oidc-provider'
import { type Offer, offersOf } from '../../model/access/consent.ts'
import { type Grant, type GrantState, isActive } from '../../model/access/grant.ts'
import { parseSelectionRequests } from '../../model/access/selection-request.ts'
import { CodedError } from '../../model/errors.ts'
import { lastGrants } from '../../store/access/consents.ts'
import { listGrants } from '../../store/access/grants.ts'
import { readCatalog } from '../../store/records/catalog.ts'
import type { PageRequest } from '../environment.ts'
import { type OwnerSession, requireOwner } from '../owner/owner-session.ts'
import { PINNED_DECLARATIONS, pinnedDeclarations } from '../pinned-declarations.ts'
import { type ClientCard, clientCard } from './client-card.ts'

/** A client's request, with everything that the owner needs to know to decide it. */
export interface Asking {
  interaction: Interaction
  card: ClientCard
  /** One for each detail of the request; a single one without a request if the client sent no details. */
  offers: Offer[]
  /** How many active grants the app already has. */
  active: number
  /** What the app had, if it asked before and now asks for nothing in particular. */
  had: Grant[]
  session: OwnerSession
}

/** The request that a page is about, for the signed-in owner in the browser that started it. */
export async function openRequest(page: PageRequest): Promise<Asking | Response> {
  const { env, request, node, path } = page
  const session = await requireOwner(env, request)
  if (session instanceof Response) return session
  const provider = await page.provider()
  const interaction = await provider
    .interactionDetails(node.incoming, node.outgoing)
    .catch((error: unknown) => {
      if (error instanceof errors.SessionNotFound) throw expired()
      throw error
    })
  const { params, uid } = interaction
  if (uid !== path.uid) throw expired()
  const client = await provider.Client.find(String(params.client_id)).catch((error: unknown) => {
    // The rules for clients may have become stricter since it registered.
    if (error instanceof errors.OIDCProviderError) throw expired()
    throw error
  })
  if (!client) throw expired()
  const { database, owner_id } = env.store
  const catalog = await readCatalog(database, owner_id)
  const find = pinnedDeclarations(catalog, params[PINNED_DECLARATIONS])
  const { authorization_details: details } = params
  const requests = typeof details === 'string' ? parseSelectionRequests(JSON.parse(details), find) : null
  const named = (each: (typeof catalog.connections)[number]) => ({
    ...each,
    display_name: env.shown(each.display_name),
  })
  const grants = await listGrants(database, owner_id)
  const isTheirs = (grant: GrantState) => grant.client_id === client.clientId && isActive(grant, env.clock())
  return {
    interaction,
    card: clientCard(client as Client, interaction),
    offers: offersOf(catalog.connections.map(named), requests, find),
    active: grants.filter(isTheirs).length,
    // An app is recognised by its id, which is the URL of its document if it has one. Anyone can choose any name.
    had:
      requests === null
        ? await lastGrants(database, { owner_id, client_id: client.clientId, now: env.clock() })
        : [],
    session,
  }
}

function expired(): CodedError {
  const message =
    'It was answered already, has waited for too long, or was started in another browser. Go back to the app and connect again.'
  return new CodedError('request_expired', message)
}
