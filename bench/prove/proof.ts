import type { Engine } from '../place.ts'

/** One part of `npm run prove`. */
export interface Proof {
  name: string
  /** Prints what it found, and returns whether everything held. */
  prove(options: ProofOptions): Promise<boolean>
}

export interface ProofOptions {
  /** A short version. */
  quick: boolean
  engines: readonly Engine[]
  /** How long each fuzzer runs; null for its own time. */
  seconds: number | null
  /** Only fuzzers, files of faults, and formats of large imports, whose name contains this. */
  only: string
  /** The size of each large import; null for its own. */
  megabytes: number | null
  /** A folder of files that are not part of the project; null if none is given. */
  data: string | null
}
