import { existsSync } from 'node:fs'
import { access, constants, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { isMeaningOn } from '../../meaning/folder.ts'
import { isLoopback } from '../../model/loopback.ts'
import { hostAndPort, originFor } from '../../origin/address.ts'
import { runningServer } from '../../origin/running-server.ts'
import { isStarted, SQLITE_FILES } from '../../store/engine/open-database.ts'
import { outdatedIndexes } from '../../store/ingest/reindex.ts'
import { readCatalog } from '../../store/records/catalog.ts'
import { meaningCoverage } from '../../store/search/meaning/texts.ts'
import { Store } from '../../store/store.ts'
import { checkIntegrity } from '../../store/transfer/integrity.ts'
import type { Command } from '../command.ts'
import type { Config } from '../config.ts'
import { describeHolder } from '../port-holder.ts'
import { ExitError } from '../terminal/exit-errors.ts'
import { coverageLine } from './meaning.ts'

const GIGABYTE = 1024 ** 3
const LITTLE_BYTES = GIGABYTE
const LEAST_BYTES = GIGABYTE / 10

/** The result of one check; a hint says what to do about it. */
interface Finding {
  state: 'ok' | 'warn' | 'fail'
  message: string
  hint?: string
}

interface Check {
  name: string
  /**
   * Left out while nothing is stored, because opening the data would create it, and if the folder cannot be used, because
   * what is wrong then is not the data.
   */
  opens?: true
  run(config: Config): Promise<Finding>
}

const FOLDER = 'data-folder'

/** Every check, in the order in which they depend on each other. */
const CHECKS: readonly Check[] = [
  { name: 'node', run: checkNode },
  { name: FOLDER, run: checkFolder },
  { name: 'disk-space', run: checkSpace },
  { name: 'database', opens: true, run: checkDatabase },
  { name: 'integrity', opens: true, run: checkStored },
  { name: 'search-index', opens: true, run: checkIndex },
  { name: 'meaning', opens: true, run: checkMeaning },
  { name: 'port', run: checkPort },
  { name: 'public-url', run: checkPublicUrl },
]

export const doctor: Command = {
  name: 'doctor',
  usage: 'footnote doctor [--json]',
  examples: ['footnote doctor', 'footnote doctor --port 8080 --json'],
  serves: true,
  async run({ config, values, print, paint, spelled }) {
    const found: (Finding & { name: string })[] = []
    const isNew = !isStarted(config.location)
    for (const { name, opens, run } of CHECKS) {
      const isUnusable = found.some(each => each.name === FOLDER && each.state === 'fail')
      if (opens && (isNew || isUnusable)) continue
      const finding = await run(config).catch(
        (error: Error): Finding => ({ state: 'fail', message: error.message }),
      )
      found.push({ name, ...finding, ...(finding.hint ? { hint: spelled(finding.hint) } : {}) })
    }
    const failed = found.filter(({ state }) => state === 'fail')
    const colours = { ok: paint.green, warn: paint.yellow, fail: paint.red }
    if (values.json) print(JSON.stringify({ ok: failed.length === 0, checks: found }))
    else {
      for (const { state, message, hint } of found) {
        print(`${colours[state](state.padEnd(4))}  ${message}`)
        if (hint) print(`      Try: ${hint}`)
      }
    }
    if (failed.length > 0) {
      const names = failed.map(({ name }) => name).join(', ')
      throw new ExitError(`Failed checks: ${names}.`, '', 1)
    }
  },
}

/** No command runs on an older Node. */
async function checkNode(): Promise<Finding> {
  return { state: 'ok', message: `Node ${process.version}` }
}

async function checkFolder({ location }: Config): Promise<Finding> {
  if (location.engine === 'postgres') return { state: 'ok', message: 'The data is in PostgreSQL' }
  const { directory } = location
  const folder = await stat(directory).catch(() => null)
  if (!folder) return { state: 'ok', message: `${directory} does not exist yet: the first start creates it` }
  if (!folder.isDirectory()) {
    return {
      state: 'fail',
      message: `${directory} is not a folder`,
      hint: 'name another one with --data-dir',
    }
  }
  const files = SQLITE_FILES.map(file => join(directory, file)).filter(file => existsSync(file))
  for (const path of [directory, ...files]) {
    const rights = constants.R_OK | constants.W_OK | (path === directory ? constants.X_OK : 0)
    const mayWrite = await access(path, rights).then(
      () => true,
      () => false,
    )
    if (mayWrite) continue
    return { state: 'fail', message: `${path} cannot be written`, hint: await hintToWrite(path, directory) }
  }
  const open = process.platform !== 'win32' && (folder.mode & 0o077) !== 0
  return open
    ? { state: 'warn', message: `Other users can read ${directory}`, hint: `chmod 700 ${directory}` }
    : { state: 'ok', message: `Only you can read ${directory}` }
}

async function hintToWrite(path: string, directory: string): Promise<string> {
  const { uid, mode } = await stat(path)
  if (uid !== process.getuid?.()) return `as the account that owns ${path} (user id ${uid})`
  const isAllowed = (mode & constants.S_IWUSR) !== 0
  return isAllowed ? 'mount its file system for writing' : `chmod -R u+rwX ${directory}`
}

async function checkSpace({ location }: Config): Promise<Finding> {
  if (location.engine === 'postgres')
    return { state: 'ok', message: 'Disk space is managed by the database server' }
  const { bavail, bsize } = await statfs(await existing(location.directory))
  const free = bavail * bsize
  const message = `${(free / GIGABYTE).toFixed(1)} GB free for the data`
  const hint = 'free some space, or move the data folder'
  if (free < LEAST_BYTES) return { state: 'fail', message, hint }
  return free < LITTLE_BYTES ? { state: 'warn', message, hint } : { state: 'ok', message }
}

/** The folder itself, or its nearest parent that exists. */
async function existing(directory: string): Promise<string> {
  const there = await stat(directory).catch(() => null)
  return there || dirname(directory) === directory ? directory : existing(dirname(directory))
}

async function checkDatabase({ location }: Config): Promise<Finding> {
  try {
    await using store = await Store.open(location)
    const { version } = (await store.database.get<{ version: string }>(
      location.engine === 'sqlite' ? 'SELECT sqlite_version() AS version' : 'SELECT version() AS version',
    )) ?? { version: '' }
    const name = location.engine === 'sqlite' ? `SQLite ${version}` : version.split(' ').slice(0, 2).join(' ')
    return { state: 'ok', message: `${name} opens, its tables are up to date` }
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    const hint = location.engine === 'sqlite' ? 'footnote restore or a backup' : 'check --database-url'
    return { state: 'fail', message: `The database cannot be opened: ${message || code}`, hint }
  }
}

/** Lets the engine check everything that is stored for damage. */
async function checkStored({ location }: Config): Promise<Finding> {
  const { examined, problems } = await checkIntegrity(location)
  if (problems.length === 0) return { state: 'ok', message: `No damage found: ${examined}` }
  const hint =
    location.engine === 'sqlite'
      ? 'stop the server, move the data folder away, and restore a backup'
      : 'restore a backup of the database'
  return { state: 'fail', message: `The stored data is damaged: ${problems.join('; ')}`, hint }
}

async function checkIndex({ location }: Config): Promise<Finding> {
  await using store = await Store.open(location)
  const { connections } = await readCatalog(store.database, store.owner_id)
  const outdated = await outdatedIndexes(store.database, store.owner_id, connections)
  if (outdated.length === 0) return { state: 'ok', message: 'The search index is up to date' }
  const streams = outdated.map(
    ({ connection_id, stream, done, all }) =>
      `${connection_id}/${stream} (${done} of ${all} records are rebuilt)`,
  )
  const message = `The search index is out of date: ${streams.join(', ')}`
  return { state: 'warn', message, hint: 'footnote serve, which rebuilds it in the background' }
}

async function checkMeaning({ location }: Config): Promise<Finding> {
  if (!isMeaningOn(location.directory)) return { state: 'ok', message: 'Meaning is off' }
  await using store = await Store.open(location)
  const catalog = await readCatalog(store.database, store.owner_id)
  const coverage = await meaningCoverage(store.database, store.owner_id, catalog)
  return { state: 'ok', message: `Meaning is on: ${coverageLine(coverage)}` }
}

async function checkPort(config: Config): Promise<Finding> {
  const { host, port, location } = config
  const running = await runningServer(location.directory)
  if (running) {
    const { address, process_id } = running
    return { state: 'ok', message: `Footnote serves this data at ${address} (process ${process_id})` }
  }
  if (port === 0) return { state: 'ok', message: 'A free port will be picked' }
  const where = hostAndPort(host, port)
  const problem = await listenOnce(host, port)
  if (problem === null) return { state: 'ok', message: `${where} is free; no server runs there` }
  if (problem !== 'EADDRINUSE')
    return {
      state: 'fail',
      message: `Cannot listen on ${where} (${problem})`,
      hint: 'check --host and --port',
    }
  const { who, hint } = await describeHolder(config)
  return { state: 'fail', message: `${where} is taken by ${who}`, hint }
}

function listenOnce(host: string, port: number): Promise<string | null> {
  return new Promise(resolve => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    probe.listen(port, host, () => probe.close(() => resolve(null)))
  })
}

async function checkPublicUrl(config: Config): Promise<Finding> {
  const { protocol, hostname } = new URL(originFor(config))
  const inside = isLoopback(hostname.replace(/^\[|\]$/g, ''))
  if (/^(0\.0\.0\.0|\[::\])$/.test(hostname))
    return { state: 'fail', message: 'Nobody can reach the public address', hint: '--public-url' }
  if (!isLoopback(config.host) && config.publicUrl === null) {
    const message = 'The server listens beyond this computer, but its links lead to this computer only'
    return { state: 'warn', message, hint: '--public-url https://footnote.example.org' }
  }
  if (!inside && protocol === 'http:') {
    const message = 'The public address is not encrypted: tokens can be read on the way'
    return { state: 'warn', message, hint: 'a proxy with https, and --public-url https://…' }
  }
  const running = await runningServer(config.location.directory)
  return { state: 'ok', message: `The public address is ${running?.public_url ?? originFor(config)}` }
}
