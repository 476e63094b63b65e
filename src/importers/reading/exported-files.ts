import type { Declaration } from '../../model/declaration/declaration.ts'
import { parseJson } from '../../model/json.ts'
import type { Finding } from '../importer.ts'
import type { SourceFile } from '../source/source.ts'
import { type ItemsOf, readFileItems } from './file-items.ts'
import { headText } from './head.ts'
import { textIn } from './json-values.ts'

/** The text of a member of the JSON whose first characters these are; null if it is not in them. */
export function textInHead(head: string, member: string): string | null {
  const text = String.raw`"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"`
  const written = new RegExp(`"${member}"\\s*:\\s*(${text})`, 'u').exec(head)?.[1]
  return written === undefined ? null : textIn(parseJson(written))
}

/** The name that all of the files give; null if they differ, or one has none. */
export async function sharedName(
  files: readonly SourceFile[],
  nameOf: (file: SourceFile) => Promise<string | null>,
): Promise<string | null> {
  let shared: string | null = null
  for (const file of files) {
    const name = await nameOf(file)
    if (name === null || (shared !== null && name !== shared)) return null
    shared = name
  }
  return shared
}

/** All bytes of a file; null if there are more than `most`. */
export async function wholeFile(file: SourceFile, most: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of file.open()) {
    length += chunk.length
    if (length > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The files whose name and first characters match. */
export async function filesWith(
  files: readonly SourceFile[],
  name: RegExp,
  passes: (head: string, file: SourceFile) => boolean,
): Promise<SourceFile[]> {
  const found: SourceFile[] = []
  for (const file of files) if (name.test(file.path) && passes(await headText(file), file)) found.push(file)
  return found
}

/**
 * A finding of files that are read item by item. `begin` is called at the start of each reading and returns how a file
 * is read. Unless it is known, the number of items is estimated from the size of the files. Files `beside` belong to the
 * export too.
 */
export function findingOf(
  declaration: Declaration,
  read: readonly SourceFile[],
  itemBytes: number,
  begin: () => ItemsOf | Promise<ItemsOf>,
  { beside = [], ...known }: Partial<Finding> & { beside?: readonly SourceFile[] } = {},
): Finding {
  const bytes = read.reduce((sum, { size }) => sum + size, 0)
  return {
    files: [...new Set([...read, ...beside])],
    items: Math.max(read.length, Math.round(bytes / itemBytes)),
    exact: false,
    span: null,
    declaration,
    account: null,
    name: null,
    async *read(from) {
      yield* readFileItems(read, from, await begin())
    },
    ...known,
  }
}
