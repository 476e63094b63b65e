import {
  type Import,
  listImports,
  listRejections,
  readImport,
  removeImport,
} from '../../api/owner/imports.ts'
import { counted, number } from '../../model/amounts.ts'
import { type Command, noteMore, onlyOne, text } from '../command.ts'
import { sourceNamed } from '../names.ts'
import { openOwnServer } from '../own-server.ts'
import { confirm } from '../terminal/confirmation.ts'
import { oneLine } from '../terminal/terminal.ts'

export const importsList: Command = {
  name: 'imports list',
  usage: 'footnote imports list [--connection CONNECTION] [--limit N] [--cursor C] [--json]',
  examples: ['footnote imports list', 'footnote imports list --connection "Work mail" --json'],
  async run(invocation) {
    const { config, values, print, note, spelled } = invocation
    await using server = await openOwnServer(config)
    const named = text(values, 'connection')
    const { text: answer, body } = await server.get(
      listImports,
      {},
      {
        connection_id: named === undefined ? undefined : (await sourceNamed(server, named)).connection_id,
        limit: text(values, 'limit'),
        cursor: text(values, 'cursor'),
      },
    )
    if (values.json) return print(answer)
    for (const each of body.data) for (const line of linesOf(each)) print(line)
    if (body.data.length === 0) note(spelled('No imports. To begin: footnote import PATH'))
    noteMore(invocation, body.next_cursor)
  },
}

export const importsShow: Command = {
  name: 'imports show',
  usage: 'footnote imports show IMPORT [--limit N] [--cursor C] [--json]',
  examples: ['footnote imports show imp_0swq7g4k', 'footnote imports show imp_0swq7g4k --json'],
  async run(invocation) {
    const { config, values, positionals, print } = invocation
    const import_id = onlyOne(positionals, 'the id of an import', 'footnote imports list')
    await using server = await openOwnServer(config)
    const shown = await server.call(readImport, { import_id })
    const page = { limit: text(values, 'limit'), cursor: text(values, 'cursor') }
    const { body } = await server.get(listRejections, { import_id }, page)
    if (values.json) return print(JSON.stringify({ ...shown, rejections: body }))
    for (const line of linesOf(shown)) print(line)
    for (const { place, code, message } of body.data) print(`  ${oneLine(`${place}: ${code}: ${message}`)}`)
    noteMore(invocation, body.next_cursor)
  },
}

function linesOf(shown: Import): string[] {
  const { import_id, started_at, changed_at, format, state, source } = shown
  const { added, updated, unchanged, rejected } = shown
  const progress = state === 'running' ? `running, last progress ${changed_at.slice(0, 16)}Z` : state
  return [
    `${import_id}  ${started_at.slice(0, 16)}Z  ${format}  ${progress}  ${oneLine(source)}`,
    `  ${number(added)} added, ${number(updated)} updated, ${number(unchanged)} unchanged, ${number(rejected)} rejected`,
  ]
}

export const importsRemove: Command = {
  name: 'imports remove',
  usage: 'footnote imports remove IMPORT [--yes] [--json]',
  examples: ['footnote imports remove imp_0swq7g4k --yes'],
  async run(invocation) {
    const { config, values, positionals, print, note } = invocation
    const import_id = onlyOne(positionals, 'the id of an import', 'footnote imports list')
    await using server = await openOwnServer(config)
    const { source, started_at, added } = await server.call(readImport, { import_id })
    note(
      `The import of ${oneLine(source)} from ${started_at.slice(0, 10)} will be removed. It added ${counted(added, 'record')}.`,
    )
    note('Records that another import also brought, or that existed before, stay unchanged.')
    await confirm(invocation, 'remove', `footnote imports remove ${import_id} --yes`)
    const removed = await server.call(removeImport, { import_id })
    if (values.json) return print(JSON.stringify(removed))
    print(
      `${import_id}  removed: ${counted(removed.deleted, 'record')} deleted, ${number(removed.kept)} kept`,
    )
  },
}
