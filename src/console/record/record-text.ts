import { html } from 'hono/html'
import { fieldWindow } from '../../api/records.ts'
import { number } from '../../model/amounts.ts'
import { passageOf } from '../../model/ids/citation.ts'
import { MAX_LIMIT_CHARS, pagesText } from '../../model/reading/window.ts'
import { sliceCodePoints } from '../../model/text/code-points.ts'
import type { Html } from '../../pages/layout.ts'
import { humanName } from '../../pages/words.ts'
import { orNull, type Visit } from '../visit.ts'
import { unwrapped } from './hard-wraps.ts'

/** How much of a text is on one page. */
const PAGE_CHARS = 8_000
const AROUND_CHARS = 1_500

export type Place = Record<'connection_id' | 'stream' | 'record_id', string>

/** A part of a text. */
export interface TextPart {
  field_path: string
  text: string
  start: number
  end: number
  size: number
  /** `page 3 of 12` if the text belongs to a document with pages; otherwise empty. */
  pages: string
}

/** A part of a text with the passage cited in it. */
export interface CitedPart extends TextPart {
  mark: { start: number; end: number }
  state: keyof typeof CITED_NOTICES
}

/** What the reader is told about the cited text. */
export const CITED_NOTICES = {
  same: '',
  changed: 'This text has changed since it was cited. The marked place may say something else now.',
  beyond: 'The link names a place after the end of this text: it was altered.',
  unknown:
    'The link has no checksum, so this page cannot tell whether the text has changed since it was cited.',
} as const

/** The passage that the URL names, with the text around it; null if it does not exist. */
export async function citedPart(visit: Visit, place: Place): Promise<CitedPart | null> {
  const passage = passageOf(visit.query)
  if (!passage) return null
  const start = Math.max(0, passage.start_chars - AROUND_CHARS)
  const limit = Math.min(MAX_LIMIT_CHARS, passage.end_chars - start + AROUND_CHARS)
  const read = await readPart(visit, place, passage.field_path, start, limit)
  if (!read) return null
  const { digest, part } = read
  const mark = { start: passage.start_chars, end: passage.end_chars }
  const isSame = digest.startsWith(passage.digest)
  const isBeyond = mark.end > part.size
  const state = !isSame ? 'changed' : isBeyond ? 'beyond' : passage.digest === '' ? 'unknown' : 'same'
  // The pages of the passage, not those of the text around it.
  const length = Math.min(MAX_LIMIT_CHARS, Math.max(1, mark.end - mark.start))
  const marked =
    part.pages === '' ? null : await readPart(visit, place, passage.field_path, mark.start, length)
  return { ...part, pages: marked?.part.pages ?? part.pages, mark, state }
}

/** One page of a text, counted from 1. */
export async function textPage(
  visit: Visit,
  place: Place,
  field: string,
  page: number,
): Promise<TextPart | null> {
  const read = await readPart(visit, place, field, (page - 1) * PAGE_CHARS, PAGE_CHARS)
  return read?.part ?? null
}

async function readPart(
  visit: Visit,
  place: Place,
  field: string,
  offset_chars: number,
  limit_chars: number,
) {
  const { connection_id } = place
  const query = { connection_id, field, offset_chars, limit_chars }
  const answer = await orNull(visit.call(fieldWindow, place, { query }))
  if (answer === null) return null
  const { window, field: facts } = answer
  const part: TextPart = {
    field_path: field,
    text: window.text,
    start: window.start_chars,
    end: window.end_chars,
    size: facts.size_chars,
    pages: window.pages ? pagesText(window.pages) : '',
  }
  return { part, digest: facts.digest }
}

/**
 * The text with the passage marked. The browser scrolls to the mark, unless something is wrong with the link: then the
 * reader must see that first.
 */
export function citedText({ field_path, text, start, end, size, pages, mark, state }: CitedPart): Html {
  const at = (from: number, to: number) => sliceCodePoints(text, from - start, to - start)
  const [from, to] = [Math.min(mark.start, end), Math.min(mark.end, end)]
  const [before, marked, after] = unwrapped([at(start, from), at(from, to), at(to, end)])
  const whole = new URLSearchParams({ field: field_path, page: String(pageAt(mark.start)) })
  return html`<div class="head"><h2>${humanName(field_path)}</h2><span class="count">${pages === '' ? '' : `${pages}, `}characters ${number(mark.start)}–${number(mark.end)} of ${number(size)}</span></div>
<p class="text" dir="auto">${start > 0 ? '… ' : ''}${before}<mark id="p" tabindex="-1" ${isDoubtful(state) ? '' : 'autofocus'}>${marked}</mark>${after}${end < size ? ' …' : ''}</p>
${size > end - start ? html`<p><a href="?${whole.toString()}">Read on from here</a></p>` : ''}`
}

function isDoubtful(state: CitedPart['state']): boolean {
  return state === 'changed' || state === 'beyond'
}

function pageAt(chars: number): number {
  return Math.floor(chars / PAGE_CHARS) + 1
}

/** Links to the previous and next pages, if a text has several. */
export function pager({ field_path, start, size, pages: told }: TextPart): Html | '' {
  const pages = Math.ceil(size / PAGE_CHARS)
  if (pages < 2) return told === '' ? '' : html`<p class="soft small">${capital(told)}</p>`
  const page = pageAt(start)
  const to = (target: number, words: string) =>
    target < 1 || target > pages
      ? html`<span></span>`
      : html`<a class="button" href="?${new URLSearchParams({ field: field_path, page: String(target) }).toString()}">${words}</a>`
  return html`<nav class="pager" aria-label="Pages of this text">${to(page - 1, 'Earlier')}
<span class="soft small">${told === '' ? `Page ${page} of ${pages}` : `${capital(told)}, part ${page} of ${pages}`} · ${number(size)} characters</span>${to(page + 1, 'Later')}</nav>`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
