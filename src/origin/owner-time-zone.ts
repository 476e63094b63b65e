import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TimeZone } from '../model/time-zone.ts'

const FILE = 'time-zone'

/** The owner's time zone: as set, or else the system's at the first start, stored in the data folder. */
export function ownerTimeZone(directory: string, set: string | undefined): TimeZone {
  const zone = knownTimeZone(directory, set)
  if (set !== undefined || zoneIn(directory) !== null) return zone
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(join(directory, FILE), `${zone.name}\n`)
  return zone
}

/** The same for a command that writes nothing: before the first start it is the system's. */
export function knownTimeZone(directory: string, set: string | undefined): TimeZone {
  if (set !== undefined) return new TimeZone(set)
  const system = new Intl.DateTimeFormat().resolvedOptions().timeZone ?? ''
  return zoneIn(directory) ?? zoneNamed(system) ?? new TimeZone('UTC')
}

function zoneIn(directory: string): TimeZone | null {
  return zoneNamed(textOf(join(directory, FILE)))
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
