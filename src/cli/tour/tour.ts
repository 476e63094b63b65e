import { fieldWindow, listRecords } from '../../api/records.ts'
import { type SearchHit, search } from '../../api/search.ts'
import { listStreams, readSchema } from '../../api/streams.ts'
import { number } from '../../model/amounts.ts'
import { type Command, type Invocation, texts } from '../command.ts'
import { type OwnServer, openOwnServer } from '../own-server.ts'
import { ExitError } from '../terminal/exit-errors.ts'
import { cut, oneLine } from '../terminal/terminal.ts'
import { withCaller } from './mcp-caller.ts'
import { CLIENT_CLASSES, type ClientClass, type Step } from './tour-classes.ts'

const CLIENT_NAME = 'footnote tour'
const WIDEST = 100
const SEEN_LINES = 3

export const tour: Command = {
  name: 'tour',
  usage: 'footnote tour [QUERY…] [--class NAME]… [--json]',
  examples: ['footnote tour', 'footnote tour garden plan --class clipping'],
  links: true,
  async run(invocation) {
    const { config, values, positionals, print, note, spelled } = invocation
    const classes = chosenClasses(texts(values, 'class'))
    await using server = await openOwnServer(config)
    const asked = positionals.join(' ').trim()
    const query = asked === '' ? await pickQuery(server) : asked
    if (query === null) throw new ExitError('There is no text to show yet.', 'footnote import PATH', 1)
    const { body } = await server.get(search, {}, { q: query, limit: 1, windows: 1 })
    const [hit] = body.data
    if (!hit)
      throw new ExitError(`Nothing was found for "${query}".`, 'footnote tour, which picks a query', 1)
    const journeys = await travel(server, classes, query)
    if (values.json)
      return print(JSON.stringify({ query, classes: journeys.map(journey => summaryOf(journey, hit)) }))
    if (asked === '') note('The query was picked from your data.')
    print(`Query: ${oneLine(query)}`)
    print('')
    for (const journey of journeys) for (const line of journeyLines(journey, hit, invocation)) print(line)
    const ledger = spelled(`footnote ledger --client "${CLIENT_NAME}"`)
    note(`The grant of this tour is revoked; ${ledger} shows what it showed.`)
  },
}

interface Journey {
  kind: ClientClass
  steps: Step[]
}

function chosenClasses(names: string[] | undefined): readonly ClientClass[] {
  if (!names) return CLIENT_CLASSES
  return names.map(name => {
    const found = CLIENT_CLASSES.find(kind => kind.name === name)
    if (found) return found
    throw new ExitError(`Unknown class "${name}".`, CLIENT_CLASSES.map(kind => kind.name).join(', '), 64)
  })
}

/** Runs the journey of each class of client. */
function travel(server: OwnServer, classes: readonly ClientClass[], query: string): Promise<Journey[]> {
  return withCaller(server, CLIENT_NAME, async caller => {
    const journeys: Journey[] = []
    for (const kind of classes) journeys.push({ kind, steps: await kind.journey(caller, query) })
    return journeys
  })
}

function bytesOf({ seen }: Step): number {
  return Buffer.byteLength(seen)
}

/** Whether the text that was found is in the text that was read. */
function reached({ steps }: Journey, hit: SearchHit): boolean {
  const [window] = hit.match_windows
  if (!window) return false
  const match = Array.from(window.text)
    .slice(window.start_chars - window.text_start_chars, window.end_chars - window.text_start_chars)
    .join('')
  return steps
    .map(step => step.window)
    .join('')
    .includes(match)
}

function summaryOf(journey: Journey, hit: SearchHit) {
  const { kind, steps } = journey
  return {
    class: kind.name,
    reached: reached(journey, hit),
    bytes: steps.reduce((sum, step) => sum + bytesOf(step), 0),
    steps: steps.map(step => ({ call: step.call, bytes: bytesOf(step), seen: step.seen })),
  }
}

