import { existsSync, readFileSync } from 'node:fs'
import type { Measured } from './report.ts'

/** What earlier runs measured. */
export function readKept(file: string): Measured[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Measured[]) : []
}

/**
 * The same with a new measurement of a collection. The engine that was measured first is the one that is compared with
 * plain FTS5 and with fewer refinements.
 */
export function merged(all: readonly Measured[], measured: Measured): Measured[] {
  const before = all.find(({ name }) => name === measured.name)
  if (!before) return [...all, measured]
  const [compared = ''] = Object.keys(before.engines)
  const isOther = !Object.hasOwn(measured.engines, compared)
  const both = isOther
    ? { ...before, day: measured.day, engines: { ...before.engines, ...measured.engines } }
    : { ...measured, engines: { ...before.engines, ...measured.engines } }
  return all.map(each => (each === before ? both : each))
}
