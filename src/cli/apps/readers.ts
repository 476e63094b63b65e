import { listConnections } from '../../api/owner-catalog.ts'
import { listClients } from '../../api/owner-grants.ts'
import { quoted } from '../names.ts'
import type { OwnServer } from '../own-server.ts'
import { oneLine } from '../terminal/terminal.ts'

/** Which apps can read a source, and how to give access to others. */
export async function readerLines(
  server: OwnServer,
  connection_id: string,
  spelled: (text: string) => string,
): Promise<string[]> {
  const [{ data: sources }, { data: clients }] = await Promise.all([
    server.call(listConnections, {}),
    server.call(listClients, {}),
  ])
  const name = sources.find(source => source.connection_id === connection_id)?.display_name ?? connection_id
  const isUnique = sources.filter(source => source.display_name === name).length === 1
  const apps = clients.filter(({ connection_ids }) => connection_ids.length > 0)
  if (apps.length === 0)
    return [`  No app can read ${oneLine(name)} yet: ${spelled('footnote connect claude-code')}`]
  const readers = apps.filter(({ connection_ids }) => connection_ids.includes(connection_id))
  const others = apps.filter(app => !readers.includes(app))
  const names = readers.map(app => oneLine(app.name)).join(', ')
  const source = isUnique ? quoted(oneLine(name)) : connection_id
  return [
    ...(readers.length > 0 ? [`  ${oneLine(name)} can be read by ${names}.`] : []),
    ...others.map(app => {
      if (!app.extendable)
        return `  ${oneLine(app.name)} cannot read ${oneLine(name)}. Connect it again in the app to ask for access.`
      const sameName = apps.filter(each => each.name === app.name).length > 1
      const asked = sameName ? app.client_id : quoted(oneLine(app.name))
      return `  ${oneLine(app.name)} cannot read ${oneLine(name)}. To let it: ${spelled('footnote apps allow')} ${asked} ${source}`
    }),
  ]
}
