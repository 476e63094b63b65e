import type { SourceFile } from '../source/source.ts'

const SEARCHED_BYTES = 64 * 1024 * 1024
/** Longer than the start of a table definition up to its name. */
const OVERLAP = 200

/** The first of these tables that a file defines, if it is a SQLite database. */
export async function tableIn<Name extends string>(
  file: SourceFile,
  names: readonly Name[],
): Promise<Name | null> {
  const head = await file.head().catch(() => Buffer.alloc(0))
  if (!head.toString('latin1').startsWith('SQLite format 3\0')) return null
  const defined = new RegExp(`CREATE TABLE ["\`[]?(${names.join('|')})\\b`)
  let searched = 0
  let last = ''
  for await (const chunk of file.open()) {
    const text = last + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
    const found = defined.exec(text)?.[1]
    if (found !== undefined) return found as Name
    searched += chunk.length
    if (searched > SEARCHED_BYTES) return null
    last = text.slice(-OVERLAP)
  }
  return null
}

/** The files that SQLite keeps beside a database while it is open. */
export function filesBeside(databases: readonly SourceFile[], files: readonly SourceFile[]): SourceFile[] {
  const paths = new Set(
    databases.flatMap(({ path }) => ['-wal', '-shm', '-journal'].map(end => `${path}${end}`)),
  )
  return files.filter(({ path }) => paths.has(path))
}
