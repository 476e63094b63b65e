import { isFormable } from '../../model/ids/citation.ts'
import { countCodePoints } from '../../model/text/code-points.ts'
import type { Hit } from '../reading/hit.ts'
import { bytesOf, callText, quote, quotedAround, quotedHead, timeText, word } from '../text/quote.ts'

/** How much of a hit is shown: only its id (0), a line (1 to 3), or a block of evidence (4 to 8). */
export type Detail = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8
export const BARE = 0
export const LEAST_BLOCK = 4

interface Sizes {
  words: number
  author: number
  source: number
  snippet: number
  files: number
}

/** Bytes for each part. A part of size 0 is left out. */
const SIZES: Record<Exclude<Detail, typeof BARE>, Sizes> = {
  1: { words: 20, author: 0, source: 0, snippet: 0, files: 0 },
  2: { words: 40, author: 0, source: 0, snippet: 0, files: 36 },
  3: { words: 60, author: 28, source: 24, snippet: 0, files: 52 },
  4: { words: 20, author: 18, source: 12, snippet: 126, files: 40 },
  5: { words: 40, author: 32, source: 24, snippet: 150, files: 60 },
  6: { words: 64, author: 44, source: 32, snippet: 200, files: 90 },
  7: { words: 100, author: 60, source: 40, snippet: 280, files: 140 },
  8: { words: 200, author: 80, source: 60, snippet: 600, files: 260 },
}
/** For each degree of detail of a line, the bytes of text around a further match in the same record. */
const FURTHER_BYTES = 36
/** With less room for words, a line does not say how many hits follow. */
const LEAST_WORDS_WITH_MORE = 40
const NO_CALL = 'The server names no record for this hit, so it cannot be opened.'
const LEAST_BEGINNING_BYTES = 40
const LEAST_VALUE_BYTES = 3
/** A space before the value, and ` · ` after it, whose point has two bytes. */
const BETWEEN_VALUES = 5
/** A link longer than this is not printed. */
const MOST_LINK_BYTES = 300

/** What a hit may show beside its detail. */
export interface Beside {
  /** These bytes more of its text. */
  extra?: number
  /** Where the next best matches are. */
  places?: boolean
}

/** A hit as text; the first includes the complete call that continues reading. */
export function hitText(
  hit: Hit,
  detail: Detail,
  isFirst: boolean,
  { extra = 0, places = false }: Beside = {},
): string {
  const { id, connection_id } = hit.handle
  const first = connection_id === undefined ? id : `${id} connection_id=${quote(connection_id)}`
  const call = hit.next === null ? `\n  ${NO_CALL}` : isFirst ? `\n  ${callText(hit.next)}` : ''
  if (detail === BARE) return bytesOf(call) > 1_000 ? first : first + call
  const sizes = SIZES[detail]
  // The record is known; only the place and the text there are new.
  if (hit.isFurther)
    return evidenceLines(hit, { ...sizes, snippet: sizes.snippet || FURTHER_BYTES * detail }, extra).join(
      '\n',
    )
  const isBlock = detail >= LEAST_BLOCK
  const files = filesText(hit, sizes.files)
  // A block shows the text itself, so first words would be shown twice.
  const labels = isBlock
    ? labelsText(hit.isTitled ? hit : { ...hit, words: null }, sizes)
    : labelsText(hit, sizes, files)
  // Nothing else follows an id with spaces on its line, so that it is clear where the id ends.
  const separator = labels === '' ? '' : /\s/.test(first) ? '\n  ' : ' '
  if (!isBlock) return `${first}${separator}${labels}${call}`
  return (
    [
      first,
      ...(labels === '' ? [] : [`  ${labels}`]),
      ...evidenceLines(hit, sizes, extra, places),
      ...valueLines(hit, sizes.snippet + extra),
      ...beginningLines(hit, sizes.snippet + extra),
      ...(files === '' ? [] : [`  ${files}`]),
    ].join('\n') + call
  )
}

/** Title or first words, author, source and time, if known; on a line also the files. */
function labelsText(hit: Hit, sizes: Sizes, files = ''): string {
  const { words, author, display_name, connector_key, occurred_at, further } = hit
  const source = display_name ?? connector_key
  // If there is little room, the date is enough.
  const whole = sizes.words >= 60
  const labels = [
    words === null ? '' : quotedHead(words, sizes.words),
    author === null || sizes.author === 0 ? '' : word(author, sizes.author),
    source === null || sizes.source === 0 ? '' : word(source, sizes.source),
    occurred_at === null ? '' : timeText(whole ? occurred_at : occurred_at.slice(0, 10)),
    files,
    further === 0 || sizes.words < LEAST_WORDS_WITH_MORE ? '' : `+${further} in its conversation`,
  ]
  return labels.filter(label => label !== '').join(', ')
}

/** As many names of files as fit, at least the start of the first; empty without room or files. */
function filesText({ files }: Hit, bytes: number): string {
  const [first, ...others] = files
  if (first === undefined || bytes === 0) return ''
  let text = `files: ${quotedHead(first, bytes)}`
  for (const other of others) {
    const longer = `${text}, ${quote(other)}`
    if (bytesOf(longer) <= bytes) text = longer
  }
  return text
}

/** The start of the text, as much of it as fits beside the evidence. */
function beginningLines({ beginning, evidence }: Hit, bytes: number): string[] {
  const room = bytes - bytesOf(evidence?.text ?? '')
  if (beginning === null || room < LEAST_BEGINNING_BYTES) return []
  return [`  ${word(beginning.field)}: ${quotedHead(beginning.text, room)}`]
}

/** As many values as fit beside the evidence, which is short if a record has no text. The first is cut if it is too long. */
function valueLines({ values, evidence, snippet }: Hit, bytes: number): string[] {
  let room = bytes - bytesOf(evidence?.text ?? snippet ?? '')
  const shown: string[] = []
  for (const { field, text } of values) {
    const name = word(field)
    const left = room - bytesOf(name) - BETWEEN_VALUES
    const value = bytesOf(quote(text)) > left && shown.length === 0 ? quotedHead(text, left) : quote(text)
    if (left < LEAST_VALUE_BYTES || bytesOf(value) > left) continue
    shown.push(`${name} ${value}`)
    room = left - bytesOf(value)
  }
  return shown.length === 0 ? [] : [`  ${shown.join(' · ')}`]
}

function evidenceLines(
  { evidence, also, snippet, url, handle }: Hit,
  sizes: Sizes,
  extra: number,
  places = false,
): string[] {
  const bytes = sizes.snippet + extra
  if (!evidence) return snippet === null ? [] : [`  ${quotedHead(snippet, bytes)}`]
  const { field_path, range, size_chars, text, match } = evidence
  const size = size_chars === null || sizes.words < 40 ? '' : ` of ${size_chars}`
  const where = range ? ` ${range.start}-${range.end}${size}` : ''
  // The ellipses of a snippet are not counted, so that enough of the text itself is visible.
  const room = Math.min(bytes + 8, 4 * countCodePoints(text) + 8)
  const line = `  ${word(field_path)}${where}: ${quotedAround(text, match, room)}${places ? placesText(also, field_path) : ''}`
  const formable = handle.connection_id === undefined && isFormable(handle.id, field_path)
  return formable || bytesOf(url) > MOST_LINK_BYTES ? [line] : [line, `  ${url}`]
}

/** The offsets to pass to read_record_field, and the field if it is another one. */
function placesText(also: Hit['also'], field_path: string): string {
  if (also === null) return ''
  const field = also.field_path === field_path ? '' : `${word(also.field_path)} `
  return `, ${field}also at ${also.offset_chars.join(', ')}`
}
