import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = 'samples'

/** Whether it was already decided for this data folder whether to import samples. */
export function samplesDecided(directory: string): boolean {
  return existsSync(join(directory, FILE))
}

/** Samples are imported automatically at most once: at the first start, unless the owner does not want them. */
export function rememberSamples(directory: string, decision: 'imported' | 'declined' | 'removed'): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(join(directory, FILE), `${decision}\n`, { mode: 0o600 })
}
