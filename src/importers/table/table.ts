import type { Finding, Importer } from '../importer.ts'
import { declarationOf } from './declaration.ts'
import { readTables } from './read.ts'
import { rowsOf, streamsOf } from './streams.ts'
import { tablesOf } from './tables.ts'

export const table: Importer = {
  format: 'table',
  label: 'Tables: CSV, JSON and JSON lines',
  stage: 'any',
  async recognise(source) {
    const { tables, refused, empty } = await tablesOf(source)
    const streams = streamsOf(tables)
    if (streams.length === 0) {
      const [first] = refused
      if (first)
        return { lookalike: `${first.file.path}: ${first.reason}`, files: refused.map(({ file }) => file) }
      const [nothing] = empty
      if (!nothing) return null
      const what = nothing.size === 0 ? 'is empty' : 'contains no rows'
      return { lookalike: `${nothing.path} ${what}.`, files: empty }
    }
    const taken = streams.flatMap(stream => stream.tables)
    return {
      files: [...new Set([...[...taken, ...refused].map(({ file }) => file), ...empty])],
      items: rowsOf(taken),
      exact: false,
      span: null,
      declaration: declarationOf(streams),
      account: null,
      name: null,
      async *read(from) {
        if (from === null) {
          for (const { file, reason } of refused) {
            yield { kind: 'rejection', place: file.path, code: 'not_a_table', message: reason }
          }
        }
        yield* readTables(streams, from)
      },
    } satisfies Finding
  },
}
