import { resolve, sep } from 'node:path'
import { listWatched, unwatch } from '../../api/owner/watched-folders.ts'
import { WatchedFolders } from '../../data-folder/watched-folders.ts'
import { IMPORTERS } from '../../importers/importers.ts'
import { runningServer } from '../../origin/running-server.ts'
import { type Command, onlyOne, shownTime, text } from '../command.ts'
import { assertFolder } from '../import/watch.ts'
import { openOwnServer, startOwnServer } from '../own-server.ts'
import { EXIT_FAILURE, ExitError, UsageError } from '../terminal/exit-errors.ts'
import { oneLine } from '../terminal/terminal.ts'

export const watchAdd: Command = {
  name: 'watch add',
  usage: 'footnote watch add FOLDER [--name LABEL] [--as FORMAT] [--json]',
  examples: [
    'footnote watch add ~/Documents',
    'footnote watch add ~/Maildir --name "Work mail" --as maildir',
  ],
  async run({ config, values, positionals, print, note, spelled }) {
    const named = onlyOne(positionals, 'a folder', 'footnote watch add FOLDER')
    const { directory } = config.location
    const path = resolve(named)
    await assertFolder(named, 'footnote watch add FOLDER')
    if (`${resolve(directory)}${sep}`.startsWith(path.endsWith(sep) ? path : `${path}${sep}`))
      throw new UsageError(`${path} contains the data of Footnote itself.`, 'choose another folder')
    const format = text(values, 'as') ?? null
    if (format !== null && !IMPORTERS.some(importer => importer.format === format))
      throw new UsageError(`Unknown format "${format}".`, 'footnote import --help lists the formats')
    const folder = { path, name: text(values, 'name') || null, format }
    await using _ = await startOwnServer(config)
    await new WatchedFolders(directory).add(folder)
    if (values.json) return print(JSON.stringify(folder))
    print(`${path}  watched`)
    const running = await runningServer(directory)
    note(
      running
        ? `The server at ${running.public_url} imports it now.`
        : spelled(
            'It is imported while a server runs on this data folder: footnote start, or footnote serve.',
          ),
    )
  },
}

export const watchList: Command = {
  name: 'watch list',
  usage: 'footnote watch list [--json]',
  examples: ['footnote watch list'],
  async run({ config, values, print, note }) {
    await using server = await openOwnServer(config)
    const { text: answer, body } = await server.get(listWatched, {})
    const { data } = body
    if (values.json) return print(answer)
    if (data.length === 0) note('No folder is watched.')
    for (const { path, name, format, looked_at, last_error } of data) {
      print(
        [path, name === null ? '' : `to ${name}`, format === null ? '' : `as ${format}`]
          .filter(Boolean)
          .join('  '),
      )
      if (looked_at !== null) print(`  last check: ${shownTime(looked_at, server.timeZone)}`)
      if (last_error) print(`  failed: ${last_error.code}: ${oneLine(last_error.message)}`)
    }
  },
}

export const watchRemove: Command = {
  name: 'watch remove',
  usage: 'footnote watch remove FOLDER [--json]',
  examples: ['footnote watch remove ~/Documents'],
  async run({ config, values, positionals, print }) {
    const path = resolve(onlyOne(positionals, 'a folder', 'footnote watch list'))
    await using server = await openOwnServer(config)
    const { data } = await server.call(listWatched, {})
    const found = data.find(folder => folder.path === path)
    if (!found) throw new ExitError(`${path} is not watched.`, 'footnote watch list', EXIT_FAILURE)
    await server.call(unwatch, { folder_id: found.folder_id })
    if (values.json) return print(JSON.stringify({ path, removed: true }))
    print(`${path}  no longer watched`)
  },
}
