import { html } from 'hono/html'
import type { MatchWindow, SearchHit } from '../../api/search.ts'
import { citationUrl } from '../../model/ids/citation.ts'
import { sliceCodePoints } from '../../model/text/code-points.ts'
import { inOneLine } from '../../pages/facts.ts'
import type { Html } from '../../pages/layout.ts'
import type { Times } from '../../pages/times.ts'
import { authorName } from '../author-name.ts'
import { kindBeside, type Vocabulary } from '../vocabulary.ts'

/** A hit as returned by search: who, when and where, then the evidence. Each passage opens the record at its mark. */
export function hitCard(hit: SearchHit, vocabulary: Vocabulary, times: Times, badge?: string): Html {
  const { author, occurred_at, display_name, connection_id, stream } = hit
  const kind = kindBeside(vocabulary, connection_id, stream)
  const facts = [author && authorName(author), occurred_at && times.day(occurred_at), display_name, kind]
  const [best] = hit.match_windows
  const heading = hit.match_windows.find(window => repeats(hit.title, window))
  return html`<li class="hit stack-tight">
<h2 dir="auto"><a href="${pathTo(hit, heading ?? best)}">${heading ? evidence(heading) : hit.title || vocabulary.labels.get(stream) || stream}</a></h2>
<p class="soft small">${inOneLine(facts.flatMap(fact => fact || []))}${badge ? html` <span class="badge warn">${badge}</span>` : ''}</p>
${hit.match_windows.map(window => (window === heading ? '' : html`<a class="evidence" dir="auto" href="${pathTo(hit, window)}">${evidence(window)}</a>`))}
</li>`
}

const HEADING_CHARS = 140

/** Whether a short passage begins with the title, as that of a chat message does: then it is the heading itself. */
function repeats(title: string | null, { text, text_start_chars }: MatchWindow): boolean {
  if (title === null || text_start_chars > 0 || text.length > HEADING_CHARS) return false
  return text.replace(/\s+/g, ' ').trimStart().startsWith(title.replace(/…$/, ''))
}

/** The page of the record on this server, at the passage. */
export function pathTo({ connection_id, stream, record_key }: SearchHit, window?: MatchWindow): string {
  return citationUrl('', { connection_id, stream, record_id: record_key }, window)
}

/** The text around a match, with the match marked. */
export function evidence({ text, ...at }: MatchWindow): Html {
  const from = at.start_chars - at.text_start_chars
  const to = at.end_chars - at.text_start_chars
  return html`${at.text_start_chars > 0 ? '… ' : ''}${sliceCodePoints(text, 0, from)}<mark>${sliceCodePoints(text, from, to)}</mark>${sliceCodePoints(text, to, text.length)}${at.text_end_chars < at.size_chars ? ' …' : ''}`
}
