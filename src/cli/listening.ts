import { SHIPPED_SOURCES } from '../importers/importers.ts'
import { type RunningServer, startServer } from '../origin/server.ts'
import type { Config } from './config.ts'
import { fileImports } from './import/file-imports.ts'
import type { Log } from './log.ts'
import { ownServer } from './own-server.ts'
import { ownerSettings } from './owner-settings.ts'

/** Starts the server of the settings; where its port is taken, the error says by what. */
export async function startListening(config: Config, log: Log): Promise<RunningServer> {
  try {
    return await startServer(config, {
      report: log.failure,
      answered: log.request,
      sources: SHIPPED_SOURCES,
      settings: live => ownerSettings(config.settings, live),
      imports: door => fileImports(ownServer(door), config.location.directory, log.failure),
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    const { takenPort } = await import('./port-holder.ts')
    throw await takenPort(config)
  }
}
