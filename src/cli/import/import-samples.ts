import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listConnections } from '../../api/owner/catalog.ts'
import { type Import, listImports, SAMPLE_PREFIX, sampleConnections } from '../../api/owner/imports.ts'
import { openSource } from '../../importers/source/open.ts'
import { SAMPLE_DOCUMENT_NAME, sampleDocument } from '../../samples/sample-document.ts'
import { SAMPLES } from '../../samples/samples.ts'
import type { Source } from '../names.ts'
import type { OwnServer } from '../own-server.ts'
import { importInto } from './import-into.ts'
import { planOf } from './import-plan.ts'

const LOG_BOOK = "Grandfather's log"

interface SampleImport {
  name: string
  format: string
  records: number
}

/** The sources that contain only samples. */
export async function sampleSources(server: OwnServer): Promise<Source[]> {
  const runs: Import[] = []
  let cursor: string | undefined
  do {
    const { data, next_cursor } = await server.call(listImports, {}, { query: { limit: 100, cursor } })
    runs.push(...data)
    cursor = next_cursor
  } while (cursor !== undefined)
  const samples = sampleConnections(runs)
  const { data: sources } = await server.call(listConnections, {})
  return sources.filter(({ connection_id }) => samples.has(connection_id))
}

/** Imports the sample data and the generated long document, unless it is stopped. */
export async function importSamples(
  server: OwnServer,
  stop: AbortSignal,
  onImported: (sample: SampleImport) => void,
): Promise<void> {
  for (const { name, path } of SAMPLES) onImported(await importSample(server, stop, name, path))
  const folder = await mkdtemp(join(tmpdir(), 'footnote-sample-'))
  try {
    await writeFile(join(folder, SAMPLE_DOCUMENT_NAME), sampleDocument())
    onImported(await importSample(server, stop, LOG_BOOK, folder))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function importSample(
  server: OwnServer,
  stop: AbortSignal,
  name: string,
  path: string,
): Promise<SampleImport> {
  stop.throwIfAborted()
  await using source = await openSource(path)
  const plan = await planOf(source, undefined)
  const watch = { begun: () => {}, progress: () => stop.throwIfAborted() }
  // No name that the owner's own files get, so that they never go to a connection of the samples.
  const called = `${name} (sample)`
  const target = { connection_id: null, name: called, from: `${SAMPLE_PREFIX}${name}` }
  const { counts } = await importInto(server, source, plan, target, watch)
  return { name: called, format: plan.importer.format, records: counts.added }
}
