import { Client } from '../client.ts'
import { DOCUMENTS, NEEDLE } from '../documents.ts'
import { alternate } from '../measure.ts'
import { single, timed } from '../result.ts'
import { type Rig, startAnother } from '../rig.ts'
import type { Row } from '../row.ts'
import { ServerMemory } from '../server-memory.ts'
import { TARGETS } from '../targets.ts'
import { textNumber } from './windows.ts'

const READS_FOR_MEMORY = 5
const WARM_UP_READS = 300

export const windowByMatch: Row = {
  name: 'window by q',
  async measure(rig) {
    const { id } = DOCUMENTS['50 MB']
    const q = encodeURIComponent(NEEDLE.toUpperCase())
    const path = `/v1/streams/documents/records/${id}/field-window?connection_id=${rig.connections[0]}&field=text&q=${q}`
    const floorPath = `/find?text=${await textNumber(rig, id)}&q=${q}`
    const found = await rig.client.json<{ window: { text: string; match: unknown } }>(path)
    if (!found.window.text.includes(NEEDLE) || !found.window.match) throw new Error('The match is not shown.')
    const { server, floor } = await alternate(
      { server: () => rig.client.send(path), floor: () => rig.floor.send(floorPath) },
      rig.size.seconds * 2,
    )
    const growth = await growthOf(rig, path)
    const row = 'window by q near the end of 50 MB'
    return [
      timed({ row, server, floor, target: TARGETS.windowByMatch[rig.engine], figure: server.p50 }),
      single({ row: `${row}, memory`, unit: 'MB', value: growth, target: TARGETS.windowByMatchMemory }),
    ]
  },
}

/** On a separate server, because free space in the heap from earlier work would hide the growth. */
async function growthOf(rig: Rig, path: string): Promise<number | null> {
  await using server = await startAnother(rig)
  using client = new Client(server.url, rig.tokens.client)
  const { id } = DOCUMENTS['1 MB']
  const small = `/v1/streams/documents/records/${id}/field-window?connection_id=${rig.connections[0]}&field=text`
  for (let i = 0; i < WARM_UP_READS; i++) await client.send(small)
  return await new ServerMemory(server.pid).growth(async () => {
    for (let i = 0; i < READS_FOR_MEMORY; i++) await client.send(path)
  })
}
