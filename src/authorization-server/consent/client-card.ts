import type { Client, Interaction } from 'oidc-provider'
import { type ClientDisplay, parseClientDisplay } from '../../model/access/client-display.ts'
import { isLoopbackAddress } from '../redirect-address.ts'

/** Who is asking, and which facts about it are verified rather than claimed. */
export interface ClientCard {
  client_id: string
  /** The registered name, or else the name in the request, or else the client id itself. */
  name: string
  isNamed: boolean
  /** The host that serves the client's document; null if the client registered itself. */
  verifiedHost: string | null
  /** Whether the response goes to a program on the owner's device, which may not be the one it claims to be. */
  isLocal: boolean
  /** Where the response goes, in words. */
  goesTo: string
  /** Where a form that ends there may redirect. */
  formTarget: string | null
  redirect_uri: string | null
  policy_uri: string | null
  tos_uri: string | null
}

const SHOWN_CHARS = 200

export function clientCard(client: Client, interaction: Interaction): ClientCard {
  const { redirect_uri, client_display } = interaction.params as Record<string, string | undefined>
  const display: Partial<ClientDisplay> =
    client_display === undefined ? {} : parseClientDisplay(client_display)
  const document = (client as { clientIdMetadataDocument?: boolean }).clientIdMetadataDocument === true
  const verifiedHost = document ? new URL(client.clientId).host : null
  const name = oneLine(client.clientName) || oneLine(display.name)
  const card = {
    client_id: client.clientId,
    name: name || (verifiedHost ?? client.clientId),
    isNamed: name !== '',
    verifiedHost,
    redirect_uri: redirect_uri ?? null,
    policy_uri: client.policyUri ?? display.policy_uri ?? null,
    tos_uri: client.tosUri ?? display.tos_uri ?? null,
  }
  if (!redirect_uri)
    return { ...card, isLocal: true, goesTo: 'a device that showed you a code', formTarget: null }
  const url = new URL(redirect_uri)
  if (isLoopbackAddress(url))
    return { ...card, isLocal: true, goesTo: `this computer (${url.host})`, formTarget: url.origin }
  if (url.protocol === 'https:') return { ...card, isLocal: false, goesTo: url.host, formTarget: url.origin }
  const goesTo = `whatever opens ${url.protocol} addresses on this device (${url.href.slice(0, SHOWN_CHARS)})`
  return { ...card, isLocal: true, goesTo, formTarget: url.protocol }
}

function oneLine(text: string | undefined): string {
  return (text ?? '').replace(/[\p{C}\s]+/gu, ' ').trim()
}
