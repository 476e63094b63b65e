import { listConnections } from '../../api/owner/catalog.ts'
import { listClients } from '../../api/owner/grants.ts'
import { listRejections } from '../../api/owner/imports.ts'
import type { Source } from '../../importers/source/source.ts'
import { counted, number } from '../../model/amounts.ts'
import type { TimeZone } from '../../model/time.ts'
import { shownTime } from '../command.ts'
import { quoted } from '../names.ts'
import type { OwnServer } from '../own-server.ts'
import { ExitError } from '../terminal/exit-errors.ts'
import { oneLine } from '../terminal/terminal.ts'
import { leftLines, type Plan } from './import-plan.ts'
import type { Counts, Rejected } from './import-run.ts'

/** The exit code of an import that rejected some items and imported the others. */
export const EXIT_REJECTED = 65
const MOST_REJECTIONS_SHOWN = 10
export const MOST_REJECTIONS_LISTED = 1_000

/** One line of `--json`; its fields are stable. */
export interface Outcome extends Counts {
  dry_run: boolean
  import_id: string | null
  connection_id: string | null
  format: string | null
  rejections: Rejected[]
}

/** The import is done, but not everything is in the store. */
export class RejectedItems extends ExitError {
  constructor(rejected: number, isDryRun: boolean) {
    const items = counted(rejected, 'item')
    const message = isDryRun
      ? `${items} would be rejected. Nothing was written.`
      : `${items} ${rejected === 1 ? 'was' : 'were'} rejected. Everything else was imported.`
    const hint = isDryRun
      ? 'add --json to list the rejected items with their places and reasons'
      : 'the command above, after "all rejections", shows them again'
    super(message, hint, EXIT_REJECTED)
  }
}

export function* foundLines(
  source: Source,
  { importer, finding, skipped, left }: Plan,
  zone: TimeZone,
): Generator<string> {
  const about = finding.exact ? '' : 'about '
  const day = (time: string) => shownTime(time, zone).slice(0, 10)
  const days = finding.span && `, ${day(finding.span.first)} to ${day(finding.span.last)}`
  yield `${oneLine(source.path)}: ${importer.label} (${importer.format}), ${about}${counted(finding.items, 'item')}${days ?? ''}`
  for (const other of skipped) {
    const { format, label } = other.importer
    yield `  skipped: ${label}, ${counted(other.finding.items, 'item')}; import them with --as ${format}`
  }
  for (const line of leftLines(left)) yield `  skipped: ${line}`
}

export function* outcomeLines(outcome: Outcome, name: string, seconds: number): Generator<string> {
  const { connection_id, seen, added, updated, unchanged, rejected } = outcome
  const rate = number(Math.round(seen / Math.max(0.001, seconds)))
  yield `  ${oneLine(name)} (${connection_id}): ${number(seen)} seen, ${number(added)} added, ${number(updated)} updated, ` +
    `${number(unchanged)} unchanged, ${number(rejected)} rejected (${seconds.toFixed(1)} s, ${rate}/s)`
  yield* rejectionLines(outcome)
}

/** The command that lists what an import rejected; it also works later. */
export function rejectionsCommand({ import_id, rejected }: Outcome): string | null {
  return rejected === 0 || import_id === null ? null : `footnote imports show ${import_id}`
}

export function* dryRunLines(outcome: Outcome): Generator<string> {
  const { seen, added, unchanged, rejected } = outcome
  const repeats = unchanged === 0 ? '' : `, ${number(unchanged)} repeated`
  yield `  ${number(seen)} seen, ${number(added)} would be added${repeats}, ${number(rejected)} would be rejected`
  yield* rejectionLines(outcome)
  yield '  dry run: nothing was written. Records that are already stored count too; they would not be added again.'
}

function* rejectionLines({ rejections, rejected }: Outcome): Generator<string> {
  for (const { place, code, message } of rejections.slice(0, MOST_REJECTIONS_SHOWN))
    yield `  rejected: ${oneLine(place)}: ${code}: ${oneLine(message)}`
  const more = rejected - Math.min(rejections.length, MOST_REJECTIONS_SHOWN)
  if (more > 0) yield `  … and ${number(more)} more`
}

export async function rejectionsOf(server: OwnServer, import_id: string): Promise<Rejected[]> {
  const found: Rejected[] = []
  let cursor: string | undefined
  do {
    const { body: page } = await server.get(listRejections, { import_id }, { limit: 100, cursor })
    found.push(...page.data.map(({ place, code, message }) => ({ place, code, message })))
    cursor = page.next_cursor
  } while (cursor !== undefined && found.length < MOST_REJECTIONS_LISTED)
  return found
}

