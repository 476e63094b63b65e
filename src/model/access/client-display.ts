import { type CodedError, invalidRequest } from '../errors.ts'
import { isObject } from '../json.ts'
import { hasAtMost } from '../text/code-points.ts'

/** What a client says about itself in its request. It is not verified. */
export interface ClientDisplay {
  name: string
  uri?: string
  logo_uri?: string
  policy_uri?: string
  tos_uri?: string
}

const MEMBERS = ['name', 'uri', 'logo_uri', 'policy_uri', 'tos_uri']
const MOST_CHARS = 2_000

/** Parses the parameter `client_display`, which is JSON text. */
export function parseClientDisplay(text: string): ClientDisplay {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refused('it is not JSON')
  }
  if (!isObject(value)) throw refused('it is not an object')
  for (const [name, member] of Object.entries(value)) {
    if (!MEMBERS.includes(name)) throw refused(`${name} is not a member of it`)
    if (typeof member !== 'string' || member === '' || !hasAtMost(member, MOST_CHARS))
      throw refused(`${name} is a text of 1 to ${MOST_CHARS} characters`)
    if (name !== 'name' && !/^https?:\/\/[^\s/]+/.test(member))
      throw refused(`${name} is an address on the web`)
  }
  if (typeof value.name !== 'string') throw refused('it has no name')
  return value as unknown as ClientDisplay
}

function refused(reason: string): CodedError {
  return invalidRequest(`client_display is refused: ${reason}.`, 'client_display')
}
