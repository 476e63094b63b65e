import { lastBackup } from '../data-folder/last-backup.ts'
import { extractor } from '../importers/extraction/extractor.ts'
import { SHIPPED_SOURCES } from '../importers/shipped-sources.ts'
import { isLoopback } from '../model/loopback.ts'
import { type RunningServer, startServer } from '../origin/server.ts'
import type { Invocation } from './command.ts'
import type { Config } from './config.ts'
import { fileImports } from './import/file-imports.ts'
import { keepImported } from './import/keep-imported.ts'
import { type Log, logIn } from './log.ts'
import { ownServer } from './own-server.ts'
import { ownerSettings } from './owner-settings.ts'
import { startSyncSchedule } from './sync/sync-schedule.ts'
import { withSpelling } from './terminal/spelling.ts'
import { stopped, stopSignal } from './terminal/stop-signal.ts'

/** Serves, and keeps the watched folders imported, until the process is asked to stop. */
export async function serveUntilStopped(
  { config, note, command }: Invocation,
  greet: (server: RunningServer, log: Log, stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const log = logIn(config.log, line => note(line.trimEnd()))
  const stop = stopSignal(config.starter)
  if (stop.aborted) return
  await using server = await startListening(config, log, command)
  await greet(server, log, stop)
  const keeping = keepImported(config.location.directory, ownServer(server), log, stop)
  await stopped(stop)
  log.event('Stopping.', 'stopping')
  await keeping
}

/** Starts the server with these settings; if its port is taken, the error says by what. */
export async function startListening(config: Config, log: Log, command: string): Promise<RunningServer> {
  const { namedFolder, publicUrl, host } = config
  const { directory } = config.location
  const place = namedFolder === null ? [] : ['--data-dir', namedFolder]
  const isReachable = publicUrl !== null || !isLoopback(host)
  extractor.lookForOcrIn(directory)
  try {
    const server = await startServer(config, {
      report: log.failure,
      answered: log.request,
      spelled: (text, reader) => withSpelling(text, command, reader === 'anyone' && isReachable ? [] : place),
      ...(config.location.engine === 'sqlite' && { lastBackup: () => lastBackup(directory) }),
      sources: SHIPPED_SOURCES,
      settings: live => ownerSettings(config.settings, live),
      imports: door => fileImports(ownServer(door), directory, log.failure),
    })
    const syncs = startSyncSchedule({ server: ownServer(server), directory, report: log.failure })
    return {
      ...server,
      async [Symbol.asyncDispose]() {
        await syncs[Symbol.asyncDispose]()
        await server[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    const { takenPort } = await import('./port-holder.ts')
    throw await takenPort(config)
  }
}
