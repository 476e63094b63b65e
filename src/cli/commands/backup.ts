import { existsSync } from 'node:fs'
import { chmod, cp, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { noteBackup } from '../../data-folder/last-backup.ts'
import { SQLITE_FILES } from '../../store/engine/open-database.ts'
import { copySqlite } from '../../store/engine/sqlite.ts'
import { LEDGER_HEADS_FOLDER, LEDGER_KEY_FILE } from '../../store/ledger/ledger-chain.ts'
import { type Command, onlyOne } from '../command.ts'
import { noDataIn } from '../own-server.ts'
import { ExitError } from '../terminal/exit-errors.ts'

export const backup: Command = {
  name: 'backup',
  usage: 'footnote backup DIR [--json]',
  examples: ['footnote backup ./backup-2026-11-15', 'footnote serve --data-dir ./backup-2026-11-15'],
  async run({ config, values, positionals, print }) {
    const directory = onlyOne(positionals, 'a folder', 'footnote backup DIR')
    const { location } = config
    if (location.engine !== 'sqlite') {
      const hint = `pg_dump --format=custom --file=footnote.dump "$FOOTNOTE_DATABASE_URL", or footnote export`
      throw new ExitError('PostgreSQL is backed up with its own tools.', hint, 1)
    }
    const files = SQLITE_FILES.filter(file => existsSync(join(location.directory, file)))
    if (files.length === 0) throw noDataIn(location.directory)
    const taken = files.find(file => existsSync(join(directory, file)))
    if (taken) throw new ExitError(`${join(directory, taken)} exists already.`, 'name a new folder', 1)
    await mkdir(directory, { recursive: true, mode: 0o700 })
    // Before the ledger itself, which may be ahead of its heads but not behind them.
    const signatures = [LEDGER_KEY_FILE, LEDGER_HEADS_FOLDER].filter(name =>
      existsSync(join(location.directory, name)),
    )
    for (const name of signatures)
      await cp(join(location.directory, name), join(directory, name), { recursive: true })
    for (const file of files) {
      copySqlite(join(location.directory, file), join(directory, file))
      await chmod(join(directory, file), 0o600)
    }
    noteBackup(location.directory, { at: new Date().toISOString(), directory: resolve(directory) })
    print(
      values.json
        ? JSON.stringify({ directory, files })
        : files.map(file => join(directory, file)).join('\n'),
    )
  },
}
