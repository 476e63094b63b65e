import { rejection } from '../events.ts'
import type { Finding, Recognise } from '../importer.ts'
import { declarationOf } from './declaration.ts'
import { readTables } from './read.ts'
import { nameOfOnly, rowsOf, streamsOf, type TableStream } from './streams.ts'
import { type Tables, tablesOf } from './tables.ts'

export const recognise: Recognise = async (_, source) => {
  const found = await tablesOf(source)
  // A folder may get more files of the same shape, so its stream is not named after the first one.
  const finding = findingOf(
    found,
    streamsOf(found.tables, source.kind === 'folder' ? () => 'rows' : nameOfOnly),
    source.timeZone,
  )
  if (finding) return finding
  const { refused, empty } = found
  const [first] = refused
  if (first)
    return { lookalike: `${first.file.path}: ${first.reason}`, files: refused.map(({ file }) => file) }
  const [nothing] = empty
  if (!nothing) return null
  const what = nothing.size === 0 ? 'is empty' : 'contains no rows'
  return { lookalike: `${nothing.path} ${what}.`, files: empty }
}

function findingOf(
  found: Tables,
  streams: readonly TableStream[],
  timeZone: string | undefined,
): Finding | null {
  if (streams.length === 0) return null
  const { tables, refused, empty } = found
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
        for (const { file, reason } of refused)
          yield rejection(file.path, { code: 'not_a_table', message: reason })
      }
      yield* readTables(streams, from, timeZone)
    },
    ...(streams.length === 1 && {
      withStream: (name: string) =>
        findingOf(
          found,
          streamsOf(tables, () => name),
          timeZone,
        ) as Finding,
    }),
  }
}
