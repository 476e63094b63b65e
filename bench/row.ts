import type { LoadedBatch } from './load.ts'
import type { Result } from './result.ts'
import type { Rig } from './rig.ts'

/** A subject of the table: one or several lines, measured on a rig that holds the data. */
export interface Row {
  name: string
  measure(rig: Rig, load: readonly LoadedBatch[]): Promise<Result[]>
}
