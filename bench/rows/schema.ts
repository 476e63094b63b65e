import { alternate } from '../measure.ts'
import { timed } from '../result.ts'
import type { Row } from '../row.ts'
import { TARGETS } from '../targets.ts'

export const schema: Row = {
  name: 'schema',
  async measure(rig) {
    const { server, floor } = await alternate(
      { server: () => rig.client.send('/v1/schema'), floor: () => rig.floor.send('/declaration') },
      rig.size.seconds * 2,
    )
    return [timed({ row: this.name, server, floor, target: TARGETS.schema, figure: server.p50 })]
  },
}
