import { type Client, errors, type Interaction } from 'oidc-provider'
import { type OfferedStream, offer } from '../../model/access/consent.ts'
import { type GrantState, isActive } from '../../model/access/grant.ts'
import { type AskedAccess, DATA_ACCESS, parseAskedAccess } from '../../model/access/selection-request.ts'
import { CodedError } from '../../model/errors.ts'
import { listGrants } from '../../store/access/grants.ts'
import { readCatalog } from '../../store/records/catalog.ts'
import { type OwnerSession, requireOwner } from '../owner/owner-session.ts'
import type { PageRequest } from '../page-request.ts'
import { type ClientCard, clientCard } from './client-card.ts'

/** A client's request, with everything that the owner has to know to decide it. */
export interface Asking {
  interaction: Interaction
  card: ClientCard
  asked: AskedAccess | null
  offered: OfferedStream[]
  /** How many grants the app has already. */
  active: number
  session: OwnerSession
}

/** The request that a page is about, for the signed-in owner in the browser where it was begun. */
export async function openRequest({
  env,
  provider,
  request,
  node,
  path,
}: PageRequest): Promise<Asking | Response> {
  const session = await requireOwner(env, request)
  if (session instanceof Response) return session
  const interaction = await provider
    .interactionDetails(node.incoming, node.outgoing)
    .catch((error: unknown) => {
      if (error instanceof errors.SessionNotFound) throw expired()
      throw error
    })
  const { params, uid } = interaction
  if (uid !== path.uid) throw expired()
  const client = await provider.Client.find(String(params.client_id))
  if (!client) throw expired()
  const asked = askedBy(params.authorization_details)
  const { database, owner_id } = env.store
  const { connections } = await readCatalog(database, owner_id)
  const grants = await listGrants(database, owner_id)
  const isTheirs = (grant: GrantState) => grant.client_id === client.clientId && isActive(grant, env.clock())
  return {
    interaction,
    card: clientCard(client as Client, interaction),
    asked,
    offered: offer(connections, asked),
    active: grants.filter(isTheirs).length,
    session,
  }
}

function expired(): CodedError {
  const message =
    'This request is over, or was begun in another browser. Go back to the app and connect again.'
  return new CodedError('request_expired', message)
}

/** What the request says it wants; several details of our type are one request. */
function askedBy(details: unknown): AskedAccess | null {
  if (typeof details !== 'string') return null
  const parsed = (JSON.parse(details) as { type?: unknown }[])
    .filter(detail => detail.type === DATA_ACCESS)
    .map(parseAskedAccess)
  const [first] = parsed
  if (!first) return null
  return {
    purpose: first.purpose,
    single_use: parsed.some(detail => detail.single_use),
    streams: parsed.flatMap(detail => detail.streams),
  }
}
