import type { RecordReference } from './handle.ts'

/** A passage of a field, and a prefix of the digest of the text that it was cited from. */
export interface Passage {
  field_path: string
  start_chars: number
  end_chars: number
  digest: string
}

const DIGEST_CHARS = 8
const FIELD = 'f'
const RANGE = 'at'
const DIGEST = 'd'

/** The page of a record in the console; with a passage it opens there. Short, because models pay for it. */
export function citationUrl(publicUrl: string, record: RecordReference, passage?: Passage): string {
  const segments = [record.connection_id ?? '', record.stream, record.record_id].map(encodeURIComponent)
  const page = `${publicUrl}/r/${segments.join('/')}`
  if (!passage) return page
  const query = new URLSearchParams({
    [FIELD]: passage.field_path,
    [RANGE]: `${passage.start_chars}-${passage.end_chars}`,
    [DIGEST]: passage.digest.slice('sha256:'.length, 'sha256:'.length + DIGEST_CHARS),
  })
  return `${page}?${query}#p`
}

/** The passage that a citation names; null when it names none. `digest` is a prefix. */
export function passageOf(query: URLSearchParams): Passage | null {
  const field_path = query.get(FIELD)
  const range = /^(\d{1,12})-(\d{1,12})$/.exec(query.get(RANGE) ?? '')
  if (!field_path || !range) return null
  const [start_chars, end_chars] = [Number(range[1]), Number(range[2])]
  const digest = /^[0-9a-f]{8}$/.test(query.get(DIGEST) ?? '') ? `sha256:${query.get(DIGEST)}` : ''
  return end_chars < start_chars ? null : { field_path, start_chars, end_chars, digest }
}
