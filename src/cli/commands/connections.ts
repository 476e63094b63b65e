import { listConnections } from '../../api/owner-catalog.ts'
import type { Command } from '../command.ts'
import { openOwnServer } from '../own-server.ts'

export const connections: Command = {
  name: 'connections',
  summary: 'Lists the connections: accounts and files that records come from.',
  usage: 'footnote connections [--json]',
  examples: ['footnote connections --json'],
  options: { json: { type: 'boolean' } },
  async run({ config, values, print }) {
    await using server = await openOwnServer(config)
    const { data } = await server.call(listConnections, {})
    if (values.json) return print(JSON.stringify(data))
    for (const row of data) print(`${row.connection_id}  ${row.connector_key}  ${row.display_name}`)
  },
}
