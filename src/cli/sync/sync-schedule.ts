import { listSyncs, type Sync } from '../../api/owner/syncs.ts'
import { CodedError } from '../../model/errors.ts'
import type { OwnServer } from '../own-server.ts'

const LOOK_MS = 30_000

interface ScheduleOptions {
  server: OwnServer
  directory: string
  report: (error: unknown, request_id: string) => void
  /** How often it checks for syncs that are due. */
  lookMs?: number
}

/**
 * Runs the syncs that are due inside a server, one after the other, until disposed of. Errors are stored with the sync.
 * If several servers share a database, one begins a run and the others are refused.
 */
export function startSyncSchedule(options: ScheduleOptions): AsyncDisposable {
  const { server, directory, report, lookMs = LOOK_MS } = options
  const stop = new AbortController()
  const watch = { found() {}, progress() {} }
  let looking: Promise<void> | null = null
  const look = async () => {
    const { data } = await server.call(listSyncs, {})
    for (const sync of data.filter(isDue)) {
      if (stop.signal.aborted) return
      // Loaded when needed, because most servers have no syncs.
      const { runSync } = await import('./sync-run.ts')
      await runSync({ server, directory, stop: stop.signal, watch, due: true }, sync).catch(error => {
        if (!(error instanceof CodedError) && !stop.signal.aborted) report(error, 'sync')
      })
    }
  }
  const timer = setInterval(() => {
    looking ??= look()
      .catch(error => {
        if (!stop.signal.aborted) report(error, 'sync')
      })
      .finally(() => {
        looking = null
      })
  }, lookMs).unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      stop.abort()
      await looking
    },
  }
}

function isDue({ next_run_at, running }: Sync): boolean {
  return !running && next_run_at !== null && Date.parse(next_run_at) <= Date.now()
}
