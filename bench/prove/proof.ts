import type { Engine } from '../place.ts'

/** One part of `npm run prove`. */
export interface Proof {
  name: string
  /** Prints the result, and returns whether everything passed. */
  prove(options: ProofOptions): Promise<boolean>
}

export interface ProofOptions {
  /** A short version. */
  quick: boolean
  engines: readonly Engine[]
  /** How long each fuzzer runs; null for its default. */
  seconds: number | null
  /** Only fuzzers, fault files and formats of large imports whose name contains this. */
  only: string
  /** The size of each large import; null for its default. */
  megabytes: number | null
  /** A folder of files that are not part of the project; null if none is given. */
  data: string | null
}
