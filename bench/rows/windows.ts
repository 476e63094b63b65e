import { DOCUMENTS, type DocumentSize } from '../documents.ts'
import { alternate, type Work } from '../measure.ts'
import { type Result, timed } from '../result.ts'
import type { Rig } from '../rig.ts'
import type { Row } from '../row.ts'
import { TARGETS } from '../targets.ts'

const SIZES = ['10 KB', '1 MB', '10 MB', '100 MB'] as const
const WINDOW_CHARS = 4_096

/** The number under which the pieces of a document's text are stored; null for a text inside its record. */
export async function textNumber(rig: Rig, id: string): Promise<number | null> {
  await using plain = await rig.place.data()
  const [row] = await plain.prepare(
    `SELECT long_texts FROM records WHERE owner_id = ? AND stream = 'documents' AND record_key = ?`,
  )(rig.owner_id, id)
  const [text] = JSON.parse(String(row?.long_texts ?? '[]')) as { text_no: number }[]
  return text?.text_no ?? null
}

/** The window at the end of a document on each side. */
export async function windowReads(rig: Rig, size: DocumentSize): Promise<Record<'server' | 'floor', Work>> {
  const { id, chars } = DOCUMENTS[size]
  const [connection = ''] = rig.connections
  const start = chars - WINDOW_CHARS
  const text = await textNumber(rig, id)
  const range = `start=${start}&limit=${WINDOW_CHARS}`
  const path = `/v1/streams/documents/records/${id}/field-window?connection_id=${connection}&field=text`
  const floorPath =
    text === null
      ? `/inline-window?connection=${connection}&stream=documents&key=${id}&${range}`
      : `/window?text=${text}&${range}`
  return {
    server: () => rig.client.send(`${path}&offset_chars=${start}&limit_chars=${WINDOW_CHARS}`),
    floor: () => rig.floor.send(floorPath),
  }
}

export const windows: Row = {
  name: 'window',
  async measure(rig) {
    const works: Record<string, Work> = {}
    for (const size of SIZES) {
      const { server, floor } = await windowReads(rig, size)
      await assertSameText(server, floor)
      works[`${size} server`] = server
      works[`${size} floor`] = floor
    }
    const samples = await alternate(works, rig.size.seconds * 4)
    const results: Result[] = []
    for (const size of SIZES) {
      const [server, floor] = [samples[`${size} server`], samples[`${size} floor`]]
      if (!server || !floor) continue
      const row = `window at the end of ${size}`
      results.push(timed({ row, server, floor, target: TARGETS.window }))
    }
    const [small, large] = [samples['10 KB server'], samples['100 MB server']]
    if (small && large) {
      const figure = large.p50 / small.p50
      const row = 'window at the end of 100 MB, flat'
      results.push(timed({ row, server: large, target: TARGETS.windowFlat, figure }))
    }
    return results
  },
}

async function assertSameText(server: Work, floor: Work): Promise<void> {
  const textOf = async (work: Work) =>
    (JSON.parse((await work()).body.toString()) as { window: { text: string } }).window.text
  const [ours, floors] = [await textOf(server), await textOf(floor)]
  if (ours !== floors || ours.length !== WINDOW_CHARS) throw new Error('The windows differ from the floor.')
}
