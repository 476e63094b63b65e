import { alternate } from '../measure.ts'
import { atMost, timed } from '../result.ts'
import type { Row } from '../row.ts'

const MOST_MS = 3

export const schema: Row = {
  name: 'schema',
  async measure(rig) {
    const { server, floor } = await alternate(
      { server: () => rig.client.send('/v1/schema'), floor: () => rig.floor.send('/declaration') },
      rig.size.seconds * 2,
    )
    return [timed({ row: this.name, server, floor, target: atMost(MOST_MS, 'ms'), figure: server.p50 })]
  },
}
