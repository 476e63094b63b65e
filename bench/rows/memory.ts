import { setTimeout as wait } from 'node:timers/promises'
import { single } from '../result.ts'
import type { Row } from '../row.ts'
import { TARGETS } from '../targets.ts'

/** Longer than idle threads are kept. A quick run does not wait for it. */
const IDLE_SECONDS = 60

/** Covers everything measured before, including the load with its record of 100 MB. */
export const memory: Row = {
  name: 'memory',
  async measure(rig) {
    const peak = single({
      row: 'resident memory, peak',
      unit: 'MB',
      value: rig.memory.peak(),
      target: TARGETS.peak,
    })
    if (rig.size.quick) return [peak]
    await wait(IDLE_SECONDS * 1_000)
    const row = `resident memory, ${IDLE_SECONDS} s after`
    return [peak, single({ row, unit: 'MB', value: rig.memory.now(), target: TARGETS.rest })]
  },
}
