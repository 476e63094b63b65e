import { readRecord } from '../../api/records.ts'
import { parseFieldPath } from '../../model/declaration/field-path.ts'
import { CodedError } from '../../model/errors.ts'
import { isRecordPage, namedBy, passageUrl } from '../../model/ids/citation.ts'
import type { RecordReference } from '../../model/ids/handle.ts'
import type { JsonObject } from '../../model/json.ts'
import { cutText, digestOf } from '../../model/reading/record.ts'
import { parseSelector, type SelectorInput } from '../../model/reading/window.ts'
import { sliceCodePoints } from '../../model/text/code-points.ts'
import { localTime } from '../../model/time.ts'
import { number, text } from '../arguments.ts'
import { firstText } from '../reading/hit.ts'
import { ownerZone } from '../reading/narrowing.ts'
import { capabilitiesOf, type ResourceServerClient } from '../reading/resource-server-client.ts'
import { shapeOf } from '../reading/stream-shape.ts'
import { readWindow } from '../reading/window.ts'
import type { FieldWindow } from '../reading/window-shape.ts'
import { CALL, each, exactly, FLAG, INTEGER, RANGE, TEXT } from '../schemas.ts'
import { DATA_NOTE, windowText } from '../text/quote.ts'
import { handleOf, readCall } from '../text/record-handle.ts'
import type { Tool, ToolAnswer } from '../tool.ts'

/** Characters shown before and after the mark, or without one. */
const AROUND_CHARS = 600
const MOST_MARK_CHARS = 4_000

const POSITION = { type: 'integer', minimum: 0 } as const

export const showEvidence: Tool & { page: string } = {
  name: 'show_evidence',
  page: 'ui://footnote/evidence',
  title: 'Show evidence',
  description:
    'Show the owner one passage of an e-mail, message, note or document as evidence: the text with a mark, its source, time, digest and link. Mark start_chars to end_chars as search showed them, or q (a literal). The result contains all of this too: still quote and cite it in your answer, because the owner may not see the panel.',
  hint: 'show, prove or check a quote, source or citation',
  input: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'as search showed it' },
      field_path: { type: 'string', description: 'default: the text of the record' },
      start_chars: POSITION,
      end_chars: POSITION,
      q: TEXT,
      connection_id: { type: 'string', description: 'if shown separately' },
    },
    required: ['id'],
    additionalProperties: false,
  },
  output: exactly(
    {
      ...each(TEXT, 'id', 'connection_id', 'title', 'url', 'source', 'author', 'occurred_at'),
      ...each(TEXT, 'field_path', 'pages'),
      passage: exactly({ ...RANGE, complete: FLAG, digest: TEXT, text: TEXT }, [
        'start_chars',
        'end_chars',
        'complete',
        'digest',
        'text',
      ]),
      mark: {
        ...exactly({ ...RANGE, text: TEXT }, ['start_chars', 'end_chars', 'text']),
        type: ['object', 'null'],
      },
      field: exactly({ size_chars: INTEGER, digest: TEXT }),
      next: CALL,
      note: TEXT,
    },
    ['id', 'title', 'url', 'field_path', 'passage', 'mark', 'note'],
  ),
  run: show,
}

async function show(args: JsonObject, client: ResourceServerClient): Promise<ToolAnswer> {
  const record = namedBy(text(args, 'id') ?? '', text(args, 'connection_id'), client.provider.url)
  const asked = markedRange(args)
  const q = text(args, 'q')
  if (asked && q !== undefined) throw refused('q and start_chars cannot be combined.', 'q')
  const selector = selectorFor(asked, q)
  parseSelector(selector)
  const field_path = await fieldOf(client, record, text(args, 'field_path'))
  const read = await readWindow(client, record, field_path, selector)
  if (asked && (asked.start_chars < read.window.start_chars || asked.end_chars > read.window.end_chars)) {
    throw refused(`${field_path} has no characters ${asked.start_chars} to ${asked.end_chars}.`, 'end_chars')
  }
  const url = asked ? linkTo(read, asked) : read.url
  return answer({ ...read, url }, asked ?? read.window.match, await originOf(client, read.record))
}

interface Marked {
  start_chars: number
  end_chars: number
}

