import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { noteBackup } from '../../data-folder/last-backup.ts'
import { SQLITE_FILES } from '../../store/engine/open-database.ts'
import { copySqlite } from '../../store/engine/sqlite.ts'
import { LEDGER_HEADS_FOLDER, LEDGER_KEY_FILE } from '../../store/ledger/ledger-chain.ts'
import { type Command, onlyOne } from '../command.ts'
import { noDataIn } from '../own-server.ts'
import { EXIT_FAILURE, ExitError } from '../terminal/exit-errors.ts'

/** What the owner set in the browser and by commands. */
const OWNER_FILES = ['footnote.json', 'time-zone', 'samples', 'watched-folders.json']

export const backup: Command = {
  name: 'backup',
  usage: 'footnote backup DIR [--json]',
  examples: ['footnote backup ./backup-2026-11-15', 'footnote serve --data-dir ./backup-2026-11-15'],
  async run({ config, values, positionals, print }) {
    const directory = onlyOne(positionals, 'a folder', 'footnote backup DIR')
    const { location } = config
    if (location.engine !== 'sqlite') {
      const hint = `pg_dump --format=custom --file=footnote.dump "$FOOTNOTE_DATABASE_URL", or footnote export`
      throw new ExitError('PostgreSQL is backed up with its own tools.', hint, EXIT_FAILURE)
    }
    const files = SQLITE_FILES.filter(file => existsSync(join(location.directory, file)))
    if (files.length === 0) throw noDataIn(location.directory)
    await makeEmpty(directory)
    // Before the ledger itself, which may be ahead of its heads but not behind them.
    const beside = [LEDGER_KEY_FILE, LEDGER_HEADS_FOLDER, ...OWNER_FILES].filter(name =>
      existsSync(join(location.directory, name)),
    )
    try {
      for (const name of beside)
        await cp(join(location.directory, name), join(directory, name), { recursive: true })
      for (const file of files) {
        copySqlite(join(location.directory, file), join(directory, file))
        await chmod(join(directory, file), 0o600)
      }
    } catch (error) {
      for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true })
      throw error
    }
    noteBackup(location.directory, { at: new Date().toISOString(), directory: resolve(directory) })
    print(
      values.json
        ? JSON.stringify({ directory, files })
        : files.map(file => join(directory, file)).join('\n'),
    )
  },
}

/** A backup is a data folder, so nothing else belongs in it, and what is there is never replaced. */
async function makeEmpty(directory: string): Promise<void> {
  const found = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (found.length > 0) throw new ExitError(`${directory} is not empty.`, 'name a new folder', EXIT_FAILURE)
  await mkdir(directory, { recursive: true, mode: 0o700 })
}
