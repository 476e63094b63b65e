import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { hostAndPort, reachable } from '../origin/address.ts'
import { folderOfNote, footnoteAt, runningServer } from '../origin/running-server.ts'
import type { Config } from './config.ts'
import { EXIT_FAILURE, ExitError } from './terminal/exit-errors.ts'

/** A process, and its open files as far as the system shows them. */
interface Holder {
  process_id: number
  name: string
  files: string[]
}

/** What listens on the configured port, in words: `nginx (process 12)`. */
export async function describeHolder({
  host,
  port,
  location,
}: Config): Promise<{ who: string; hint: string }> {
  const address = `http://${hostAndPort(reachable(host), port)}`
  const own = await runningServer(location.directory)
  const other = `--port ${port + 1}`
  if (own && new URL(own.address).port === String(port)) {
    const who = `the Footnote server of this data folder (process ${own.process_id})`
    return { who, hint: `open ${own.public_url}, or stop that server first` }
  }
  const holder = await holderOf(port)
  const folder = holder?.files.map(file => folderOfNote(file, port)).find(each => each !== null)
  const process = holder ? ` (process ${holder.process_id})` : ''
  if (folder)
    return { who: `the Footnote server of ${folder}${process}`, hint: `${other}, or stop that server first` }
  if ((await footnoteAt(address)) !== null)
    return { who: `another Footnote server${process}`, hint: `${other}, or stop that server first` }
  return {
    who: holder ? `${holder.name}${process}` : 'another program',
    hint: `${other}, or end that program`,
  }
}

/** Why a server cannot listen on its port. */
export async function takenPort(config: Config): Promise<ExitError> {
  const { who, hint } = await describeHolder(config)
  return new ExitError(`Port ${config.port} is taken by ${who}.`, hint, EXIT_FAILURE)
}

async function holderOf(port: number): Promise<Holder | null> {
  try {
    return process.platform === 'linux' ? holderInProc(port) : await holderByLsof(port)
  } catch {
    return null
  }
}

const LISTENING = '0A'

/** Linux lists sockets by number, and for each process of this user the numbers that it has open. */
function holderInProc(port: number): Holder | null {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
  const sockets = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(file =>
    linesOf(file).flatMap(line => {
      const [, local = '', , state, , , , , , socket] = line.trim().split(/\s+/)
      return state === LISTENING && local.endsWith(`:${hexPort}`) ? [`socket:[${socket}]`] : []
    }),
  )
  for (const process_id of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    const files = openFiles(`/proc/${process_id}/fd`)
    if (!files.some(file => sockets.includes(file))) continue
    const name = basename(readlinkSync(`/proc/${process_id}/exe`))
    return { process_id: Number(process_id), name, files }
  }
  return null
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  }
}

/** Processes of other users do not show their files, and processes may end meanwhile. */
function openFiles(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap(name => {
      try {
        return [readlinkSync(`${folder}/${name}`)]
      } catch {
        return []
      }
    })
  } catch {
    return []
  }
}

async function holderByLsof(port: number): Promise<Holder | null> {
  const lsof = async (...args: string[]) => (await promisify(execFile)('lsof', ['-nP', ...args])).stdout
  const [holder] = lsofProcesses(await lsof(`-iTCP:${port}`, '-sTCP:LISTEN', '-Fpcn'))
  if (!holder) return null
  const [whole] = lsofProcesses(await lsof('-p', String(holder.process_id), '-Fpcn'))
  return whole ?? holder
}

/** Parses the output of `lsof -Fpcn`: a line each for a process, its name, and the files that it has open. */
export function lsofProcesses(output: string): Holder[] {
  const found: Holder[] = []
  for (const line of output.split('\n')) {
    const value = line.slice(1)
    if (line.startsWith('p')) found.push({ process_id: Number(value), name: '', files: [] })
    const last = found.at(-1)
    if (last && line.startsWith('c')) last.name = value
    if (last && line.startsWith('n')) last.files.push(value)
  }
  return found
}
