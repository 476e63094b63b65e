import type { Client, Interaction } from 'oidc-provider'

/** Who asks, and how much of it is known rather than claimed. */
export interface ClientCard {
  client_id: string
  name: string
  /** The host whose document the client is; null when the client registered itself. */
  verifiedHost: string | null
  /** Where the answer goes, in words. */
  goesTo: string
  isLocal: boolean
  /** Where a form that ends there may lead. */
  formTarget: string | null
  redirect_uri: string | null
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

export function clientCard(client: Client, interaction: Interaction): ClientCard {
  const { redirect_uri } = interaction.params as { redirect_uri?: string }
  const document = (client as { clientIdMetadataDocument?: boolean }).clientIdMetadataDocument === true
  const verifiedHost = document ? new URL(client.clientId).host : null
  const name = (client.clientName ?? '').replace(/[\p{C}\s]+/gu, ' ').trim()
  const card = {
    client_id: client.clientId,
    name: name === '' ? (verifiedHost ?? 'An app without a name') : name,
    verifiedHost,
    redirect_uri: redirect_uri ?? null,
  }
  if (!redirect_uri)
    return { ...card, goesTo: 'a device that showed you a code', isLocal: false, formTarget: null }
  const url = new URL(redirect_uri)
  if (LOOPBACK.has(url.hostname))
    return { ...card, goesTo: `this computer (${url.host})`, isLocal: true, formTarget: url.origin }
  if (url.protocol === 'https:') return { ...card, goesTo: url.host, isLocal: false, formTarget: url.origin }
  return {
    ...card,
    goesTo: `an app on this device (${url.protocol}//…)`,
    isLocal: true,
    formTarget: url.protocol,
  }
}
