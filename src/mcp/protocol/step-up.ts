import {
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server'
import type { CodedError } from '../../model/errors.ts'
import type { ProviderError } from '../reading/provider-error.ts'

const KEY = 'owner_page'
/** Clients that declare support for links but drop a response that contains one: Copilot CLI 1.0.102 over HTTP. */
const DROP_LINKS: ReadonlySet<string> = new Set(['copilot-cli'])

/** What is known about the client that made a call. */
export interface Asker {
  /** The name that it gives itself. */
  name: string | undefined
  capabilities: ClientCapabilities | undefined
  /** Its answer to an earlier question about the same call. */
  responses: Record<string, unknown> | undefined
  /** The origin whose pages it may be sent to. */
  origin: string
}

/**
 * Turns a refusal that the owner can lift into a link for the person, if the client can show one. It is offered once:
 * after the client has answered, the call is simply repeated.
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
