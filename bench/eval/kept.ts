import { existsSync, readFileSync } from 'node:fs'
import type { Measured } from './report.ts'

/** What earlier runs measured. */
export function readKept(file: string): Measured[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Measured[]) : []
}

/** The same with a new measurement of a collection, beside what was measured of it on another engine. */
export function merged(all: readonly Measured[], measured: Measured): Measured[] {
  const before = all.find(({ name }) => name === measured.name)
  if (!before) return [...all, measured]
  const isOther = Object.keys(measured.engines).every(engine => !Object.hasOwn(before.engines, engine))
  const both = isOther
    ? { ...before, day: measured.day, engines: { ...before.engines, ...measured.engines } }
    : { ...measured, engines: { ...before.engines, ...measured.engines } }
  return all.map(each => (each === before ? both : each))
}
