import { basename, dirname, isAbsolute } from 'node:path'
import { listConnections, registerDeclaration } from '../../api/owner/catalog.ts'
import { type BegunImport, beginImport } from '../../api/owner/imports.ts'
import { listStreams } from '../../api/streams.ts'
import type { Finding } from '../../importers/importer.ts'
import type { Source } from '../../importers/source/source.ts'
import { defaultName } from '../../importers/source/telling-name.ts'
import { connectorKeyOf } from '../../model/declaration/declaration.ts'
import type { OwnServer } from '../own-server.ts'
import { type Plan, printsOf } from './import-plan.ts'
import { type Counts, ImportRun } from './import-run.ts'

interface Target {
  /**
   * Imports into this connection; if null, into the one that the source was imported into before, or into a new one.
   */
  connection_id: string | null
  /** The name of a new connection; if null, one is made from what the source contains. */
  name: string | null
  /** Where the files are reported to be from; by default, where they are. */
  from?: string
}

interface ImportWatch {
  begun(run: BegunImport): void
  progress(seen: number, done: number): void
}

/** Imports what a plan found in a source, through the owner's own API. */
export async function importInto(
  server: OwnServer,
  source: Source,
  { finding: found, importer, leftOut }: Plan,
  { connection_id, name, from = source.path }: Target,
  watch: ImportWatch,
): Promise<{ begun: BegunImport; counts: Counts }> {
  const finding = await withKnownStream(server, found, { connection_id, name })
  await server.call(registerDeclaration, {}, { json: finding.declaration })
  const begun = await server.call(
    beginImport,
    {},
    {
      json: {
        source_id: finding.declaration.source.id,
        format: importer.format,
        source: from,
        ...(await printsOf(source, finding)),
        account: finding.account,
        connection_id,
        ...(await namesFor(server, source, finding, { name, from })),
      },
    },
  )
  watch.begun(begun)
  return { begun, counts: await new ImportRun(server, begun, watch.progress).run(finding, leftOut) }
}

/**
 * The finding with the stream that the connection has already: the chosen one may have the same columns from a file of
 * another name. If none is chosen, a table that was imported as `rows` remains so.
 */
async function withKnownStream(
  server: OwnServer,
  finding: Finding,
  { connection_id, name }: Target,
): Promise<Finding> {
  const { withStream } = finding
  if (!withStream) return finding
  const isChosen = connection_id !== null || name !== null
  const { data } = await server.call(listStreams, {})
  const known = data.flatMap(stream =>
    stream.connections
      .filter(each => connection_id === null || each.connection_id === connection_id)
      .filter(each => name === null || each.display_name === name)
      .map(({ connector_key }) => ({ stream: stream.name, connector_key })),
  )
  const isKnown = (each: Finding) =>
    known.some(({ connector_key }) => connector_key === connectorKeyOf(each.declaration.source.id))
  const names = new Set(isChosen ? known.map(({ stream }) => stream) : ['rows'])
  return [finding, ...[...names].map(withStream)].find(isKnown) ?? finding
}

interface Named {
  /** The name that the owner gave, as this source of it is called; null if none was given. */
  name: string | null
  /** What a new connection is called if none was given. */
  default_name: string
}

/** The names for what was found, chosen so that no two connections look the same. */
async function namesFor(
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
  // Only an upload is found again by its name; other files are found by their place, and a folder there may grow.
  const isUpload = !isAbsolute(from)
  const first = defaultName(source, finding, isUpload || source.kind !== 'folder')
  const isKnown = isUpload && isOwn(first)
  const others = [`${first} (${basename(dirname(from))})`, ...numbered(first)]
  const candidates = isUpload ? [first, ...numbered(first)] : [first, ...others]
  const default_name = isKnown ? first : (candidates.find(each => !isTaken(each)) ?? first)
  if (given === null) return { name: null, default_name }
  const names = [given, `${given}: ${display.name}`]
  return { name: names.find(isOwn) ?? names.find(each => !isTaken(each)) ?? given, default_name }
}

const MOST_NUMBERS = 100

function numbered(name: string): string[] {
  return Array.from({ length: MOST_NUMBERS }, (_, index) => `${name} ${index + 2}`)
}
