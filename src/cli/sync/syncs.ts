import { listSyncs, removeSync, type Sync } from '../../api/owner/syncs.ts'
import { counted, number } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'
import type { TimeZone } from '../../model/time.ts'
import { atMostOne, type Command, onlyOne, shownTime } from '../command.ts'
import { progressOn } from '../import/import-report.ts'
import { quoted } from '../names.ts'
import { type OwnServer, openOwnServer } from '../own-server.ts'
import { confirm } from '../terminal/confirmation.ts'
import { EXIT_FAILURE, ExitError } from '../terminal/exit-errors.ts'
import { stopSignal } from '../terminal/stop-signal.ts'
import { oneLine } from '../terminal/terminal.ts'
import { runSync, type SyncCounts } from './sync-run.ts'

export const syncRun: Command = {
  name: 'sync run',
  usage: 'footnote sync run [NAME] [--json]',
  examples: ['footnote sync run', 'footnote sync run ada@example.org --json'],
  async run({ config, values, positionals, print, note }) {
    const named = atMostOne(positionals, 'account', 'footnote sync run [NAME]')
    await using server = await openOwnServer(config)
    const all = await syncsNamed(server, named)
    const stop = stopSignal(config.starter)
    let failed = 0
    for (const sync of all) {
      let bar = progressOn(process.stderr, 0, true)
      const watch = {
        found(messages: number) {
          bar = progressOn(process.stderr, messages, true)
        },
        progress: (seen: number, done: number) => bar.show(seen, done),
      }
      const { sync_id, name, connection_id } = sync
      try {
        const counts = await runSync({ server, directory: config.location.directory, stop, watch }, sync)
        bar.end()
        if (values.json) print(JSON.stringify({ sync_id, name, connection_id, ...counts, error: null }))
        else print(`${oneLine(name)}: ${countsText(counts)}`)
      } catch (error) {
        bar.end()
        if (stop.aborted) throw new ExitError('Stopped. The next run continues.', 'footnote sync run', 130)
        if (!(error instanceof CodedError)) throw error
        failed++
        const { code, message } = error
        if (values.json) print(JSON.stringify({ sync_id, name, connection_id, error: { code, message } }))
        else note(`${oneLine(name)}: ${message}`)
      }
    }
    if (failed === 0) return
    const message = `${counted(failed, 'sync')} failed.`
    throw new ExitError(message, 'footnote sync list shows what happened', 1)
  },
}

export const syncList: Command = {
  name: 'sync list',
  usage: 'footnote sync list [--json]',
  examples: ['footnote sync list', 'footnote sync list --json'],
  async run({ config, values, print, note, spelled }) {
    await using server = await openOwnServer(config)
    const { text: answer, body } = await server.get(listSyncs, {})
    const { data } = body
    if (values.json) return print(answer)
    if (data.length === 0)
      note(spelled('No account is kept in sync. Add one: footnote sync add imap://USER@HOST'))
    for (const sync of data) for (const line of syncLines(sync, server.timeZone)) print(line)
  },
}

export const syncRemove: Command = {
  name: 'sync remove',
  usage: 'footnote sync remove NAME [--yes] [--json]',
  examples: ['footnote sync remove ada@example.org --yes'],
  async run(invocation) {
    const { config, values, positionals, print, note, spelled } = invocation
    const named = onlyOne(positionals, 'the name of a sync', 'footnote sync list')
    await using server = await openOwnServer(config)
    const [sync] = await syncsNamed(server, named)
    if (!sync) return
    const { sync_id, name, connection_id } = sync
    note(`${oneLine(name)} will no longer be synced, and its password will be deleted. Its records stay.`)
    await confirm(invocation, 'remove', `footnote sync remove ${quoted(name)} --yes`)
    await server.call(removeSync, { sync_id })
    if (values.json) return print(JSON.stringify({ sync_id, name, connection_id, removed: true }))
    print(`${sync_id}  removed`)
    note(spelled(`To remove its records too: footnote connections remove ${connection_id}`))
  },
}

/** The sync with this name or id; all of them if none is named. */
async function syncsNamed(server: OwnServer, named: string | undefined): Promise<Sync[]> {
  const { data } = await server.call(listSyncs, {})
  const found = data.filter(({ sync_id, name }) => named === undefined || named === sync_id || named === name)
  if (found.length > 0) return found
  if (named === undefined)
    throw new ExitError('No account is kept in sync.', 'footnote sync add imap://USER@HOST', EXIT_FAILURE)
  const names = data.map(({ name }) => quoted(oneLine(name))).join(', ')
  throw new ExitError(
    `No account that is kept in sync is named ${named}.`,
    names === '' ? 'footnote sync list' : `one of: ${names}`,
    EXIT_FAILURE,
  )
}

function* syncLines(sync: Sync, zone: TimeZone): Generator<string> {
  const { sync_id, name, address, messages, last_run, last_error, next_run_at, running, failures } = sync
  yield `${sync_id}  ${oneLine(name)}  ${oneLine(address)}  ${counted(messages, 'message')}`
  if (last_run) yield `  last run: ${shownTime(last_run.ended_at, zone)}, ${countsText(last_run)}`
  if (last_error) {
    const times = failures === 1 ? '' : ` (${failures} times in a row)`
    yield `  failed: ${last_error.code}: ${oneLine(last_error.message)}${times}`
  }
  if (running) yield '  running now'
  else
    yield `  next run: ${next_run_at === null ? 'by hand' : `${shownTime(next_run_at, zone)}, if a server runs`}`
}

function countsText({ seen, added, updated, unchanged, rejected, deleted }: SyncCounts): string {
  return (
    `${number(seen)} seen, ${number(added)} added, ${number(updated)} updated, ` +
    `${number(unchanged)} unchanged, ${number(rejected)} rejected, ${number(deleted)} deleted`
  )
}
