import { blobIdOf } from '../../model/declaration/blob.ts'
import { CodedError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { mimeTypeOf, streamedBlob } from '../blob.ts'
import type { ImportEvent } from '../importer.ts'
import { mediaTypeOf } from '../media-type.ts'
import type { SourceFile } from '../source/source.ts'
import { rejectedFile } from './file-items.ts'

type StoredFile = { name: string; mime_type: string; blob_id: string; size_bytes: number }

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

/** What a record says about a file. */
export interface WrittenFile extends JsonObject {
  name: string | null
  mime_type?: string | null
}

/** Stores the files that the export contains. For each file that it lacks, only what the record says is kept. */
export async function* storedFiles(
  files: Iterable<readonly [SourceFile | undefined, WrittenFile]>,
): AsyncGenerator<ImportEvent, JsonObject[]> {
  const attachments: JsonObject[] = []
  for (const [file, written] of files)
    attachments.push((yield* storedFile(file, written.name, written.mime_type)) ?? written)
  return attachments
}

/** Stores a file that is written in Base64 inside the export. */
export function* storedBase64(
  data: string,
  type: string,
  name: string | null,
): Generator<ImportEvent, JsonObject> {
  const bytes = Buffer.from(data, 'base64')
  const mime_type = mimeTypeOf(type)
  const blob_id = blobIdOf(bytes)
  yield { kind: 'blob', mime_type, blob_id, bytes }
  return { name, mime_type, size_bytes: bytes.length, blob_id }
}

export function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The folder of a path, with a `/` at its end; empty at the root. */
export function folderIn(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}
