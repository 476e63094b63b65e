import { listClients } from '../../api/owner/grants.ts'
import { listDisclosures, pruneLedger, verifyLedger } from '../../api/owner/ledger.ts'
import type { ReplyOf } from '../../api/route.ts'
import type { Shown } from '../../model/access/shown.ts'
import { counted } from '../../model/amounts.ts'
import { sinceInstant } from '../../model/time-bounds.ts'
import { boundsOf, type Command, type Invocation, noteBounds, noteMore, shownTime, text } from '../command.ts'
import { appAmong } from '../names.ts'
import { type OwnServer, openOwnServer } from '../own-server.ts'
import { ExitError, UsageError } from '../terminal/exit-errors.ts'
import { oneLine } from '../terminal/terminal.ts'

const EXIT_BROKEN = 66
const EXIT_UNVERIFIABLE = 67
/** More records, and more lines of what decided an answer, are only listed if asked for. */
const MOST_RECORDS = 3
const MOST_DECIDED = 2

type Entry = ReplyOf<typeof listDisclosures>['data'][number]

export const ledger: Command = {
  name: 'ledger',
  usage:
    'footnote ledger [verify | prune --before T] [--client NAME|ID] [--since T] [--until T] [--limit N] [--cursor C] [--queries] [--all] [--json]',
  examples: [
    'footnote ledger',
    'footnote ledger --client "Claude Code" --since 2026-11-01 --json',
    'footnote ledger verify',
  ],
  async run(invocation) {
    const { config, values, positionals, print, note, paint } = invocation
    const [verb, ...rest] = positionals
    if (rest.length > 0 || (verb !== undefined && verb !== 'verify' && verb !== 'prune'))
      throw new UsageError('footnote ledger accepts verify, prune or nothing.', 'footnote ledger verify')
    const before = text(values, 'before')
    if ((verb === 'prune') !== (before !== undefined))
      throw new UsageError(
        '--before and prune must be used together.',
        'footnote ledger prune --before 2026-01-01',
      )
    await using server = await openOwnServer(config)
    if (verb === 'verify') return await verify(invocation, server)
    if (before !== undefined) return await prune(invocation, server, before)
    const zone = server.timeZone
    const bounds = boundsOf(values, zone)
    noteBounds(invocation, bounds, zone)
    const client = text(values, 'client')
    const { body: known } = await server.get(listClients, {})
    const { text: answer, body } = await server.get(
      listDisclosures,
      {},
      {
        client_id: client === undefined ? undefined : appAmong(known.data, client).client_id,
        ...bounds,
        limit: text(values, 'limit') ?? '25',
        cursor: text(values, 'cursor'),
        queries: values.queries ? 'show' : undefined,
      },
    )
    if (values.json) return print(answer)
    const names = new Map(known.data.map(({ client_id, name }) => [client_id, name]))
    const isAll = values.all === true
    for (const alike of isAll ? body.data.map(entry => [entry] as const) : repeated(body.data)) {
      const [{ at, client_id, route, status, shown, decided, query }] = alike
      const who = paint.bold(oneLine(names.get(client_id) ?? client_id))
      const since = shownTime(alike.at(-1)?.at ?? at, zone)
      const times = alike.length === 1 ? '' : `, ${alike.length} times since ${since}`
      print(`${shownTime(at, zone)}  ${who}  ${paint.dim(`${route} ${status}${times}`)}`)
      if (query) print(`  asked ${oneLine(query)}`)
      for (const line of shownLines(shown, isAll)) print(`  ${line}`)
      for (const line of decidedLines(decided, shown, isAll)) print(`  ${paint.dim(`decided by ${line}`)}`)
    }
    if (body.data.length === 0) note('No client has read anything.')
    for (const { message } of body.meta.warnings) note(message)
    noteMore({ note, paint }, body.next_cursor)
  },
}

