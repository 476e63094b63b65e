import { html } from 'hono/html'
import { fieldWindow } from '../../api/records.ts'
import { passagesOf, type Shown } from '../../model/access/shown.ts'
import { number } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { citationUrl } from '../../model/ids/citation.ts'
import { sliceCodePoints } from '../../model/text/code-points.ts'
import { notice } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { humanName, listed } from '../../pages/words.ts'
import { clientNames } from '../app-names.ts'
import { disclosuresOf } from '../apps/app-reads.ts'
import { orNull, type Visit } from '../visit.ts'
import { readVocabulary, type Vocabulary } from '../vocabulary.ts'
import { recordLink } from './record-link.ts'
import { refusedWords, requestWords } from './request-words.ts'
import { saidHtml } from './sittings.ts'

/** Requests of one millisecond are read together. */
const MOST_REQUESTS = 100

/** One request: every record it showed, and the passages marked in their text. */
export async function showRequest(visit: Visit): Promise<Response> {
  const { client_id = '', disclosure_id = '' } = visit.path
  const at = Date.parse(visit.query.get('at') ?? '')
  const moment = Number.isNaN(at)
    ? {}
    : { since: new Date(at).toISOString(), until: new Date(at + 1).toISOString() }
  const [{ disclosures }, names, vocabulary] = await Promise.all([
    disclosuresOf(visit, { client_id, ...moment, most: MOST_REQUESTS }),
    clientNames(visit),
    readVocabulary(visit),
  ])
  const found = disclosures.find(each => each.disclosure_id === disclosure_id)
  if (!found) throw new CodedError('not_found', 'There is no such request in the ledger.')
  const name = names.get(client_id) ?? client_id
  const shown = found.shown.filter(({ record_ids }) => record_ids.length > 0)
  const groups = Map.groupBy(shown.slice(0, MOST_CARDS), ({ connection_id, stream, fields }) =>
    JSON.stringify([connection_id, stream, fields]),
  )
  const sections = await Promise.all(
    [...groups.values()].map(group => shownSection(visit, group, vocabulary)),
  )
  const body = html`<div class="stack-wide">
<header class="stack-tight"><p class="small"><a href="/activity">Activity</a> · <a href="/activity/${encodeURIComponent(client_id)}">${name}</a></p>
<h1>${name} ${saidHtml(visit, requestWords(found), false)}</h1><p class="lede">${visit.times.at(found.at)}</p></header>
${found.query ? html`<p>It asked: <code>${visit.shown(decoded(found.query))}</code></p>` : ''}
${shown.length === 0 ? html`<p class="card soft">${refusedWords(found)} No record was shown.</p>` : sections}
${shown.length > MOST_CARDS ? notice('info', `Only the first ${MOST_CARDS} are listed here.`) : ''}</div>`
  return pageResponse({ title: `${name} · Activity`, body, section: 'activity' })
}

const MOST_CARDS = 50
const MOST_PASSAGES = 5
const MOST_RECORDS = 20
const AROUND_CHARS = 80
const MOST_PASSAGE_CHARS = 600

/** What was shown of the same fields of one kind of record. */
async function shownSection(
  visit: Visit,
  group: readonly Shown[],
  { sources, labels }: Vocabulary,
): Promise<Html> {
  const [{ connection_id, stream, fields } = { connection_id: '', stream: '', fields: [] }] = group
  const hasPassages = group.some(each => passagesOf(each).length > 0)
  const source = sources.get(connection_id) ?? 'A removed source'
  return html`<section class="stack"><div class="stack-tight"><h2>${source} – ${labels.get(stream) ?? humanName(stream)}</h2>
<p class="soft">Fields: ${listed(fields.map(humanName))}.${hasPassages ? ' The text that it was shown is marked.' : ''}</p></div>
<ol class="rows card">${await Promise.all(group.map(each => shownRow(visit, each)))}</ol></section>`
}

async function shownRow(visit: Visit, shown: Shown): Promise<Html> {
  const { connection_id, stream, record_ids } = shown
  const [first = ''] = record_ids
  const passages = passagesOf(shown).map(({ path, start, end }) => ({ field: path, from: start, to: end }))
  const [quoted, named] = await Promise.all([
    Promise.all(passages.slice(0, MOST_PASSAGES).map(passage => quote(visit, shown, first, passage))),
    Promise.all(
      record_ids
        .slice(0, MOST_RECORDS)
        .map(record_id => recordLink(visit, { connection_id, stream, record_id })),
    ),
  ])
  return html`<li class="stack-tight"><ul class="plain stack-tight">${named}${record_ids.length > MOST_RECORDS ? html`<li class="soft">and ${record_ids.length - MOST_RECORDS} more</li>` : ''}</ul>
${quoted}</li>`
}

/** A passage with a little of the text around it. */
async function quote(
  visit: Visit,
  { connection_id, stream }: Shown,
  record_id: string,
  { field, from, to }: { field: string; from: number; to: number },
): Promise<Html> {
  const start = Math.max(0, from - AROUND_CHARS)
  const end = Math.min(to, from + MOST_PASSAGE_CHARS)
  const query = { connection_id, field, offset_chars: start, limit_chars: end - start + AROUND_CHARS }
  const answer = await orNull(visit.call(fieldWindow, { stream, record_id }, { query }))
  const href = citationUrl(
    '',
    { connection_id, stream, record_id },
    { field_path: field, start_chars: from, end_chars: to, digest: answer?.field.digest ?? '' },
  )
  const called = `${humanName(field)}, characters ${number(from)}–${number(to)}`
  if (!answer) return html`<p class="soft small">${called}: this text no longer exists.</p>`
  const { text } = answer.window
  const cut = (a: number, b: number) => sliceCodePoints(text, a - start, b - start)
  return html`<a class="evidence" dir="auto" href="${href}" title="${called}">${start > 0 ? '… ' : ''}${cut(start, from)}<mark>${cut(from, end)}${end < to ? ' …' : ''}</mark>${end < to ? '' : cut(end, answer.window.end_chars)}${end < to || answer.window.end_chars === answer.field.size_chars ? '' : ' …'}</a>`
}

function decoded(query: string): string {
  try {
    return decodeURIComponent(query.replaceAll('+', ' '))
  } catch {
    return query
  }
}
