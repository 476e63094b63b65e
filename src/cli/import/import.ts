import { IMPORTERS } from '../../importers/importers.ts'
import { openSource } from '../../importers/source/open.ts'
import type { Source } from '../../importers/source/source.ts'
import { knownTimeZone } from '../../origin/owner-time-zone.ts'
import { shrinkHeap, withModestHeap } from '../../store/engine/heap.ts'
import { readerLines } from '../apps/readers.ts'
import { type Command, type Invocation, text } from '../command.ts'
import { sourceIds } from '../names.ts'
import { type OpenOwnServer, type OwnServer, openOwnServer } from '../own-server.ts'
import { UsageError } from '../terminal/exit-errors.ts'
import { dryRun } from './dry-run.ts'
import { importInto } from './import-into.ts'
import { type Plan, partsOf, planOf } from './import-plan.ts'
import { number, progressOn } from './import-progress.ts'
import {
  dryRunLines,
  EXIT_REJECTED,
  foundLines,
  type Outcome,
  outcomeLines,
  RejectedItems,
  rejectionsOf,
  totalOf,
} from './import-report.ts'

const FORMATS = IMPORTERS.map(({ format }) => format).join(', ')

export const importCommand: Command = {
  name: 'import',
  summary: 'Imports your own exports: files, folders, zips or tars.',
  usage:
    'footnote import PATH… [--name LABEL] [--connection NAME|ID] [--as FORMAT] [--dry-run] [--json]\n\n' +
    `Formats: ${FORMATS}. The format is detected from the content of the files.\n\n` +
    `Exit codes: 0 everything was imported; ${EXIT_REJECTED} some items were rejected and the others were imported;\n` +
    '1 nothing was recognised, or the import failed; 64 wrong usage.',
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
  const zone = knownTimeZone(config.location.directory, config.timeZone)
  let server: OpenOwnServer | null = null
  try {
    for (const path of positionals) {
      await using source = await openSource(path)
      const plan = await planOf(source, text(values, 'as'))
      // Starting and detecting the format make the heap large; an import needs little.
      shrinkHeap()
      for (const [index, part] of partsOf(
        plan,
        source,
        values.as !== undefined || values.connection !== undefined,
      ).entries()) {
        for (const line of foundLines(source, part, zone)) invocation.note(line)
        if (!values['dry-run']) server ??= await openOwnServer(config)
        // Files that were left out of the source are reported once.
        const seen = index === 0 ? source : { ...source, leftOut: [] }
        outcomes.push(await importSource(invocation, seen, part, server))
      }
    }
    if (server) for (const line of await whoReads(server, outcomes, invocation)) invocation.note(line)
  } finally {
    await server?.[Symbol.asyncDispose]()
  }
  if (values.json) {
    if (outcomes.length > 1) for (const outcome of outcomes) print(JSON.stringify(outcome))
    print(JSON.stringify(totalOf(outcomes)))
  }
  const { rejected } = totalOf(outcomes)
  if (rejected > 0) throw new RejectedItems(rejected, values['dry-run'] === true)
}

/** Who can read what was imported, for each connection once. */
async function whoReads(
  server: OwnServer,
  outcomes: readonly Outcome[],
  { spelled }: Invocation,
): Promise<string[]> {
  const ids = new Set(outcomes.flatMap(({ connection_id }) => connection_id ?? []))
  return (await Promise.all([...ids].map(id => readerLines(server, id, spelled)))).flat()
}

function assertUsage({ positionals, values }: Invocation): void {
  if (positionals.length === 0)
    throw new UsageError('The path of what to import is missing.', 'footnote import PATH')
  const format = text(values, 'as')
  if (format !== undefined && !IMPORTERS.some(importer => importer.format === format)) {
    throw new UsageError(`Unknown format "${format}". Known: ${FORMATS}.`, 'footnote import --help')
  }
  if (text(values, 'name') === '') throw new UsageError('--name is empty.', '--name "Work mail"')
  if (text(values, 'name') !== undefined && text(values, 'connection') !== undefined) {
    throw new UsageError('--name and --connection cannot be used together.', 'footnote import --help')
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
    if (!server) {
      const outcome = await dryRun(plan, source, bar.show)
      bar.end()
      for (const line of dryRunLines(outcome)) note(line)
      return outcome
    }
    const [connection] = await sourceIds(server, [text(values, 'connection') ?? []].flat())
    const target = {
      connection_id: connection ?? null,
      name: text(values, 'name') ?? null,
    }
    const { begun, counts } = await importInto(server, source, plan, target, {
      begun(run) {
        if (run.resumed) note(`Resuming an interrupted import after ${number(run.seen)} items.`)
      },
      progress: bar.show,
    })
    bar.end()
    const rejections = await rejectionsOf(server, begun.import_id)
    const seconds = (performance.now() - began) / 1000
    const { import_id, connection_id } = begun
    const outcome = {
      dry_run: false,
      import_id,
      connection_id,
      format: importer.format,
      ...counts,
      rejections,
    }
    for (const line of outcomeLines(outcome, seconds)) note(line)
    return outcome
  } finally {
    bar.end()
  }
}
