import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { beginSyncRun } from '../../api/owner/syncs.ts'
import { CodedError } from '../../model/errors.ts'
import { isAlive } from '../../origin/running-server.ts'
import type { OwnServer } from '../own-server.ts'

/**
 * Begins a run in the name of this process; a run of a process on this computer that was killed is replaced at once.
 */
export async function begunRun(server: OwnServer, sync_id: string, due: boolean) {
  const runner = `${hostname()} ${process.pid} ${randomBytes(6).toString('hex')}`
  try {
    return { runner, ...(await server.call(beginSyncRun, { sync_id }, { json: { runner, due } })) }
  } catch (error) {
    const replaces = error instanceof CodedError ? String(error.details.runner) : ''
    const [host, process_id] = replaces.split(' ')
    if (host !== hostname() || isAlive(Number(process_id))) throw error
    return { runner, ...(await server.call(beginSyncRun, { sync_id }, { json: { runner, replaces, due } })) }
  }
}
