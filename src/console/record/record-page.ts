import { html } from 'hono/html'
import { recordImports } from '../../api/owner/imports.ts'
import { readRecord } from '../../api/records.ts'
import type { ReplyOf } from '../../api/route.ts'
import { search } from '../../api/search.ts'
import { readStream } from '../../api/streams.ts'
import { counted } from '../../model/amounts.ts'
import { citationUrl, namesPassage } from '../../model/ids/citation.ts'
import { parseResultId } from '../../model/ids/handle.ts'
import { notice } from '../../pages/forms.ts'
import { type Html, pageResponse } from '../../pages/layout.ts'
import { markdown } from '../../pages/markdown.ts'
import { humanName } from '../../pages/words.ts'
import { recordsPath } from '../page-paths.ts'
import { recordTitle } from '../record-row.ts'
import { allFields, attachments } from '../record-values.ts'
import { evidence, pathTo } from '../search/hit-card.ts'
import { orNull, type Visit } from '../visit.ts'
import { conversationPart } from './conversation-part.ts'
import { unwrapped } from './hard-wraps.ts'
import { type RecordShape, recordHead, shapeOf } from './record-head.ts'
import {
  CITED_NOTICES,
  type CitedPart,
  citedPart,
  citedText,
  type Place,
  pager,
  type TextPart,
  textPage,
} from './record-text.ts'

const PREVIEW_CHARS = 2_000

/** A record by its id as models see it: `stream:record` instead of `stream/record`. */
export async function showNamedRecord(visit: Visit): Promise<Response> {
  const { connection_id = '', named = '' } = visit.path
  const { stream, record_id } = parseResultId(`${connection_id}/${named}`)
  return showRecord({ ...visit, path: { connection_id, stream, record_id } })
}

/** One record: who, when and where, and its text in pages. If the URL has a passage, the text opens there. */
export async function showRecord(visit: Visit): Promise<Response> {
  const { query } = visit
  const { connection_id = '', stream = '', record_id = '' } = visit.path
  const place = { connection_id, stream, record_id }
  const asked = { connection_id, max_field_chars: PREVIEW_CHARS }
  const [record, declared, cited] = await Promise.all([
    visit.call(readRecord, place, { query: asked }),
    visit.call(readStream, { stream }, { query: { connection_id } }),
    citedPart(visit, place),
  ])
  const shape = shapeOf(declared, record)
  const field = cited?.field_path ?? query.get('field') ?? shape.text
  const part = cited ?? (field === undefined ? null : await textPage(visit, place, field, pageOf(query)))
  // A passage of another field, such as the title, is shown above the text, not instead of it.
  const isBeside = cited !== null && cited.field_path !== shape.text
  const main = isBeside && shape.text !== undefined ? await textPage(visit, place, shape.text, 1) : null
  const isTold = main !== null || (part !== null && !isBeside)
  const title = shape.heading ?? recordTitle(record)
  const [around, origins] = await Promise.all([
    conversationPart(visit, place, shape),
    originsOf(visit, place),
  ])
  // A row is its values, of which a text is only one.
  const isRow = origins[0]?.format === 'table'
  // A short message is shown once, among the others.
  const isShownThere = cited === null && part?.field_path === shape.text && around?.isWhole === true
  const body = html`<article class="stack-wide record">
<header class="stack"><div class="stack-tight"><p class="soft small"><a href="/sources/${connection_id}">${record.display_name}</a> · <a href="${recordsPath(connection_id, stream)}">${shape.label}</a></p><h1 dir="auto">${title}</h1></div>
${warning(query, cited)}
${recordHead(record, shape, visit)}</header>
${[part, main].some(each => each && each.size > PREVIEW_CHARS) ? findForm(query) : ''}
${await matches(visit, place)}
${part && !isShownThere ? textCard(part, cited, shape) : ''}
${main ? textCard(main, null, shape) : ''}
${attachments(record, shape.attachments)}
${around?.section ?? ''}
<details class="card" ${isTold && !shape.isPerson && !isRow ? '' : 'open'}><summary>All fields</summary>${allFields(record, visit.times)}
<p class="soft small">Full ID <code>${connection_id}/${stream}:${record_id}</code></p></details>
${originPart(visit, place, origins)}
<p><a class="button small" href="${citationUrl('', place)}/readers">Who has read this?</a></p>
</article>`
  return pageResponse({ title: title.slice(0, 80), body, signedIn: true })
}

