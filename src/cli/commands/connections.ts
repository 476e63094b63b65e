import { listConnections } from '../../store/records/catalog.ts'
import { Store } from '../../store/store.ts'
import type { Command } from '../command.ts'

export const connections: Command = {
  name: 'connections',
  summary: 'Lists the connections: accounts and files that records come from.',
  usage: 'footnote connections [--json]',
  examples: ['footnote connections --json'],
  options: { json: { type: 'boolean' } },
  async run({ config, values, print }) {
    await using store = await Store.open(config.location)
    const rows = await listConnections(store.database, store.owner_id)
    if (values.json) return print(JSON.stringify(rows))
    for (const row of rows) print(`${row.connection_id}  ${row.connector_key}  ${row.display_name}`)
  },
}
