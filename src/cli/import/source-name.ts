import { basename, dirname, isAbsolute } from 'node:path'
import { listConnections } from '../../api/owner-catalog.ts'
import { defaultName } from '../../importers/default-name.ts'
import type { Finding } from '../../importers/importer.ts'
import type { Source } from '../../importers/source/source.ts'
import type { OwnServer } from '../own-server.ts'

interface Named {
  /** The name that the owner gave, as this source of it is called; null if none was given. */
  name: string | null
  /** What a new connection is called if none was given. */
  default_name: string
}

/** The names for what was found, chosen so that no two connections look the same. */
export async function namesFor(
  server: OwnServer,
  source: Source,
  finding: Finding,
  { name: given, from }: { name: string | null; from: string },
): Promise<Named> {
  const { data: connections } = await server.call(listConnections, {})
  const { source: declared, display } = finding.declaration
  const isTaken = (name: string) => connections.some(({ display_name }) => display_name === name)
  const isOwn = (name: string) =>
    connections.some(each => each.display_name === name && each.source_id === declared.id)
  const first = defaultName(source, finding)
  // Only an upload is found again by this name; other files are found by their place.
  const isKnown = !isAbsolute(from) && isOwn(first)
  const others = [`${first} (${basename(dirname(from))})`, ...numbered(first)]
  const candidates = isAbsolute(from) ? [first, ...others] : [first, ...numbered(first)]
  const default_name = isKnown ? first : (candidates.find(each => !isTaken(each)) ?? first)
  if (given === null) return { name: null, default_name }
  const names = [given, `${given}: ${display.name}`]
  return { name: names.find(isOwn) ?? names.find(each => !isTaken(each)) ?? given, default_name }
}

const MOST_NUMBERS = 100

function numbered(name: string): string[] {
  return Array.from({ length: MOST_NUMBERS }, (_, index) => `${name} ${index + 2}`)
}
