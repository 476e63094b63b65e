import { createHash } from 'node:crypto'
import { blobIdOf } from '../../model/declaration/blob.ts'
import { CodedError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/json.ts'
import { rejection } from '../events.ts'
import type { ImportEvent } from '../importer.ts'
import { mediaTypeOf } from '../media-type.ts'
import type { SourceFile } from '../source/source.ts'

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
  const hash = createHash('sha256')
  let size_bytes = 0
  let failure: unknown
  async function* bytes({ open }: SourceFile) {
    try {
      for await (const chunk of open()) {
        hash.update(chunk)
        size_bytes += chunk.length
        yield chunk
      }
    } catch (error) {
      failure = error
      throw error
    }
  }
  yield { kind: 'blob', mime_type: mimeTypeOf(mime_type), blob_id: null, bytes: bytes(file) }
  if (failure === undefined) return { name, mime_type, blob_id: blobIdOf(hash), size_bytes }
  if (!(failure instanceof CodedError)) throw failure
  yield rejection(file.path, failure)
  return null
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

/**
 * The type in the form that the blob store accepts; anything that is not a media type becomes
 * `application/octet-stream`.
 */
export function mimeTypeOf(text: string): string {
  const plain = text.trim().toLowerCase()
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(plain) ? plain : 'application/octet-stream'
}
