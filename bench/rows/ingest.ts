import type { LoadedBatch } from '../load.ts'
import { BATCH } from '../mail.ts'
import { Sample } from '../measure.ts'
import { atLeast, type Result, single } from '../result.ts'
import type { Row } from '../row.ts'

const SPAN = 10_000
/** Below this the difference between two spans is noise. */
const NO_SLOWER = 0.9

/** How much of the floor's speed is wanted. */
const OF_FLOOR = { sqlite: 0.5, postgres: 0.6 }

/** Measured while the data is loaded: the batches around 10k records and the last ones. */
export const ingest: Row = {
  name: 'ingest',
  async measure(rig, load) {
    const early = between(load, 5_000, 5_000 + SPAN)
    const late = between(load, rig.size.records - SPAN / (rig.size.quick ? 2 : 1), rig.size.records)
    const name = (records: number) => `ingest at ${records / 1_000}k records`
    return [
      against(name(10_000), early, OF_FLOOR[rig.engine]),
      against(name(rig.size.records), late, OF_FLOOR[rig.engine]),
      single({
        row: `${name(rig.size.records)}, no slower`,
        unit: '/s',
        value: perSecond(late.map(batch => batch.ms)),
        target: atLeast(NO_SLOWER, '× 10k'),
        figure: perSecond(late.map(batch => batch.ms)) / perSecond(early.map(batch => batch.ms)),
      }),
    ]
  },
}

function between(load: readonly LoadedBatch[], from: number, to: number): LoadedBatch[] {
  return load.filter(({ before }) => before >= from && before < to)
}

function perSecond(times: number[]): number {
  return (times.length * BATCH * 1_000) / times.reduce((sum, ms) => sum + ms, 0)
}

function against(row: string, batches: LoadedBatch[], ofFloor: number): Result {
  const ours = batches.map(batch => batch.ms)
  const floors = batches.flatMap(batch => batch.floorMs ?? [])
  const result = single({
    row,
    unit: '/s',
    value: perSecond(ours),
    floor: perSecond(floors),
    target: atLeast(ofFloor, '× floor'),
  })
  // The slow twentieth of the batches, as a rate like the rest of the line.
  const slow = (times: number[]) => (BATCH * 1_000) / new Sample([...times]).p95
  return { ...result, p95: slow(ours), floor_p95: slow(floors) }
}
