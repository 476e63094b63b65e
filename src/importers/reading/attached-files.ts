import { CodedError } from '../../model/errors.ts'
import { streamedBlob } from '../blob.ts'
import type { ImportEvent } from '../importer.ts'
import { mediaTypeOf } from '../media-type.ts'
import type { SourceFile } from '../source/source.ts'
import { rejectedFile } from './file-items.ts'

export type StoredFile = { name: string; mime_type: string; blob_id: string; size_bytes: number }

/**
 * Stores a file of the export as a blob. Returns its description; null if the export does not contain it, or if it
 * cannot be read.
 */
export async function* storedFile(
  file: SourceFile | undefined,
  givenName?: string | null,
  givenType?: string | null,
): AsyncGenerator<ImportEvent, StoredFile | null> {
  if (!file) return null
  const name = givenName ?? nameIn(file.path)
  const mime_type = givenType ?? mediaTypeOf(name)
  try {
    const blob = streamedBlob(file.open(), mime_type)
    yield blob.event
    return { name, mime_type, ...blob.result() }
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    yield rejectedFile(file, error)
    return null
  }
}

export function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The folder of a path, with a `/` at its end; empty at the root. */
export function folderIn(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}
