import { search } from '../../api/search.ts'
import { number } from '../../model/amounts.ts'
import type { SearchHit } from '../../model/search/search-hit.ts'
import { type Command, type Invocation, texts } from '../command.ts'
import { type OwnServer, openOwnServer } from '../own-server.ts'
import { ExitError } from '../terminal/exit-errors.ts'
import { cut, oneLine } from '../terminal/terminal.ts'
import { withCaller } from './mcp-caller.ts'
import { CLIENT_CLASSES, type ClientClass, type Step } from './tour-classes.ts'
import { pickQuery } from './tour-query.ts'

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
