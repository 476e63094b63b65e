import { listClients } from '../../api/owner/grants.ts'
import { listStreams } from '../../api/streams.ts'
import { counted } from '../../model/amounts.ts'
import type { Source } from '../names.ts'
import type { OwnServer } from '../own-server.ts'
import { oneLine } from '../terminal/terminal.ts'

/** What is removed together with a source. */
interface Going {
  connection_id: string
  display_name: string
  records: number
  streams: { stream: string; label: string; records: number }[]
  /** The apps whose grants name it. */
  apps: string[]
}

export async function goingWith(server: OwnServer, sources: readonly Source[]): Promise<Going[]> {
  const [{ data: streams }, { data: clients }] = await Promise.all([
    server.call(listStreams, {}),
    server.call(listClients, {}),
  ])
  return sources.map(({ connection_id, display_name }) => {
    const own = streams.flatMap(({ name, label, connections }) =>
      connections
        .filter(each => each.connection_id === connection_id && each.record_count > 0)
        .map(({ record_count }) => ({ stream: name, label, records: record_count })),
    )
    const readers = clients.filter(({ connection_ids }) => connection_ids.includes(connection_id))
    const records = own.reduce((sum, each) => sum + each.records, 0)
    return { connection_id, display_name, records, streams: own, apps: readers.map(({ name }) => name) }
  })
}

export function* removalLines(going: readonly Going[]): Generator<string> {
  for (const { connection_id, display_name, records, streams, apps } of going) {
    yield `${oneLine(display_name)} (${connection_id}) will be removed, with ${counted(records, 'record')} and ${records === 1 ? 'its' : 'their'} files:`
    for (const { label, records } of streams) yield `  ${oneLine(label)}: ${counted(records, 'record')}`
    yield apps.length === 0
      ? '  No app can read it now.'
      : `  ${apps.map(oneLine).join(', ')} can read it now and will lose access to it.`
  }
  yield 'The files that you imported are not touched. The ledger keeps what apps were shown.'
}