function markedRange(args: JsonObject): Marked | null {
  const start_chars = number(args, 'start_chars')
  const end_chars = number(args, 'end_chars')
  if (start_chars === undefined && end_chars === undefined) return null
  if (start_chars === undefined || end_chars === undefined) {
    throw refused('start_chars and end_chars must be given together.', 'start_chars')
  }
  if (end_chars <= start_chars || end_chars - start_chars > MOST_MARK_CHARS) {
    const message = `end_chars must be 1 to ${MOST_MARK_CHARS} characters after start_chars.`
    throw refused(message, 'end_chars')
  }
  return { start_chars, end_chars }
}

function selectorFor(asked: Marked | null, q: string | undefined): SelectorInput {
  if (q !== undefined) return { q, before_chars: AROUND_CHARS, after_chars: AROUND_CHARS }
  if (!asked) return { limit_chars: 2 * AROUND_CHARS }
  const offset_chars = Math.max(0, asked.start_chars - AROUND_CHARS)
  return { offset_chars, limit_chars: asked.end_chars + AROUND_CHARS - offset_chars }
}

/** The named field, or else the one that its stream declares as the text. */
async function fieldOf(
  client: ResourceServerClient,
  record: RecordReference,
  named: string | undefined,
): Promise<string> {
  if (named !== undefined) return parseFieldPath(named).text
  const { textField } = await shapeOf(client, record)
  if (textField !== null) return textField
  throw refused('Name the field: this stream does not say which one is its text.', 'field_path')
}

function answer(read: FieldWindow, mark: Marked | null, origin: Origin): ToolAnswer {
  const { record, field, window, url } = read
  const { start_chars, end_chars, complete, text: shown, pages } = window
  const handle = handleOf(record)
  const { title, ...facts } = origin
  const { size_chars, digest } = field
  const about: JsonObject = {
    ...handle,
    title,
    url,
    ...facts,
    field_path: field.path,
    ...(pages && { pages }),
  }
  const passage = { start_chars, end_chars, complete, digest: digestOf(shown) }
  const quoted = mark && {
    start_chars: mark.start_chars,
    end_chars: mark.end_chars,
    text: sliceCodePoints(shown, mark.start_chars - start_chars, mark.end_chars - start_chars),
  }
  const rest: JsonObject = {
    field: {
      ...(size_chars === undefined ? {} : { size_chars }),
      ...(digest === undefined ? {} : { digest }),
    },
    ...(window.next_cursor === null
      ? {}
      : { next: readCall(handle, field.path, { offset_chars: end_chars }) }),
    note: DATA_NOTE,
  }
  return {
    text: windowText({ ...about, mark: quoted, passage, ...rest }, shown, url),
    structured: { ...about, mark: quoted, passage: { ...passage, text: shown }, ...rest },
  }
}

/** Turns the link to the window into a link to the mark. */
function linkTo({ url, field }: FieldWindow, mark: Marked): string {
  const [page = ''] = url.split('?')
  if (!isRecordPage(page)) return url
  return passageUrl(page, { ...mark, field_path: field.path, digest: field.digest ?? '' })
}

function refused(message: string, param: string): CodedError {
  return new CodedError('invalid_window', message, { param })
}

const LABEL_CHARS = 200

/** Where a passage is from, as far as the grant shows it. */
interface Origin extends JsonObject {
  title: string
}

async function originOf(client: ResourceServerClient, record: RecordReference): Promise<Origin> {
  const capabilities = await capabilitiesOf(client)
  const { connection_id } = record
  const max_field_chars = capabilities.has('max_field_chars') ? LABEL_CHARS : undefined
  const answer = await client
    .get(readRecord, record, { connection_id, max_field_chars })
    // The passage itself was read; without its labels it is still evidence.
    .catch((): JsonObject => ({}))
  const zone = await ownerZone(client)
  const labels = {
    source: firstText(answer, ['display_name', 'connector_key']),
    author: firstText(answer, ['author']),
    occurred_at: localTime(firstText(answer, ['occurred_at', 'authored_at']), zone),
  }
  const title = firstText(answer, ['title']) ?? `${record.stream} ${record.record_id}`
  const shown = Object.entries(labels).flatMap(([name, value]) =>
    value === null ? [] : [[name, cutText(value, LABEL_CHARS)]],
  )
  return { title: cutText(title, LABEL_CHARS), ...Object.fromEntries(shown) }
}
