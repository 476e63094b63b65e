import { setTimeout as wait } from 'node:timers/promises'
import { single } from '../result.ts'
import type { Row } from '../row.ts'
import { TARGETS } from '../targets.ts'

/** Covers everything measured before, including the load with its record of 100 MB. */
export const memory: Row = {
  name: 'memory',
  async measure(rig) {
    const peak = rig.memory.peak()
    await wait(rig.size.idleSeconds * 1_000)
    const after = rig.memory.now()
    return [
      single({ row: 'resident memory, peak', unit: 'MB', value: peak, target: TARGETS.peak }),
      single({
        row: `resident memory, ${rig.size.idleSeconds} s after`,
        unit: 'MB',
        value: after,
        target: TARGETS.rest,
      }),
    ]
  },
}
