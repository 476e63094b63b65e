import { readBlob } from '../../api/blobs.ts'
import { addressOf } from '../../api/path.ts'
import { MAX_PATH_CHARS } from '../../model/declaration/field-path.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import { blobUri } from '../../model/ids/window-uri.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Binary, CutText, Omitted, Preview } from '../reading/preview.ts'
import { readCall } from '../text/calls.ts'
import { mostThatFit } from '../text/quote.ts'
import { type Handle, handleOf, partsOf } from '../text/reference.ts'
import type { ResourceLink } from '../tool.ts'

const MOST_FIELDS = 12
/** Room for the fields of one record; each repeats its id, and ids can be long. */
const MOST_BYTES = 6_000
const GRADES: [number, string][] = [
  [4_096, 'small'],
  [65_536, 'medium'],
  [1_048_576, 'large'],
]

/** What can be read of the server that answered. */
export interface Reach {
  url: string
  /** Whether it reads lists and objects as JSON text. */
  json: boolean
}

export function sizeGrade(size: number | undefined): string {
  if (size === undefined) return 'unknown'
  return GRADES.find(([most]) => size <= most)?.[1] ?? 'huge'
}

/** A record's entry in the content ladder: its id and labels, and its fields with the calls that read on (LA-2). */
export function ladderRecord(reference: RecordReference, fields: JsonObject[]): JsonObject {
  const most = Math.min(fields.length, MOST_FIELDS)
  const fitting = mostThatFit(most, count => JSON.stringify(fields.slice(0, count)), MOST_BYTES)
  const shown = fields.slice(0, Math.max(1, fitting))
  return {
    id: handleOf(reference).id,
    ...partsOf(reference),
    fields: shown,
    ...(fields.length > shown.length ? { more_fields: fields.length - shown.length } : {}),
  }
}

/** The incomplete and binary fields of a previewed record; empty when it is complete. */
export function previewFields(handle: Handle, preview: Preview, reach: Reach): JsonObject[] {
  return [
    ...preview.cuts.map(cut => cutField(handle, cut)),
    ...preview.binaries.map(binary => binaryField(binary, reach.url)),
    ...preview.omitted.map(omitted => omittedField(handle, omitted, reach)),
  ]
}

function cutField(handle: Handle, { path, size_chars, shown_chars, digest }: CutText): JsonObject {
  return {
    path,
    type: 'string',
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

/** A list or object that is left out is read as JSON text. */
function omittedField(handle: Handle, { path, type, size_chars }: Omitted, { json }: Reach): JsonObject {
  if (!json || !isReadable(path)) return { path, type, text_like: false, status: 'unavailable' }
  return {
    path,
    type,
    mime_type: 'application/json',
    // Texts inside may have been cut before they came here, so the JSON may be longer than this.
    size_grade: sizeGrade(size_chars),
    text_like: true,
    status: 'truncated',
    start_chars: 0,
    end_chars: 0,
    read: readCall(handle, path),
  }
}

/** Whether a path is short enough to be asked for. */
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

/** The one link that a binary field gives (LA-8). */
export function blobLinks(binaries: readonly Binary[]): ResourceLink[] {
  return binaries.slice(0, MOST_FIELDS).flatMap(({ path, blob_id, mime_type, size_bytes }) =>
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
}
