import { readFileSync } from 'node:fs'
import pg from 'pg'

const TICKS_A_SECOND = 100

/** Seconds of processor time that processes have used so far, on Linux. */
export type Processor = () => Promise<number>

/** Of a server and, on PostgreSQL, of the database processes that serve connections. */
export function processorOf(pid: number, databaseUrl: string | null): Processor {
  return async () => {
    const pids = databaseUrl === null ? [pid] : [pid, ...(await backends(databaseUrl))]
    return pids.reduce((sum, each) => sum + secondsOf(each), 0)
  }
}

async function backends(url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )
  await client.end()
  return rows.map(row => (row as { pid: number }).pid)
}

function secondsOf(pid: number): number {
  try {
    // The name of the process may contain spaces, so the fields are counted after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND
  } catch {
    return 0
  }
}