export function totalOf(outcomes: readonly Outcome[]): Outcome {
  const sum = (name: keyof Counts) => outcomes.reduce((total, outcome) => total + outcome[name], 0)
  const same = <T>(values: T[]) => (values.every(value => value === values[0]) ? (values[0] ?? null) : null)
  return {
    dry_run: outcomes.some(({ dry_run }) => dry_run),
    import_id: same(outcomes.map(({ import_id }) => import_id)),
    connection_id: same(outcomes.map(({ connection_id }) => connection_id)),
    format: same(outcomes.map(({ format }) => format)),
    seen: sum('seen'),
    added: sum('added'),
    updated: sum('updated'),
    unchanged: sum('unchanged'),
    rejected: sum('rejected'),
    rejections: outcomes.flatMap(({ rejections }) => rejections).slice(0, MOST_REJECTIONS_LISTED),
  }
}

const REDRAW_MS = 100
const BAR_CELLS = 20

interface Progress {
  show(seen: number, done: number): void
  /** Removes the bar. */
  end(): void
}

const SILENT: Progress = { show() {}, end() {} }

/** A bar with items, rate and time left if the stream is a terminal; nothing otherwise. */
export function progressOn(stream: NodeJS.WriteStream, items: number, exact: boolean): Progress {
  if (!stream.isTTY) return SILENT
  const began = performance.now()
  let first: { seen: number; done: number } | null = null
  let drawn = 0
  return {
    show(seen, done) {
      const now = performance.now()
      first ??= { seen, done }
      if (now - drawn < REDRAW_MS) return
      drawn = now
      const seconds = (now - began) / 1000
      const rate = (seen - first.seen) / Math.max(0.1, seconds)
      const left = done > first.done ? (seconds * (1 - done)) / (done - first.done) : null
      stream.write(`\r\x1b[K${barText({ seen, done, items, exact, rate, left })}`)
    },
    end: () => stream.write('\r\x1b[K'),
  }
}

export function barText(at: {
  seen: number
  done: number
  items: number
  exact: boolean
  rate: number
  left: number | null
}): string {
  const cells = Math.round(Math.min(1, at.done) * BAR_CELLS)
  const bar = `${'█'.repeat(cells)}${'░'.repeat(BAR_CELLS - cells)}`
  const of = `${number(at.seen)} of ${at.exact ? '' : 'about '}${number(Math.max(at.items, at.seen))}`
  const left = at.left === null ? '' : `  ${duration(at.left)} left`
  return `${bar}  ${of}  ${number(Math.round(at.rate))}/s${left}`
}

export function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}

/** Which apps can read a source, and how to give access to others. */
export async function readerLines(
  server: OwnServer,
  connection_id: string,
  spelled: (text: string) => string,
): Promise<string[]> {
  const [{ data: sources }, { data: clients }] = await Promise.all([
    server.call(listConnections, {}),
    server.call(listClients, {}),
  ])
  const name = sources.find(source => source.connection_id === connection_id)?.display_name ?? connection_id
  const isUnique = sources.filter(source => source.display_name === name).length === 1
  const apps = clients.filter(({ connection_ids }) => connection_ids.length > 0)
  if (apps.length === 0)
    return [
      `  No app can read ${oneLine(name)} yet. To connect one: ${spelled('footnote connect claude-code')}`,
    ]
  const readers = apps.filter(({ connection_ids }) => connection_ids.includes(connection_id))
  const others = apps.filter(app => !readers.includes(app))
  const names = readers.map(app => oneLine(app.name)).join(', ')
  const source = isUnique ? quoted(oneLine(name)) : connection_id
  return [
    ...(readers.length > 0 ? [`  ${oneLine(name)} can be read by ${names}.`] : []),
    ...others.map(app => {
      if (!app.extendable)
        return `  ${oneLine(app.name)} cannot read ${oneLine(name)}. Connect it again in the app to ask for access.`
      const sameName = apps.filter(each => each.name === app.name).length > 1
      const asked = sameName ? app.client_id : quoted(oneLine(app.name))
      return `  ${oneLine(app.name)} cannot read ${oneLine(name)}. To let it: ${spelled('footnote apps allow')} ${asked} ${source}`
    }),
  ]
}
