import {
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server'
import type { CodedError } from '../../model/errors.ts'
import type { ProviderError } from '../reading/provider-error.ts'

const KEY = 'owner_page'
/** Clients that declare that they show links, and drop the answer that carries one: Copilot CLI 1.0.102 over HTTP. */
const DROP_LINKS: ReadonlySet<string> = new Set(['copilot-cli'])

/** What is known of the client that made a call. */
export interface Asker {
  /** As it calls itself. */
  name: string | undefined
  capabilities: ClientCapabilities | undefined
  /** What it answered to an earlier question about the same call. */
  responses: Record<string, unknown> | undefined
  /** The origin whose pages it may be sent to. */
  origin: string
}

/**
 * A refusal that the owner can lift, as a link for the person where the client can show one. It is offered once: after the
 * client has answered, the call is simply tried again.
 */
export function askOwner(error: CodedError | ProviderError, asker: Asker): InputRequiredResult | null {
  const { owner_page: url } = error.details as Record<string, unknown>
  const { name = '', capabilities, responses, origin } = asker
  if (typeof url !== 'string' || !url.startsWith(`${origin}/`)) return null
  if (DROP_LINKS.has(name)) return null
  if (!capabilities?.elicitation?.url || inputResponse(responses, KEY).kind !== 'missing') return null
  const message =
    'This needs more than you have allowed. Open the page to decide whether this app may read it.'
  return inputRequired({ inputRequests: { [KEY]: inputRequired.elicitUrl({ message, url }) } })
}
