import { Client } from '../client.ts'
import { median, rate } from '../measure.ts'
import { single } from '../result.ts'
import type { Row } from '../row.ts'
import { TARGETS } from '../targets.ts'
import { recordReads } from './record.ts'

const IN_FLIGHT = 16
const BLOCKS = 8

export const concurrent: Row = {
  name: '16 concurrent GET record',
  async measure(rig) {
    using client = new Client(rig.urls.server, rig.tokens.client, IN_FLIGHT)
    using floor = new Client(rig.urls.floor, null, IN_FLIGHT)
    const reads = recordReads(rig, { client, floor })
    const ms = (rig.size.seconds * 1_000) / BLOCKS
    const rates = { server: [] as number[], floor: [] as number[] }
    for (let block = 0; block <= BLOCKS; block++) {
      for (const side of ['server', 'floor'] as const) {
        const reached = await rate(reads[side], IN_FLIGHT, ms)
        if (block > 0) rates[side].push(reached)
      }
    }
    return [
      single({
        row: this.name,
        unit: '/s',
        value: median(rates.server),
        floor: median(rates.floor),
        target: TARGETS.concurrent,
      }),
    ]
  },
}
