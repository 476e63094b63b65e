import { resolve } from 'node:path'
import { readConnection } from '../../api/owner/catalog.ts'
import { extractor } from '../../importers/extraction/extractor.ts'
import { IMPORTERS } from '../../importers/importers.ts'
import { openSource, partsTogether } from '../../importers/source/open.ts'
import { countedSource, type Source } from '../../importers/source/source.ts'
import { number } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import { knownTimeZone } from '../../origin/origin.ts'
import { limitYoungSpace, OF_AN_IMPORT, passingBytes, shrinkHeap } from '../../store/engine/heap.ts'
import { type Command, type Invocation, text } from '../command.ts'
import { sourceId } from '../names.ts'
import { type OpenOwnServer, type OwnServer, startOwnServer } from '../own-server.ts'
import { EXIT_FAILURE, ExitError, UsageError } from '../terminal/exit-errors.ts'
import { stopSignal } from '../terminal/stop-signal.ts'
import { inert } from '../terminal/terminal.ts'
import { dryRun } from './dry-run.ts'
import { importInto } from './import-into.ts'
import { type Plan, partsOf, planOf } from './import-plan.ts'
import {
  dryRunLines,
  EXIT_REJECTED,
  foundLines,
  type Outcome,
  outcomeLines,
  progressOn,
  RejectedItems,
  readerLines,
  rejectionsCommand,
  rejectionsOf,
  totalOf,
} from './import-report.ts'
import { assertFolder, changedPaths } from './watch.ts'

const FORMATS = IMPORTERS.map(({ format }) => format).join(', ')

export const importCommand: Command = {
  name: 'import',
  usage:
    'footnote import PATH… [--name LABEL] [--connection NAME|ID] [--as FORMAT] [--dry-run] [--watch] [--json]\n\n' +
    `Formats: ${FORMATS}. The format is detected from the content of the files.\n\n` +
    `Exit codes: 0 everything was imported; ${EXIT_REJECTED} some items were rejected and the others were imported;\n` +
    '1 nothing was recognised, or the import failed; 64 wrong usage.',
  examples: [
    'footnote import ~/Downloads/takeout.zip',
    'footnote import mail/inbox.mbox --name "Work mail"',
    'footnote import ~/Maildir --dry-run --json',
    'footnote import --watch ~/Documents',
  ],
  async run(invocation) {
    using _young = limitYoungSpace(OF_AN_IMPORT)
    await (invocation.values.watch ? watchAll(invocation) : importAll(invocation))
  },
}

async function importAll(invocation: Invocation): Promise<void> {
  const { positionals, values, print } = invocation
  assertUsage(invocation)
  using _interrupt = toldOnInterrupt(invocation)
  const { outcomes, failed } = await importPaths(invocation, positionals)
  if (values.json) {
    if (outcomes.length > 1) for (const outcome of outcomes) print(JSON.stringify(outcome))
    print(JSON.stringify(totalOf(outcomes)))
  }
  if (failed.length > 0) {
    const message = `Failed: ${failed.join(', ')}. The other paths are not affected.`
    throw new ExitError(message, 'the reasons are above', EXIT_FAILURE)
  }
  const { rejected } = totalOf(outcomes)
  if (rejected > 0) throw new RejectedItems(rejected, values['dry-run'] === true)
}

/** Ctrl+C still ends the command at once, but says what becomes of the import. */
function toldOnInterrupt({ values, note }: Invocation): Disposable {
  const stop = () => {
    if (process.stderr.isTTY) note('')
    note(values['dry-run'] ? 'Stopped.' : 'Stopped. Repeat the command to resume the import.')
    process.exit(INTERRUPTED)
  }
  process.once('SIGINT', stop)
  return { [Symbol.dispose]: () => process.off('SIGINT', stop) }
}

/** The exit code of a program that SIGINT ended. */
const INTERRUPTED = 130

/** Imports what is in a folder, and then what is new or changed in it, until the process is asked to stop. */
async function watchAll(invocation: Invocation): Promise<void> {
  const { config, positionals, values, print, note } = invocation
  assertUsage(invocation)
  const [folder = '', ...more] = positionals
  if (more.length > 0)
    throw new UsageError('--watch needs exactly one folder.', 'footnote import --watch FOLDER')
  if (values['dry-run'])
    throw new UsageError('--watch and --dry-run cannot be used together.', 'footnote import --help')
  await assertFolder(folder, 'footnote import --watch FOLDER')
  const stop = stopSignal(config.starter)
  note(`Watching ${folder}. Stop with Ctrl+C; the next start continues.`)
  for await (const path of changedPaths(resolve(folder), stop)) {
    try {
      const { outcomes } = await importPaths(invocation, [path], stop)
      if (values.json) for (const outcome of outcomes) print(JSON.stringify(outcome))
    } catch (error) {
      if (stop.aborted) break
      if (!(error instanceof CodedError)) throw error
      note(inert(error.message))
    }
  }
  note('Stopped.')
}

