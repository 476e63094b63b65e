import type { AuthorizationWorld } from '../../test/authorization-world.ts'
import { DAY_MS, narrow, rewrite } from './world.ts'

type Call = (name: string, args: Record<string, unknown>) => Promise<string>

/** A refusal that a model can encounter, and how to cause it. */
interface Refusal {
  code: string
  /** The call that is refused, made with what the model received before. */
  ask(call: Call, at: { id: string; connection: string; world: AuthorizationWorld }): Promise<string>
}

/** Every code with which a client's tool call can be refused while the server works and the access is valid. */
export const REFUSALS: readonly Refusal[] = [
  refusal('not_found', 'fetch', ({ connection }) => ({ id: `${connection}/messages:none` })),
  refusal('connection_not_found', 'fetch', () => ({ id: 'cin_none/messages:long' })),
  refusal('grant_stream_not_allowed', 'query_records', () => ({ stream: 'nowhere' })),
  refusal('invalid_request', 'search', () => ({ query: 'treaty', since: 'some day' })),
  refusal('unknown_field', 'query_records', () => ({ stream: 'messages', fields: ['nowhere'] })),
  refusal('invalid_cursor', 'query_records', () => ({ stream: 'messages', cursor: 'zzz' })),
  refusal('invalid_field_path', 'read_record_field', ({ id }) => ({ id, field_path: '/a~2' })),
  refusal('invalid_window', 'read_record_field', ({ id }) => ({
    id,
    field_path: 'body',
    offset_chars: 1,
    q: 'a',
  })),
  refusal('invalid_result_id', 'fetch', () => ({ id: 'nowhere' })),
  refusal('conflicting_connection_id', 'fetch', ({ id }) => ({ id, connection_id: 'cin_none' })),
  refusal('field_not_found', 'read_record_field', ({ id }) => ({ id, field_path: '/parts/7' })),
  refusal('field_not_text', 'read_record_field', ({ id }) => ({ id, field_path: 'size' })),
  refusal('query_not_found', 'read_record_field', ({ id }) => ({
    id,
    field_path: 'body',
    q: 'no such words',
  })),
  refusal('no_conversation', 'read_conversation', ({ connection }) => ({
    id: `${connection}/messages:lone`,
  })),
  refusal('ambiguous_connection', 'fetch', () => ({ id: 'messages:m1' })),
  {
    code: 'stale_cursor',
    async ask(call, { id, connection, world }) {
      const window = await call('read_record_field', { id, field_path: 'body', limit_chars: 500 })
      await rewrite(world, connection)
      return call('read_record_field', { id, field_path: 'body', cursor: cursorIn(window) })
    },
  },
  {
    code: 'field_not_granted',
    async ask(call, { id, world }) {
      await narrow(world)
      return call('fetch', { id, fields: ['secret'] })
    },
  },
  {
    code: 'cursor_expired',
    async ask(call, { id, world }) {
      const window = await call('read_record_field', { id, field_path: 'body', limit_chars: 500 })
      world.wait(DAY_MS)
      return call('read_record_field', { id, field_path: 'body', cursor: cursorIn(window) })
    },
  },
]

function refusal(
  code: string,
  tool: string,
  args: (at: { id: string; connection: string }) => Record<string, unknown>,
): Refusal {
  return { code, ask: (call, at) => call(tool, args(at)) }
}

/** The cursor that continues reading, from either half of a result. */
function cursorIn(window: string): string {
  return /"next_cursor":"([^"]+)"/.exec(window.replaceAll('\\"', '"'))?.[1] ?? ''
}

/** Which of the refusals did not reach the model, and what it received instead. */
export async function unseen(
  call: Call,
  at: { id: string; connection: string; world: AuthorizationWorld },
): Promise<{ code: string; told: string }[]> {
  const lost: { code: string; told: string }[] = []
  for (const { code, ask } of REFUSALS) {
    const told = await ask(call, at).catch(String)
    if (!new RegExp(`\\b${code}: `).test(told)) lost.push({ code, told })
  }
  return lost
}
