import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = 'samples'

/** Whether it was decided before, on this data folder, that samples are imported or not. */
export function samplesDecided(directory: string): boolean {
  return existsSync(join(directory, FILE))
}

/** Samples are imported at most once by themselves: at the first start, unless the owner wants none. */
export function rememberSamples(directory: string, decision: 'imported' | 'declined' | 'removed'): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(join(directory, FILE), `${decision}\n`, { mode: 0o600 })
}
