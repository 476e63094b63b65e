import { IMPORTERS } from '../../importers/importers.ts'
import { openSource } from '../../importers/source/open.ts'
import type { Source } from '../../importers/source/source.ts'
import { CodedError } from '../../model/errors.ts'
import { shrinkHeap, withModestHeap } from '../../store/engine/heap.ts'
import { type Command, type Invocation, text } from '../command.ts'
import { type OwnServer, openOwnServer } from '../own-server.ts'
import { UsageError } from '../terminal/exit-errors.ts'
import { importInto } from './import-into.ts'
import { type Plan, planOf } from './import-plan.ts'
import { number, progressOn } from './import-progress.ts'
import type { Counts, Rejected } from './import-run.ts'

const FORMATS = IMPORTERS.map(({ format }) => format).join(', ')
const MOST_REJECTIONS_SHOWN = 10
const MOST_REJECTIONS_LISTED = 1_000

/** One line of `--json`; its fields are stable. */
interface Outcome extends Counts {
  connection_id: string | null
  format: string | null
  rejections: Rejected[]
}

export const importCommand: Command = {
  name: 'import',
  summary: 'Imports your own exports: files, folders, zips or tars.',
  usage:
    'footnote import PATH… [--name LABEL] [--connection ID] [--as FORMAT] [--dry-run] [--json]\n\n' +
    `Formats: ${FORMATS}. The format is recognised by what the files hold.`,
  examples: [
    'footnote import ~/Downloads/takeout.zip',
    'footnote import mail/inbox.mbox --name "Work mail"',
    'footnote import ~/Maildir --dry-run --json',
  ],
  options: {
    name: { type: 'string' },
    connection: { type: 'string' },
    as: { type: 'string' },
    'dry-run': { type: 'boolean' },
    json: { type: 'boolean' },
  },
  run: invocation => withModestHeap(() => importAll(invocation)),
}

async function importAll(invocation: Invocation): Promise<void> {
  const { config, positionals, values, print } = invocation
  assertUsage(invocation)
  const outcomes: Outcome[] = []
  let leftOut = 0
  let server: OwnServer | null = null
  try {
    for (const path of positionals) {
      await using source = await openSource(path)
      const plan = await planOf(source, text(values, 'as'))
      // Starting and looking around have made the heap large; an import needs little.
      shrinkHeap()
      for (const line of foundLines(source, plan)) invocation.note(line)
      if (!values['dry-run']) server ??= await openOwnServer(config)
      outcomes.push(await importSource(invocation, source, plan, server))
      leftOut += source.leftOut.length
    }
  } finally {
    await server?.[Symbol.asyncDispose]()
  }
  if (values.json) {
    if (outcomes.length > 1) for (const outcome of outcomes) print(JSON.stringify(outcome))
    print(JSON.stringify(totalOf(outcomes)))
  }
  if (leftOut > 0) {
    const files = leftOut === 1 ? 'One file was' : `${leftOut} files were`
    throw new CodedError('source_unreadable', `${files} left out; all else is imported. The list is above.`)
  }
}

function assertUsage({ positionals, values }: Invocation): void {
  if (positionals.length === 0) throw new UsageError('Name what to import.', 'footnote import PATH')
  const format = text(values, 'as')
  if (format !== undefined && !IMPORTERS.some(importer => importer.format === format)) {
    throw new UsageError(`There is no format "${format}".`, `--as ${FORMATS}`)
  }
  if (text(values, 'name') === '') throw new UsageError('--name is empty.', '--name "Work mail"')
  if (text(values, 'name') !== undefined && text(values, 'connection') !== undefined) {
    throw new UsageError('--name and --connection exclude each other.', 'footnote import --help')
  }
}