/** Of several paths, one that cannot be imported does not stop the others. */
async function importPaths(
  invocation: Invocation,
  paths: readonly string[],
  stop?: AbortSignal,
): Promise<{ outcomes: Outcome[]; failed: string[] }> {
  const { config, values } = invocation
  const outcomes: Outcome[] = []
  const failed: string[] = []
  const sources = paths.length === 1 ? [paths] : partsTogether(paths)
  const zone = knownTimeZone(config.location.directory, config.timeZone)
  extractor.lookForOcrIn(config.location.directory)
  let server: OpenOwnServer | null = null
  try {
    for (const [path = '', ...parts] of sources) {
      try {
        // Some formats read everything once before their first record; nothing else collects until then.
        await using source = countedSource(await openSource(path, ...parts), passingBytes())
        const plan = await planOf({ ...source, timeZone: zone.name }, text(values, 'as'))
        // Starting and detecting the format make the heap large; an import needs little.
        shrinkHeap()
        const isChosen = values.as !== undefined || values.connection !== undefined
        for (const part of partsOf(plan, source, isChosen ? 'one' : stop ? 'all' : null)) {
          for (const line of foundLines(source, part, zone)) invocation.note(line)
          if (!values['dry-run']) server ??= await startOwnServer(config)
          outcomes.push(await importSource(invocation, source, part, server, stop))
        }
      } catch (error) {
        if (sources.length === 1 || !(error instanceof CodedError)) throw error
        invocation.note(inert(error.message))
        failed.push(path)
      }
    }
    if (server) for (const line of await whoReads(server, outcomes, invocation)) invocation.note(line)
  } finally {
    await server?.[Symbol.asyncDispose]()
  }
  return { outcomes, failed }
}

/** Who can read what was imported, once for each connection. */
async function whoReads(
  server: OwnServer,
  outcomes: readonly Outcome[],
  { spelled }: Invocation,
): Promise<string[]> {
  const ids = new Set(outcomes.flatMap(({ connection_id }) => connection_id ?? []))
  return (await Promise.all([...ids].map(id => readerLines(server, id, spelled)))).flat()
}

function assertUsage({ positionals, values }: Invocation): void {
  if (positionals.length === 0) throw new UsageError('The path to import is missing.', 'footnote import PATH')
  const format = text(values, 'as')
  if (format !== undefined && !IMPORTERS.some(importer => importer.format === format))
    throw new UsageError(`Unknown format "${format}". Known: ${FORMATS}.`, 'footnote import --help')
  if (text(values, 'name') === '') throw new UsageError('--name is empty.', '--name "Work mail"')
  if (text(values, 'name') !== undefined && text(values, 'connection') !== undefined)
    throw new UsageError('--name and --connection cannot be used together.', 'footnote import --help')
}

async function importSource(
  invocation: Invocation,
  source: Source,
  plan: Plan,
  server: OwnServer | null,
  stop?: AbortSignal,
): Promise<Outcome> {
  const { values, note, spelled } = invocation
  const { finding, importer } = plan
  const bar = progressOn(process.stderr, finding.items, finding.exact)
  const began = performance.now()
  try {
    if (!server) {
      const outcome = await dryRun(plan, bar.show)
      bar.end()
      for (const line of dryRunLines(outcome)) note(line)
      return outcome
    }
    const target = {
      connection_id: (await sourceId(server, text(values, 'connection'))) ?? null,
      name: text(values, 'name') ?? null,
    }
    const { begun, counts } = await importInto(server, source, plan, target, {
      begun(run) {
        if (run.resumed) note(`Resuming an interrupted import after ${number(run.seen)} items.`)
      },
      progress(seen, done) {
        stop?.throwIfAborted()
        bar.show(seen, done)
      },
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
    const { display_name } = await server.call(readConnection, { connection_id })
    for (const line of outcomeLines(outcome, display_name, seconds)) note(line)
    const all = rejectionsCommand(outcome)
    if (all !== null) note(`  all rejections: ${spelled(all)}`)
    return outcome
  } finally {
    bar.end()
  }
}
