import type { MatchWindow, SearchHit } from '../../src/api/search.ts'
import { byTime, source, stream } from '../../test/mailbox.ts'
import type { TestServer } from '../../test/test-server.ts'
import { type Asked, askedBy, isProof } from './proof.ts'
import type { PlainMessage } from './texts.ts'

const DECLARATION = {
  ...source('parity', 'Parity'),
  streams: [
    stream(
      'messages',
      {
        subject: { type: 'string', x_pdpp_role: 'primary-title' },
        from: { type: 'string' },
        body: { type: 'string' },
        received_at: { type: 'string', format: 'date-time', x_pdpp_role: 'event-time' },
      },
      { ...byTime('received_at'), query: { search: { lexical_fields: ['subject', 'from', 'body'] } } },
    ),
  ],
}
const BATCH = 500

/** Puts the same messages with the same ids into each server. */
export async function fill(server: TestServer, messages: readonly PlainMessage[]): Promise<void> {
  const connection = await server.connect(DECLARATION)
  for (let first = 0; first < messages.length; first += BATCH) {
    const part = messages.slice(first, first + BATCH)
    const lines = part.map((message, i) => ({ data: { id: `m-${first + i}`, ...message } }))
    const { body } = await server.ingest('messages', connection, lines)
    if (body.added !== part.length) throw new Error(`A batch was not added: ${JSON.stringify(body)}`)
  }
}

type Hit = Pick<SearchHit, 'record_key' | 'match_windows'>

export interface Outcome {
  queries: number
  hits: number
  windows: number
  differences: string[]
}

/**
 * Sends every query to both servers: hits, order and windows must be the same, and each window must match the field
 * itself.
 */
export async function compare(
  [one, other]: [TestServer, TestServer],
  queries: readonly string[],
): Promise<Outcome> {
  const outcome: Outcome = { queries: queries.length, hits: 0, windows: 0, differences: [] }
  const proven = new Set<string>()
  for (const query of queries) {
    const path = `/v1/search?limit=25&q=${encodeURIComponent(query)}`
    const [first, second] = await Promise.all([one.json(path), other.json(path)])
    if (first.status !== 200 || second.status !== 200) {
      outcome.differences.push(`${JSON.stringify(query)}: ${first.status} and ${second.status}`)
      continue
    }
    const [a, b] = [first.body.data as Hit[], second.body.data as Hit[]]
    const shown = (hits: Hit[]) =>
      hits.map(({ record_key, match_windows }) => ({ record_key, match_windows }))
    if (JSON.stringify(shown(a)) !== JSON.stringify(shown(b)))
      outcome.differences.push(`${JSON.stringify(query)}: ${firstDifference(a, b)}`)
    const warnings = first.body.meta.warnings as { code: string; detail?: { taken: string } }[]
    const asked = askedBy(query, {
      asWords: warnings.some(({ code }) => code === 'phrase_as_words'),
      taken: warnings.flatMap(({ code, detail }) =>
        code === 'word_corrected' && detail ? detail.taken : [],
      ),
    })
    outcome.hits += a.length
    for (const hit of a) {
      if (hit.match_windows.length === 0)
        outcome.differences.push(`${JSON.stringify(query)}: ${hit.record_key} has no window`)
      for (const window of hit.match_windows) {
        outcome.windows++
        const failure = await disproof(one, asked, hit.record_key, window, proven)
        if (failure) outcome.differences.push(`${JSON.stringify(query)}: ${hit.record_key} ${failure}`)
      }
    }
  }
  return outcome
}

function firstDifference(a: Hit[], b: Hit[]): string {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if (a[i]?.record_key !== b[i]?.record_key)
      return `hit ${i} is ${a[i]?.record_key} and ${b[i]?.record_key}`
    if (JSON.stringify(a[i]?.match_windows) !== JSON.stringify(b[i]?.match_windows))
      return `the windows of ${a[i]?.record_key} differ`
  }
  return 'they differ'
}

/** Why a window does not match the field; null if it does. */
async function disproof(
  server: TestServer,
  asked: Asked,
  record_key: string,
  window: MatchWindow,
  proven: Set<string>,
): Promise<string | null> {
  const { field_path, text, text_start_chars: from, text_end_chars: to } = window
  const place = `${record_key}/field-window?field=${encodeURIComponent(field_path)}&offset_chars=${from}&limit_chars=${to - from}`
  if (!proven.has(place)) {
    const { body } = await server.json(`/v1/streams/messages/records/${place}`)
    if (body.window?.text !== text) return `${place} reads otherwise`
    if (body.field.size_chars !== window.size_chars) return `${field_path} has another size`
    proven.add(place)
  }
  const matched = Array.from(text)
    .slice(window.start_chars - from, window.end_chars - from)
    .join('')
  if (matched === '' || window.start_chars < from || window.end_chars > to) return 'shows no match'
  return isProof(matched, asked) ? null : `does not prove ${JSON.stringify(matched)}`
}
