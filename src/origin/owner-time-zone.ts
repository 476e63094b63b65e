import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TimeZone } from '../model/time-zone.ts'

const FILE = 'time-zone'

/** The owner's time zone: as set, else the system's at the first start, kept in the data folder. */
export function ownerTimeZone(directory: string, set: string | undefined): TimeZone {
  if (set !== undefined) return new TimeZone(set)
  const file = join(directory, FILE)
  const kept = zoneNamed(textOf(file))
  if (kept) return kept
  const guessed = zoneNamed(new Intl.DateTimeFormat().resolvedOptions().timeZone ?? '') ?? new TimeZone('UTC')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(file, `${guessed.name}\n`)
  return guessed
}

function zoneNamed(name: string): TimeZone | null {
  try {
    return name === '' ? null : new TimeZone(name)
  } catch {
    return null
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}
