import { changeConnection, deleteConnection, listConnections } from '../../api/owner/catalog.ts'
import { type Command, onlyOne } from '../command.ts'
import { quoted, sourceNamed } from '../names.ts'
import { openOwnServer } from '../own-server.ts'
import { confirm } from '../terminal/confirmation.ts'
import { UsageError } from '../terminal/exit-errors.ts'
import { oneLine } from '../terminal/terminal.ts'
import { goingWith, removalLines } from './removal.ts'

export const connections: Command = {
  name: 'connections',
  usage: 'footnote connections [list] [--json]',
  examples: ['footnote connections --json'],
  async run({ config, values, positionals, print, note, spelled }) {
    if (positionals.some(word => word !== 'list'))
      throw new UsageError(`Unknown: connections ${positionals[0]}.`, 'footnote connections lists them')
    await using server = await openOwnServer(config)
    const { text: answer, body } = await server.get(listConnections, {})
    if (values.json) return print(answer)
    for (const row of body.data)
      print(`${row.connection_id}  ${row.connector_key}  ${oneLine(row.display_name)}`)
    if (body.data.length === 0) note(spelled('No connections. An import makes one: footnote import PATH'))
  },
}

export const connectionsRename: Command = {
  name: 'connections rename',
  usage: 'footnote connections rename CONNECTION NAME [--json]',
  examples: ['footnote connections rename "Foldout Slack" "Slack of the office"'],
  async run({ config, values, positionals, print }) {
    const [named, display_name, ...rest] = positionals
    if (named === undefined || display_name === undefined || rest.length > 0)
      throw new UsageError('A connection and its new name are needed.', 'footnote connections rename OLD NEW')
    await using server = await openOwnServer(config)
    const source = await sourceNamed(server, named)
    const renamed = await server.call(changeConnection, source, { json: { display_name } })
    if (values.json) return print(JSON.stringify(renamed))
    print(`${source.connection_id} was ${oneLine(source.display_name)} and is now ${oneLine(display_name)}.`)
  },
}

export const connectionsRemove: Command = {
  name: 'connections remove',
  usage: 'footnote connections remove CONNECTION [--yes] [--json]',
  examples: [
    'footnote connections remove "Foldout Slack"',
    'footnote connections remove "Foldout Slack" --yes --json',
  ],
  async run(invocation) {
    const { config, values, positionals, print, note } = invocation
    const named = onlyOne(positionals, 'a connection', 'footnote connections remove CONNECTION')
    await using server = await openOwnServer(config)
    const going = await goingWith(server, [await sourceNamed(server, named)])
    for (const line of removalLines(going)) note(line)
    await confirm(invocation, 'remove', `footnote connections remove ${quoted(named)} --yes`)
    for (const { connection_id } of going) {
      await server.call(deleteConnection, { connection_id })
      if (!values.json) print(`${connection_id}  removed`)
    }
    if (values.json) print(JSON.stringify({ ...going[0], removed: true }))
  },
}