/** Checks every entry; the exit code gives the result. */
async function verify({ values, print }: Invocation, server: OwnServer): Promise<void> {
  const report = await server.call(verifyLedger, {})
  const { state, entries, chains, unfinished, pruned, unlinked, unverifiable, unknown_keys } = report
  if (values.json) print(JSON.stringify(report))
  else {
    print(`${counted(entries, 'entry', 'entries')} in ${counted(chains, 'chain')}: ${state}.`)
    if (unfinished > 0) print(`Unfinished chains: ${unfinished}. A server is running, or it was killed.`)
    if (pruned > 0) print(`Pruned entries: ${pruned}.`)
    if (unlinked > 0) print(`Entries from before the ledger was signed: ${unlinked}.`)
    if (unverifiable > 0)
      print(
        `Entries that were signed with a key that is not here: ${unverifiable} (${unknown_keys.join(', ')}).`,
      )
    for (const { kind, chain_id, first, last } of report.problems) {
      const range = first === last ? `entry ${first}` : `entries ${first} to ${last}`
      print(`${kind}: ${range} of ${chain_id === null ? 'the unsigned part' : `chain ${chain_id}`}`)
    }
  }
  if (state === 'broken')
    throw new ExitError('The ledger was changed.', 'compare it with a backup', EXIT_BROKEN)
  if (state === 'unverifiable') {
    const hint = 'add the line of the other ledger.key to the one in the data folder'
    throw new ExitError('A part of the ledger cannot be verified here.', hint, EXIT_UNVERIFIABLE)
  }
}

async function prune({ values, print }: Invocation, server: OwnServer, before: string): Promise<void> {
  const instant = sinceInstant(before, { zone: server.timeZone, now: new Date() })
  const pruned = await server.call(pruneLedger, {}, { json: { before: instant } })
  print(values.json ? JSON.stringify(pruned) : `Removed entries: ${pruned.removed}.`)
}

/** Requests of one client in a row: those with the same answer together, at the place of the newest. */
function repeated(entries: readonly Entry[]): [Entry, ...Entry[]][] {
  const rows: Entry[][] = []
  for (const entry of entries) {
    const row = rows.at(-1)
    if (row?.[0]?.client_id === entry.client_id) row.push(entry)
    else rows.push([entry])
  }
  const keyOf = ({ route, status, shown, decided, query }: Entry) =>
    JSON.stringify([route, status, shown, decided, query ?? null])
  return rows.flatMap(row => [...Map.groupBy(row, keyOf).values()]) as [Entry, ...Entry[]][]
}

function shownLines(shown: readonly Shown[], isAll: boolean): string[] {
  const each = shown.flatMap(one =>
    one.record_ids.length === 0 ? [one] : one.record_ids.map(id => ({ ...one, record_ids: [id] })),
  )
  const left = each.length - MOST_RECORDS
  if (isAll || left < 2) return shown.map(shownLine)
  return [
    ...each.slice(0, MOST_RECORDS).map(shownLine),
    `and ${counted(left, 'more record', 'more records')}; --all lists them`,
  ]
}

/**
 * What decided an answer and is not said by what it showed. A search is decided by fields of every stream that may be
 * read, which are listed if asked for.
 */
function decidedLines(decided: readonly Shown[], shown: readonly Shown[], isAll: boolean): string[] {
  const once = decidedOnce(decided)
  if (isAll) return once.map(shownLine)
  const lines = once.filter(each => !shown.some(other => covers(other, each))).map(shownLine)
  return lines.length <= MOST_DECIDED
    ? lines
    : [`fields of ${counted(lines.length, 'stream')}; --all lists them`]
}

function covers(shown: Shown, { connection_id, stream, record_ids, fields }: Shown): boolean {
  const isSame = shown.connection_id === connection_id && shown.stream === stream
  return (
    isSame &&
    record_ids.length > 0 &&
    record_ids.every(id => shown.record_ids.includes(id)) &&
    fields.every(field => shown.fields.includes(field))
  )
}

/** What decided an answer, with one line for the same records: a search decides by several sets of fields. */
function decidedOnce(decided: readonly Shown[]): Shown[] {
  const named = decided.filter(({ fields }) => fields.length > 0)
  const keyOf = ({ connection_id, stream, record_ids, ranges }: Shown) =>
    JSON.stringify([connection_id, stream, record_ids, ranges ?? null])
  return [...Map.groupBy(named, keyOf).values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, fields: [...new Set([first, ...others].flatMap(({ fields }) => fields))] }] : [],
  )
}

function shownLine({ connection_id, stream, record_ids, fields, ranges }: Shown): string {
  const place = `${connection_id}/${stream}`
  const records =
    record_ids.length === 0
      ? `${place}: all records`
      : record_ids.map(id => oneLine(`${place}:${id}`)).join(', ')
  const parts = fields.map(field => {
    const shown = ranges?.[field]?.map(([start, end]) => `${start}-${end}`).join(' ')
    return oneLine(shown ? `${field} ${shown}` : field)
  })
  return `${records}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`
}
