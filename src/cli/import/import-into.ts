import { registerDeclaration } from '../../api/owner-catalog.ts'
import { type BegunImport, beginImport } from '../../api/owner-imports.ts'
import type { Source } from '../../importers/source/source.ts'
import type { OwnServer } from '../own-server.ts'
import { type Plan, printsOf } from './import-plan.ts'
import { type Counts, ImportRun } from './import-run.ts'

export interface Target {
  /**
   * Imports into this connection; if null, into the one that the source was imported into before, or into a new one.
   */
  connection_id: string | null
  /** The name of a new connection; if null, the name of the source. */
  name: string | null
  /** Where the files are reported to be from; by default, where they are. */
  from?: string
}

export interface ImportWatch {
  begun(run: BegunImport): void
  progress(seen: number, done: number): void
}

/** Imports what a plan found in a source, through the owner's own API. */
export async function importInto(
  server: OwnServer,
  source: Source,
  { finding, importer, leftOut }: Plan,
  { connection_id, name, from = source.path }: Target,
  watch: ImportWatch,
): Promise<{ begun: BegunImport; counts: Counts }> {
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
        name,
        default_name: (finding.name ?? source.name).slice(0, 200),
      },
    },
  )
  watch.begun(begun)
  return { begun, counts: await new ImportRun(server, begun, watch.progress).run(finding, leftOut) }
}
