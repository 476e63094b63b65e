import { CodedError } from '../../model/errors.ts'
import { isObject, type Json } from '../../model/json.ts'
import type { ImportEvent, RejectionEvent } from '../importer.ts'
import type { SourceFile } from '../source/source.ts'

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
export function rejectedFile({ path }: SourceFile, { code, message }: CodedError, items = 0): RejectionEvent {
  const place = items === 0 ? path : `${path}, after item ${items}`
  return { kind: 'rejection', place, code, message }
}
