import { html } from 'hono/html'
import type { RecordBody, TruncatedField } from '../api/records.ts'
import { number } from '../model/amounts.ts'
import { isBlobId } from '../model/declaration/blob.ts'
import { isObject, isRawNumber, type Json, type JsonObject } from '../model/json.ts'
import type { Html } from '../pages/layout.ts'
import type { Times } from '../pages/times.ts'
import { withLinks } from '../pages/web-links.ts'
import { humanName, idsLast, sizeText } from '../pages/words.ts'

/** Image types that a browser shows without running anything. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp|avif)$/

/** Every field as its source delivered it, with times as people read them; those without a value are named together. */
export function allFields(
  { data, truncated_fields }: Pick<RecordBody, 'data' | 'truncated_fields'>,
  times: Times,
): Html {
  return html`<dl class="facts wide">${facts(data, times, truncated_fields)}</dl>`
}

function facts(data: JsonObject, times: Times, truncated: readonly TruncatedField[] = []): Html {
  const fields = idsLast(Object.entries(data), ([name]) => name)
  const empty = fields.flatMap(([field, value]) => (isEmpty(value) ? [humanName(field)] : []))
  return html`${fields.map(([field, value]) => (isEmpty(value) ? '' : fact(field, value, times, truncated)))}${
    empty.length > 0
      ? html`<div><dt>Without a value</dt><dd class="soft text">${empty.join(', ')}</dd></div>`
      : ''
  }`
}

function isEmpty(value: Json): boolean {
  const isEmptyObject = isObject(value) && Object.values(value).every(isEmpty)
  return value === null || value === '' || isEmptyObject || (Array.isArray(value) && value.length === 0)
}

/** The files of a record: pictures are shown, everything else is a link. */
export function attachments({ data }: RecordBody, fields: readonly string[]): Html | '' {
  const files = fields.flatMap(field => [data[field] ?? []].flat()).filter(isObject)
  if (files.length === 0) return ''
  return html`<section class="stack" aria-label="Attachments"><h2>Attachments</h2><ul class="plain files">${files.map(
    file => html`<li>${attachment(file)}</li>`,
  )}</ul></section>`
}

function attachment(file: JsonObject): Html {
  const path = filePath(file)
  if (path === null || !PICTURES.test(String(file.mime_type))) return fileLink(file)
  return html`<a href="${path}"><img src="${path}" alt="" loading="lazy"></a>${fileLink(file)}`
}

function fileLink(file: JsonObject): Html {
  const { mime_type, size_bytes } = file
  const facts = [mime_type, typeof size_bytes === 'number' ? sizeText(size_bytes) : null]
  const told = html`<span class="soft small">${facts.filter(each => typeof each === 'string').join(', ')}</span>`
  const path = filePath(file)
  return path === null
    ? html`<span dir="auto">${fileName(file)}</span> ${told}`
    : html`<a href="${path}" dir="auto">${fileName(file)}</a> ${told}`
}

function fileName({ name }: JsonObject): string {
  return typeof name === 'string' && name !== '' ? name : 'File'
}

/** Where the file is downloaded; null if only its name is known. */
function filePath(file: JsonObject): string | null {
  const { blob_id } = file
  if (typeof blob_id !== 'string' || !isBlobId(blob_id)) return null
  return `/files/${blob_id}?${new URLSearchParams({ name: fileName(file) })}`
}

function fact(field: string, value: Json, times: Times, truncated: readonly TruncatedField[]): Html {
  const cut = truncated.find(({ field_path }) => field_path === field)
  const whole = new URLSearchParams({ field, page: '1' })
  const more = cut
    ? html` … <a href="?${whole.toString()}">Read all ${number(cut.size_chars)} characters</a>`
    : ''
  return html`<div><dt>${humanName(field)}</dt><dd class="text" dir="auto">${valueText(value, times)}${more}</dd></div>`
}

/** Something with a label, such as an address for work. */
function isLabelled(value: Json): value is { value: string; label: string | null } {
  if (!isObject(value) || Object.keys(value).length !== 2 || typeof value.value !== 'string') return false
  return value.label === null || typeof value.label === 'string'
}

/** A value that is nothing but a web address, and is not cut. */
const WEB_ADDRESS = /^https?:\/\/\S{1,1000}(?<!…)$/

function valueText(value: Json, times: Times): Html | string {
  if (value === null) return html`<span class="soft">none</span>`
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (isRawNumber(value)) return value.rawJSON
  if (typeof value === 'string') {
    const told = times.told(value)
    if (WEB_ADDRESS.test(value)) return withLinks(value)
    return told === value ? value : html`<time datetime="${value}">${told}</time>`
  }
  if (isObject(value) && typeof value.blob_id === 'string') return fileLink(value)
  if (Array.isArray(value) && value.length === 0) return html`<span class="soft">none</span>`
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value.join(', ')
  if (Array.isArray(value) && value.length === 1) return valueText(value[0] ?? null, times)
  if (Array.isArray(value))
    return html`<ul class="plain">${value.map(item => html`<li>${valueText(item, times)}</li>`)}</ul>`
  if (isLabelled(value)) return value.label ? `${value.value} (${value.label})` : value.value
  if (isObject(value)) return html`<dl class="facts">${facts(value, times)}</dl>`
  return String(value)
}
