import { html } from 'hono/html'
import { fieldWindow, readRecord, type TruncatedField } from '../api/records.ts'
import { namesPassage, passageOf } from '../model/ids/citation.ts'
import { parseResultId } from '../model/ids/handle.ts'
import { isObject, type Json, type JsonObject } from '../model/json.ts'
import { MAX_LIMIT_CHARS } from '../model/reading/window.ts'
import { sliceCodePoints } from '../model/text/code-points.ts'
import { notice } from '../pages/forms.ts'
import { type Html, pageResponse } from '../pages/layout.ts'
import { humanName } from '../pages/words.ts'
import { orNull, type Visit } from './visit.ts'

const PREVIEW_CHARS = 2_000
const AROUND_CHARS = 1_500

type Place = Record<'connection_id' | 'stream' | 'record_id', string>

/** A window of a text with what is cited in it. */
interface Cited {
  field_path: string
  text: string
  start: number
  end: number
  size: number
  mark: { start: number; end: number }
  state: keyof typeof NOTICES
}

/** A record by its id as models see it: `stream:record` in place of `stream/record`. */
export async function showNamedRecord(visit: Visit): Promise<Response> {
  const { connection_id = '', named = '' } = visit.path
  const { stream, record_id } = parseResultId(`${connection_id}/${named}`)
  return showRecord({ ...visit, path: { connection_id, stream, record_id } })
}

/** One record; with a passage in the query, its field opens there and the passage is marked. */
export async function showRecord(visit: Visit): Promise<Response> {
  const { query } = visit
  const { connection_id = '', stream = '', record_id = '' } = visit.path
  const place = { connection_id, stream, record_id }
  const asked = { connection_id, max_field_chars: PREVIEW_CHARS }
  const record = await visit.call(readRecord, place, { query: asked })
  const cited = await citedPart(visit, place)
  const title = record.title ?? `${humanName(stream)} ${record_id}`
  const body = html`<article class="stack">
<div class="stack-tight"><p class="soft small">${record.display_name} · ${humanName(stream)}</p><h1 dir="auto">${title}</h1></div>
${cited ? citedCard(cited) : namesPassage(query) ? notice('warn', 'The link does not name a passage of this record: it was cut or altered, or its text is gone. This is the record.') : ''}
<section class="card stack"><h2>${cited ? 'The whole record' : 'The record'}</h2>
<dl class="facts">${Object.entries(record.data).map(([field, value]) => fact(field, value, record.truncated_fields))}</dl>
</section>
<p class="soft small">Id <code>${connection_id}/${stream}:${record_id}</code></p>
</article>`
  return pageResponse({ title: title.slice(0, 80), body, signedIn: true })
}

async function citedPart(visit: Visit, place: Place): Promise<Cited | null> {
  const passage = passageOf(visit.query)
  if (!passage) return null
  const start = Math.max(0, passage.start_chars - AROUND_CHARS)
  const limit = Math.min(MAX_LIMIT_CHARS, passage.end_chars - start + AROUND_CHARS)
  const { connection_id } = place
  const asked = { connection_id, field: passage.field_path, offset_chars: start, limit_chars: limit }
  const answer = await orNull(visit.call(fieldWindow, place, { query: asked }))
  if (answer === null) return null
  const { window, field } = answer
  return {
    field_path: passage.field_path,
    text: window.text,
    start: window.start_chars,
    end: window.end_chars,
    size: field.size_chars,
    mark: { start: passage.start_chars, end: passage.end_chars },
    state:
      passage.digest === ''
        ? 'unknown'
        : !field.digest.startsWith(passage.digest)
          ? 'changed'
          : passage.end_chars > field.size_chars
            ? 'beyond'
            : 'same',
  }
}

/** What the reader is told of the cited text. */
const NOTICES = {
  same: '',
  changed: 'This text has changed since it was cited. The marked place may say something else now.',
  beyond: 'The link names a place after the end of this text: it was altered.',
  unknown:
    'The link has no checksum, so this page cannot tell whether the text has changed since it was cited.',
} as const

function citedCard({ field_path, text, start, end, size, mark, state }: Cited): Html {
  const at = (from: number, to: number) => sliceCodePoints(text, from - start, to - start)
  const [from, to] = [Math.min(mark.start, end), Math.min(mark.end, end)]
  return html`<section class="card stack" aria-label="The cited passage">
<div class="head"><h2>${humanName(field_path)}</h2><span class="count">characters ${mark.start}–${mark.end} of ${size}</span></div>
${state === 'same' ? '' : notice('warn', NOTICES[state])}
<p class="text" dir="auto">${start > 0 ? '… ' : ''}${at(start, from)}<mark id="p" tabindex="-1" autofocus>${at(from, to)}</mark>${at(to, end)}${end < size ? ' …' : ''}</p>
</section>`
}

function fact(field: string, value: Json, truncated: readonly TruncatedField[] = []): Html {
  const cut = truncated.find(({ field_path }) => field_path === field)
  const more = cut
    ? html`<p class="soft small">The first ${PREVIEW_CHARS} of ${cut.size_chars} characters.</p>`
    : ''
  return html`<div><dt>${humanName(field)}</dt><dd class="text" dir="auto">${valueText(value)}${more}</dd></div>`
}

function valueText(value: Json): Html | string {
  if (value === null) return html`<span class="soft">none</span>`
  if (typeof value === 'string') return value
  if (isObject(value) && typeof value.blob_id === 'string') return attachmentText(value)
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value.join(', ')
  if (Array.isArray(value)) return html`<ul>${value.map(item => html`<li>${valueText(item)}</li>`)}</ul>`
  if (isObject(value)) {
    return html`<dl class="facts">${Object.entries(value).map(([key, child]) => fact(key, child))}</dl>`
  }
  return String(value)
}

function attachmentText({ name, mime_type, size_bytes }: JsonObject): string {
  const facts = [name, mime_type, typeof size_bytes === 'number' ? `${size_bytes} bytes` : null]
  return facts.filter(each => typeof each === 'string').join(', ') || 'a file'
}
