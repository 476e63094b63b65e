import type { AuthorizationWorld } from '../../test/authorization-world.ts'
import { REFUSALS, unseen } from './refusals.ts'
import type { Calls, Way } from './session.ts'
import { EXPIRED_MS, removeAccess } from './world.ts'

/** What was observed of one client in one way; a text if something other than yes or no was observed. */
export type Seen = Record<Step, string>

export const STEPS = [
  'tools',
  'channel',
  'search',
  'conversation',
  'window',
  'fetch',
  'link',
  'errors',
  'expired',
  'revoked',
] as const
export type Step = (typeof STEPS)[number]

/** Search, conversation, window, fetch, an error, an expired token and removed access, each from what the model was given. */
export async function travel(session: Calls, world: AuthorizationWorld, way: Way): Promise<Seen> {
  const seen = Object.fromEntries(STEPS.map(step => [step, 'no'])) as Seen
  seen.tools = String(session.tools.length)
  const found = await session.call('search', { query: 'quetzalcoatlus treaty' })
  seen.channel = channelOf(found)
  seen.search = size(found)
  const id = /cin_\w+\/messages:long/.exec(found)?.[0] ?? ''
  if (id === '') return seen
  const conversation = await session.call('read_conversation', { id })
  if (conversation.includes('messages:m1')) seen.conversation = size(conversation)
  const next = nextCall(found)
  if (next) {
    const window = await session.call('read_record_field', next)
    if (window.includes('quetzalcoatlus treaty')) seen.window = `copied call, ${size(window)}`
  }
  const fetched = await session.call('fetch', { id })
  if (fetched.includes(id)) seen.fetch = size(fetched)
  seen.link = [found, fetched].every(text => text.includes(`${world.url}/r/`)) ? 'yes' : 'no'
  const connection = id.split('/')[0] ?? ''
  const lost = await unseen((name, args) => session.call(name, args), { id, connection, world })
  seen.errors = lost.length === 0 ? `all ${REFUSALS.length}` : lost.map(lostText).join('; ')
  if (way === 'sign-in') {
    world.wait(EXPIRED_MS)
    const again = await session.call('search', { query: 'treaty' }).catch(String)
    seen.expired = again.includes('messages:long') ? 'continues' : short(again)
  } else seen.expired = '–'
  await removeAccess(world)
  const after = await session.call('search', { query: 'treaty' }).catch(String)
  seen.revoked = after.includes('messages:long') ? 'still reads' : (TOLD.exec(after)?.[0] ?? short(after))
  return seen
}

/** Whether a step did what it should. */
export function worked(step: Step, told: string): boolean {
  if (step === 'errors') return told.startsWith('all ')
  if (step === 'expired') return told === 'continues' || told === '–'
  if (step === 'revoked') return TOLD.test(told)
  return told !== 'no'
}

/**
 * Which halves of a result the model receives: only the text has calls in words, only structured content has the
 * ladder.
 */
function channelOf(found: string): string {
  const text = /read_record_field \{/.test(found)
  const structured = found.includes('content_ladder')
  if (text && structured) return 'both'
  return text ? 'text' : structured ? 'structured' : 'no'
}

/** How clients report that access was removed; the words around it are their own. */
const TOLD =
  /grant_revoked: [^.]+\.|The token is unknown, expired or revoked|requires re-authorization|Re-authentication required|Authentication required|Unauthorized|rejected (?:its configured|the) Authorization header|needs you to sign in again|auth_required/

/** The arguments of the first call that continues reading, as text or as JSON. */
function nextCall(text: string): Record<string, unknown> | null {
  const plain = text.replaceAll('\\"', '"')
  const shown =
    /read_record_field (\{"id".*?\})/.exec(plain)?.[1] ??
    /"tool":"read_record_field","args":(\{.*?\})/.exec(plain)?.[1]
  return shown === undefined ? null : (JSON.parse(shown) as Record<string, unknown>)
}

function lostText({ code, told }: { code: string; told: string }): string {
  return `not ${code}: ${short(told)}`
}

function size(text: string): string {
  return `${Buffer.byteLength(text).toLocaleString('en')} bytes`
}

function short(text: string): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '/')
    .replaceAll(/req_\S+?(?=["\s,}]|$)/g, 'req_…')
  return line.length > 160 ? `${line.slice(0, 160)}…` : line
}