function journeyLines(journey: Journey, hit: SearchHit, { paint, columns }: Invocation): string[] {
  const { kind, steps } = journey
  const width = Math.min(columns, WIDEST)
  const lines = [`${paint.bold(kind.name)} sees ${kind.sees} (${kind.hosts})`]
  for (const [index, step] of steps.entries()) {
    const cost = `${number(bytesOf(step))} bytes`
    const call = cut(oneLine(step.call), width - cost.length - 6)
    lines.push(`  ${index + 1} ${paint.green(call.padEnd(width - cost.length - 5))} ${paint.dim(cost)}`)
    const seen = step.seen.split('\n').filter(line => line.trim() !== '')
    for (const line of seen.slice(0, SEEN_LINES))
      lines.push(paint.dim(`    ${cut(oneLine(line), width - 4)}`))
  }
  const { bytes, reached: there } = summaryOf(journey, hit)
  const end = there ? 'the passage is read' : 'the passage was not read'
  lines.push(`  ${number(bytes)} bytes in ${steps.length} calls; ${end}.`, '')
  return lines
}

const STREAMS = 8
const RECORDS = 50
const NEAR_CHARS = 400
const WORDS = 3

interface Text {
  stream: string
  connection_id: string
  record_id: string
  field_path: string
  size_chars: number
}

/** A question that the data can answer: words that are near each other in the middle of a long text. */
async function pickQuery(server: OwnServer): Promise<string | null> {
  const { body } = await server.get(listStreams, {})
  const streams = body.data.toSorted((a, b) => b.record_count - a.record_count).slice(0, STREAMS)
  let longest: Text | null = null
  for (const { name } of streams) {
    const text = await longestText(server, name)
    if (text && text.size_chars > (longest?.size_chars ?? 0)) longest = text
  }
  return longest && wordsOf(await middleOf(server, longest))
}

/** The longest searchable text among a stream's newest records. */
async function longestText(server: OwnServer, stream: string): Promise<Text | null> {
  const schema = await server.get(readSchema, {}, { stream, view: 'compact' })
  const searched = new Set(
    schema.body.streams.flatMap(({ fields = {} }) =>
      Object.entries(fields).flatMap(([name, flags]) => (flags.split(' ').includes('lex') ? [name] : [])),
    ),
  )
  if (searched.size === 0) return null
  const { body } = await server.get(listRecords, { stream }, { limit: RECORDS })
  let longest: Text | null = null
  for (const record of body.data) {
    if (!('data' in record)) continue
    const { connection_id, id, data, truncated_fields = [] } = record
    for (const field_path of searched) {
      const value = data[field_path]
      if (typeof value !== 'string') continue
      const whole = truncated_fields.find(each => each.field_path === field_path)
      const size_chars = whole?.size_chars ?? value.length
      if (size_chars <= (longest?.size_chars ?? 0)) continue
      longest = { stream, connection_id, record_id: id, field_path, size_chars }
    }
  }
  return longest
}

async function middleOf(server: OwnServer, text: Text): Promise<string> {
  const { connection_id, field_path, size_chars } = text
  const { body } = await server.get(fieldWindow, text, {
    connection_id,
    field: field_path,
    offset_chars: Math.floor(size_chars / 2),
    limit_chars: NEAR_CHARS,
  })
  return body.window.text
}

/** The longest words of a text, in its order; whole words only. */
function wordsOf(text: string): string | null {
  const words = [...text.matchAll(/(?<![\p{L}\p{N}])\p{L}{4,24}(?![\p{L}\p{N}])/gu)].map(([word]) => word)
  const inside = new Set(words.slice(1, -1).map(word => word.toLowerCase()))
  const rarest = [...inside].toSorted((a, b) => b.length - a.length).slice(0, WORDS)
  const chosen = [...inside].filter(word => rarest.includes(word))
  return chosen.length === 0 ? null : chosen.join(' ')
}
