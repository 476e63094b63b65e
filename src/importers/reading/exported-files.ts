import type { Declaration } from '../../model/declaration/declaration.ts'
import { CodedError } from '../../model/errors.ts'
import { isObject, type Json, parseJson } from '../../model/json.ts'
import { rejection } from '../events.ts'
import type { Finding, ImportEvent, RejectionEvent } from '../importer.ts'
import type { SourceFile } from '../source/source.ts'
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

/** The files whose paths match below one of these folders, such as the media of an export. */
export function filesBelow(
  folders: Iterable<string>,
  pattern: RegExp,
  files: readonly SourceFile[],
): SourceFile[] {
  const all = [...new Set(folders)]
  return files.filter(({ path }) =>
    all.some(folder => path.startsWith(folder) && pattern.test(path.slice(folder.length))),
  )
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

/** One item of a file: a message, a conversation, an event. */
export interface FileItem {
  /** The events of the item. Not called for items that are already stored. */
  events(): Iterable<ImportEvent> | AsyncIterable<ImportEvent>
  /** Bytes of the file up to the end of the item, for progress. */
  end: number
}

export type ItemsOf = (file: SourceFile) => AsyncIterable<FileItem>

/**
 * Reads files item by item, with a checkpoint after each. A resumed reading skips the items that are already stored,
 * and whole files before them, so `itemsOf` may number items within a file, but not across files.
 */
export async function* readFileItems(
  files: readonly SourceFile[],
  from: Json | null,
  itemsOf: ItemsOf,
): AsyncGenerator<ImportEvent> {
  const start = isObject(from) ? { file: Number(from.file), item: Number(from.item) } : { file: 0, item: 0 }
  const all = files.reduce((sum, { size }) => sum + size, 0) || 1
  let before = 0
  for (const [index, file] of files.entries()) {
    if (index >= start.file) {
      let items = 0
      try {
        for await (const { events, end } of itemsOf(file)) {
          if (index > start.file || items >= start.item) yield* events()
          items++
          if (index === start.file && items <= start.item) continue
          const done = Math.min(1, (before + end) / all)
          yield { kind: 'checkpoint', state: { file: index, item: items }, done }
        }
      } catch (error) {
        if (!(error instanceof CodedError)) throw error
        yield rejectedFile(file, error, items)
      }
      const done = Math.min(1, (before + file.size) / all)
      yield { kind: 'checkpoint', state: { file: index + 1, item: 0 }, done }
    }
    before += file.size
  }
}

/** How a file is read that is one item. */
export function itemPerFile(eventsOf: (file: SourceFile) => ReturnType<FileItem['events']>): ItemsOf {
  return async function* (file) {
    yield { events: () => eventsOf(file), end: file.size }
  }
}

/**
 * How files are read if earlier items decide about later ones: a resumed reading passes over the items of earlier files
 * first.
 */
export function inOrder(files: readonly SourceFile[], itemsOf: ItemsOf): ItemsOf {
  let next = 0
  return async function* (file) {
    for (; files[next] !== file; next++) await passOver(itemsOf(files[next] as SourceFile))
    next++
    yield* itemsOf(file)
  }
}

async function passOver(items: AsyncIterable<FileItem>): Promise<void> {
  try {
    for await (const _ of items);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
  }
}

/** The rejection of a file that cannot be read, or only up to an item. */
export function rejectedFile({ path }: SourceFile, error: CodedError, items: number): RejectionEvent {
  return rejection(items === 0 ? path : `${path}, after item ${items}`, error)
}
