import { connectionOf, isGranted, mailId } from '../mail.ts'
import { alternate, type Work } from '../measure.ts'
import { seeded } from '../random.ts'
import { timed } from '../result.ts'
import type { Rig } from '../rig.ts'
import type { Row } from '../row.ts'
import { TARGETS } from '../targets.ts'

/** Granted records at random; each call makes the same sequence. */
function picks(rig: Rig): () => { connection: string; id: string } {
  const random = seeded(11)
  return () => {
    let n: number
    do n = Math.floor(random() * rig.size.records)
    while (!isGranted(n))
    return { connection: connectionOf(n, rig.connections), id: mailId(n) }
  }
}

/** A read of one record by id on each side; both read the same sequence. */
export function recordReads(
  rig: Rig,
  clients: Pick<Rig, 'client' | 'floor'> = rig,
): Record<'server' | 'floor', Work> {
  const [ours, floors] = [picks(rig), picks(rig)]
  return {
    server: () => {
      const { connection, id } = ours()
      return clients.client.send(`/v1/streams/messages/records/${id}?connection_id=${connection}`)
    },
    floor: () => {
      const { connection, id } = floors()
      return clients.floor.send(`/record?connection=${connection}&stream=messages&key=${id}`)
    },
  }
}

export const record: Row = {
  name: 'GET record',
  async measure(rig) {
    const { server, floor } = await alternate(recordReads(rig), rig.size.seconds * 2)
    return [timed({ row: this.name, server, floor, target: TARGETS.record })]
  },
}
