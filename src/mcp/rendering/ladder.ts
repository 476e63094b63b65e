import { readBlob } from '../../api/blobs.ts'
import { addressOf } from '../../api/route.ts'
import { MAX_PATH_CHARS, pathOf } from '../../model/declaration/field-path.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import { blobUri } from '../../model/ids/window-uri.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Binary, CutText, Omitted, Preview } from '../reading/preview.ts'
import { mostThatFit } from '../text/quote.ts'
import { type Handle, handleOf, partsOf, readCall } from '../text/record-handle.ts'
import type { ResourceLink } from '../tool.ts'

const MOST_FIELDS = 12
/** Limit for the fields of one record; each repeats its id, and ids can be long. */
const MOST_BYTES = 6_000
const GRADES: [number, string][] = [
  [4_096, 'small'],
  [65_536, 'medium'],
  [1_048_576, 'large'],
]

/** What can be read from the server that answered. */
export interface Reach {
  url: string
  /** Whether it reads lists and objects as JSON text. */
  json: boolean
}

export function sizeGrade(size: number | undefined): string {
  if (size === undefined) return 'unknown'
  return GRADES.find(([most]) => size <= most)?.[1] ?? 'huge'
}

/**
 * A record's entry in the content ladder: its id and labels, and its fields with the calls that continue reading
 * (LA-2).
 */
export function ladderRecord(
  reference: RecordReference,
  fields: JsonObject[],
  reach?: Pick<Reach, 'json'>,
): JsonObject {
  const shown = fields.length > 1 ? fittingFields(fields) : fields
  const handle = handleOf(reference)
  return {
    id: handle.id,
    ...partsOf(reference),
    fields: shown,
    ...moreFields(handle, fields.slice(shown.length), reach?.json === true),
  }
}

/** As many fields as fit, but at least one. */
function fittingFields(fields: JsonObject[]): JsonObject[] {
  const most = Math.min(fields.length, MOST_FIELDS)
  const fitting = mostThatFit(most, count => JSON.stringify(fields.slice(0, count)), MOST_BYTES)
  return fields.slice(0, Math.max(1, fitting))
}

const MOST_NAMES_BYTES = 1_000

/** How many fields are not listed, and the call that requests them by name. */
function moreFields(handle: Handle, rest: readonly JsonObject[], readsJson: boolean): JsonObject {
  if (rest.length === 0) return {}
  const names = [...new Set(rest.map(({ path }) => topField(String(path))))].filter(isReadable)
  const most = mostThatFit(names.length, count => JSON.stringify(names.slice(0, count)), MOST_NAMES_BYTES)
  const named = names.slice(0, most)
  return {
    more_fields: rest.length,
    ...(named.length > 0 ? { read_more: callFor(handle, named, rest, readsJson) } : {}),
  }
}

/** Texts inside a list or object are read as part of its JSON; fields are fetched. */
function callFor(
  handle: Handle,
  named: string[],
  rest: readonly JsonObject[],
  readsJson: boolean,
): JsonObject {
  const [only = '', ...others] = named
  const isNested = rest.every(({ path }) => path !== pathOf(only).text)
  if (readsJson && others.length === 0 && isNested) return readCall(handle, pathOf(only).text)
  return { tool: 'fetch', args: { ...handle, fields: named } }
}

/** The top-level field of a path. */
export function topField(path: string): string {
  return path.startsWith('/')
    ? (path.slice(1).split('/')[0] ?? '').replaceAll('~1', '/').replaceAll('~0', '~')
    : path
}

/** The incomplete and binary fields of a previewed record; empty if it is complete. */
export function previewFields(handle: Handle, preview: Preview, reach: Reach): JsonObject[] {
  return [
    ...preview.cuts.map(cut => cutField(handle, cut)),
    ...preview.binaries.map(binary => binaryField(binary, reach.url)),
    ...preview.omitted.map(omitted => omittedField(handle, omitted, reach)),
  ]
}

function cutField(handle: Handle, cut: CutText): JsonObject {
  const { path, mime_type, size_chars, shown_chars, digest } = cut
  return {
    path,
    type: 'string',
    ...(mime_type === undefined ? {} : { mime_type }),
    size_chars,
    size_grade: sizeGrade(size_chars),
    text_like: true,
    status: isReadable(path) ? 'truncated' : 'unavailable',
    start_chars: 0,
    end_chars: shown_chars,
    ...(digest === undefined ? {} : { digest }),
    ...(isReadable(path) ? { read: readCall(handle, path, { offset_chars: shown_chars }) } : {}),
  }
}

/** A list or object that is left out can be read as JSON text. */
function omittedField(handle: Handle, { path, type, size_chars }: Omitted, { json }: Reach): JsonObject {
  if (!json || !isReadable(path)) return { path, type, text_like: false, status: 'unavailable' }
  return {
    path,
    type,
    mime_type: 'application/json',
    // Texts inside may have been cut already, so the JSON may be longer than this.
    size_grade: sizeGrade(size_chars),
    text_like: true,
    status: 'truncated',
    start_chars: 0,
    end_chars: 0,
    read: readCall(handle, path),
  }
}

/** Whether a path is short enough to be requested. */
export function isReadable(path: string): boolean {
  return path !== '' && path.length <= MAX_PATH_CHARS
}

function binaryField(binary: Binary, providerUrl: string): JsonObject {
  const { path, type, mime_type, size_bytes, digest, blob_id } = binary
  return {
    path,
    type,
    ...(mime_type === undefined ? {} : { mime_type }),
    ...(size_bytes === undefined ? {} : { size_bytes }),
    size_grade: sizeGrade(size_bytes),
    text_like: false,
    status: blob_id === undefined ? 'unavailable' : 'binary-only',
    ...(digest === undefined ? {} : { digest }),
    ...(blob_id === undefined
      ? {}
      : { resource: blobUri(blob_id), export_url: blobUrl(providerUrl, blob_id) }),
  }
}

export function blobUrl(providerUrl: string, blob_id: string): string {
  return `${providerUrl}${addressOf(readBlob, { blob_id })}`
}

/** The only link that a binary field has (LA-8). Several records may have the same file. */
export function blobLinks(binaries: readonly Binary[]): ResourceLink[] {
  const links = binaries.flatMap(({ path, blob_id, mime_type, size_bytes }) =>
    blob_id === undefined
      ? []
      : [
          {
            uri: blobUri(blob_id),
            name: path,
            ...(mime_type === undefined ? {} : { mimeType: mime_type }),
            ...(size_bytes === undefined ? {} : { size: size_bytes }),
          },
        ],
  )
  const files = Map.groupBy(links, ({ uri }) => uri)
  return [...files.values()].flatMap(([first]) => first ?? []).slice(0, MOST_FIELDS)
}