async function importSource(
  invocation: Invocation,
  source: Source,
  plan: Plan,
  server: OwnServer | null,
): Promise<Outcome> {
  const { values, note } = invocation
  const { finding, importer } = plan
  const bar = progressOn(process.stderr, finding.items, finding.exact)
  const began = performance.now()
  try {
    if (!server) return await dryRun(plan, source, bar.show)
    const target = {
      connection_id: text(values, 'connection') ?? null,
      name: text(values, 'name') ?? null,
    }
    const { begun, counts } = await importInto(server, source, plan, target, {
      begun(run) {
        if (run.resumed)
          note(`Goes on behind the ${number(run.seen)} items of an import that was broken off.`)
      },
      progress: bar.show,
    })
    bar.end()
    const rejections = await rejectionsOf(server, begun.import_id)
    const seconds = (performance.now() - began) / 1000
    const { connection_id } = begun
    const outcome = { connection_id, format: importer.format, ...counts, rejections }
    for (const line of outcomeLines(outcome, seconds)) note(line)
    return outcome
  } finally {
    bar.end()
  }
}

/** Reads everything and writes nothing. */
async function dryRun(
  { finding, importer }: Plan,
  source: Source,
  show: (seen: number, done: number) => void,
): Promise<Outcome> {
  const rejections: Rejected[] = source.leftOut.map(({ path, code, message }) => ({
    place: path,
    code,
    message,
  }))
  const counts = { seen: rejections.length, added: 0, updated: 0, unchanged: 0, rejected: rejections.length }
  for await (const event of finding.read(null)) {
    if (event.kind === 'record') counts.seen++
    else if (event.kind === 'rejection') {
      counts.seen++
      counts.rejected++
      const { place, code, message } = event
      if (rejections.length < MOST_REJECTIONS_LISTED) rejections.push({ place, code, message })
    } else if (event.kind === 'checkpoint') show(counts.seen, event.done)
  }
  return { connection_id: null, format: importer.format, ...counts, rejections }
}

function* foundLines(source: Source, { importer, finding, skipped, filesLeft }: Plan): Generator<string> {
  const about = finding.exact ? '' : 'about '
  const days = finding.span && `, ${finding.span.first.slice(0, 10)} to ${finding.span.last.slice(0, 10)}`
  yield `${source.path}: ${importer.label} (${importer.format}), ${about}${number(finding.items)} items${days ?? ''}`
  for (const other of skipped) {
    const { format, label } = other.importer
    yield `  skipped: ${label}, ${number(other.finding.items)} items; take them with --as ${format}`
  }
  if (filesLeft > 0) yield `  skipped: ${number(filesLeft)} files of no known format`
}

function* outcomeLines(outcome: Outcome, seconds: number): Generator<string> {
  const { connection_id, seen, added, updated, unchanged, rejected, rejections } = outcome
  const rate = number(Math.round(seen / Math.max(0.001, seconds)))
  yield `  ${connection_id}: ${number(seen)} seen, ${number(added)} added, ${number(updated)} updated, ` +
    `${number(unchanged)} unchanged, ${number(rejected)} rejected (${seconds.toFixed(1)} s, ${rate}/s)`
  for (const { place, code, message } of rejections.slice(0, MOST_REJECTIONS_SHOWN)) {
    yield `  rejected: ${place}: ${code}: ${message}`
  }
  const more = rejected - Math.min(rejections.length, MOST_REJECTIONS_SHOWN)
  if (more > 0) yield `  … and ${number(more)} more`
}

async function rejectionsOf(server: OwnServer, import_id: string): Promise<Rejected[]> {
  const found: Rejected[] = []
  let cursor: string | undefined
  do {
    const query = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = await server.call<{ data: (Rejected & { object: string })[]; next_cursor?: string }>(
      `/v1/owner/imports/${import_id}/rejections?limit=100${query}`,
    )
    found.push(...page.data.map(({ place, code, message }) => ({ place, code, message })))
    cursor = page.next_cursor
  } while (cursor !== undefined && found.length < MOST_REJECTIONS_LISTED)
  return found
}

function totalOf(outcomes: Outcome[]): Outcome {
  const sum = (name: keyof Counts) => outcomes.reduce((total, outcome) => total + outcome[name], 0)
  const same = <T>(values: T[]) => (values.every(value => value === values[0]) ? (values[0] ?? null) : null)
  return {
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
