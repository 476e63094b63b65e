import type { LoadedBatch } from '../load.ts'
import { BATCH } from '../mail.ts'
import { Sample } from '../measure.ts'
import { type Result, single, type Target } from '../result.ts'
import type { Row } from '../row.ts'
import { TARGETS } from '../targets.ts'

const SPAN = 10_000

/** Measured while the data is loaded: the batches around 10k records and the last ones. */
export const ingest: Row = {
  name: 'ingest',
  async measure(rig, load) {
    const early = between(load, 5_000, 5_000 + SPAN)
    const late = between(load, rig.size.records - SPAN / (rig.size.quick ? 2 : 1), rig.size.records)
    const name = (records: number) => `ingest at ${records / 1_000}k records`
    return [
      against(name(10_000), early, TARGETS.ingest[rig.engine]),
      against(name(rig.size.records), late, TARGETS.ingest[rig.engine]),
      single({
        row: `${name(rig.size.records)}, no slower`,
        unit: '/s',
        value: perSecond(late.map(batch => batch.ms)),
        target: TARGETS.ingestNoSlower,
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

function against(row: string, batches: LoadedBatch[], target: Target): Result {
  const ours = batches.map(batch => batch.ms)
  const floors = batches.flatMap(batch => batch.floorMs ?? [])
  const result = single({
    row,
    unit: '/s',
    value: perSecond(ours),
    floor: perSecond(floors),
    target,
  })
  // The slow twentieth of the batches, as a rate like the rest of the line.
  const slow = (times: number[]) => (BATCH * 1_000) / new Sample([...times]).p95
  return { ...result, p95: slow(ours), floor_p95: slow(floors) }
}