function pageOf(query: URLSearchParams): number {
  const page = query.get('page') ?? ''
  return /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1
}

function warning(query: URLSearchParams, cited: CitedPart | null): Html | '' {
  if (cited)
    return cited.state === 'same'
      ? ''
      : notice('warn', html`${CITED_NOTICES[cited.state]} <a href="#p">See the marked place</a>`)
  return namesPassage(query)
    ? notice(
        'warn',
        'The link does not name a passage of this record: it was cut or altered, or its text is gone. This is the record.',
      )
    : ''
}

function textCard(part: TextPart, cited: CitedPart | null, shape: RecordShape): Html {
  const isMain = part.field_path === shape.text
  if (cited)
    return html`<section class="card stack" aria-label="The cited passage">${citedText(cited)}</section>`
  const shown =
    isMain && shape.isMarkdown
      ? markdown(part.text)
      : html`<p class="text ${isMain && shape.isCode ? 'code' : ''}" dir="auto">${isMain && shape.isCode ? part.text : unwrapped([part.end < part.size ? `${part.text} …` : part.text])}</p>`
  return html`<section class="card stack ${isMain && shape.isChat ? 'bubble' : ''}" aria-label="Text">
${isMain ? '' : html`<h2>${humanName(part.field_path)}</h2>`}
${part.text !== '' ? shown : part.start > 0 ? notice('info', 'This text has no such page.') : html`<p class="soft">No text</p>`}
${pager(part)}</section>`
}

function findForm(query: URLSearchParams): Html {
  return html`<form class="ask" method="get" role="search"><input type="search" name="find" value="${query.get('find') ?? ''}" aria-label="Find in this record" placeholder="Find in this record" maxlength="1000" required>
<button type="submit">Find</button></form>`
}

/** Where the words are in this record, with a link to each place. */
async function matches(visit: Visit, { connection_id, stream, record_id }: Place): Promise<Html | ''> {
  const words = visit.query.get('find')?.trim() ?? ''
  if (words === '') return ''
  const query = { q: words, record: `${stream}:${record_id}`, connection_id, limit: 50 }
  const { data, next_cursor } = await visit.call(search, {}, { query })
  if (data.length === 0) return notice('info', 'These words are not in this record.')
  return html`<section class="stack-tight" aria-label="Found in this record"><h2>${counted(data.length, 'place')}${next_cursor === undefined ? '' : ' and more'}</h2>
<ul class="rows card">${data.flatMap(hit =>
    hit.match_windows.map(
      window =>
        html`<li><a class="evidence" dir="auto" href="${pathTo(hit, window)}">${evidence(window)}</a></li>`,
    ),
  )}</ul></section>`
}

const MOST_SHOWN = 10

type Origin = ReplyOf<typeof recordImports>['data'][number]

async function originsOf(visit: Visit, place: Place): Promise<Origin[]> {
  const { connection_id } = place
  return (await orNull(visit.call(recordImports, place, { query: { connection_id } })))?.data ?? []
}

/** Where the record was in imported files. Of imports that found it in the same place, the first is named. */
function originPart(visit: Visit, { connection_id }: Place, origins: readonly Origin[]): Html | '' {
  if (origins.length === 0) return ''
  const byTime = [...origins].sort((a, b) => b.started_at.localeCompare(a.started_at))
  const rows = [...new Map(byTime.map(each => [`${each.place}\n${each.source}`, each])).values()]
  return html`<section class="stack-tight" aria-label="Where it comes from"><h2>Where it comes from</h2>
<ul class="plain small">${rows
    .slice(0, MOST_SHOWN)
    .map(
      ({ import_id, place: inside, source, started_at }) =>
        html`<li><span dir="auto">${inside === '' ? source : `${inside} in ${source}`}</span>, <a href="/sources/${connection_id}/imports/${import_id}">imported ${visit.times.at(started_at)}</a></li>`,
    )}</ul></section>`
}
