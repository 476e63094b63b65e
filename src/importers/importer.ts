import type { Declaration } from '../model/declaration/declaration.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Source, SourceFile } from './source/source.ts'

/**
 * Reads one format. It recognises, declares and reads; it never writes. Ids, texts and checkpoints are a function of
 * the bytes alone, so that reading the same source twice yields the same records.
 */
export interface Importer {
  /** What `--as` takes and what a run is filed under: `mbox`. */
  format: string
  /** What a person calls it: `Mail in mbox files`. */
  label: string
  /**
   * When it is asked. Files that an earlier stage recognises are not shown to later ones.
   * `export`: the export of one program, recognised by its layout; `files`: a format of single files; `any`: tables of
   * any shape.
   */
  stage: 'export' | 'files' | 'any'
  /** Looks at the shape of the files, not at their names, and reads little: heads, a file or two, never everything. */
  recognise(source: Source): Promise<Finding | Lookalike | null>
}

/** What a source holds of a format. */
export interface Finding {
  /** The files that it takes. All others of the source are listed as skipped. */
  files: readonly SourceFile[]
  /** How many items there are; an estimate unless `exact`. In a mixed folder the format with most items wins. */
  items: number
  exact: boolean
  /** The first and last time of an item, where that is cheap to know. Local or UTC, RFC 3339. */
  span: { first: string; last: string } | null
  /** The streams it will yield. `connector_key` stands in it; a change of content needs a higher version. */
  declaration: Declaration
  /** What tells the account apart from others of the format (a workspace's id, a user's id), the same in each of its
   * exports; null where the format has no such thing. A later export with the same goes to the same connection. */
  account: string | null
  /** What the connection is called unless the person says otherwise; null leaves it to the name of the source. */
  name: string | null
  /**
   * Yields everything there is, or what comes after a checkpoint of an earlier, unfinished reading of the same files.
   * An item that cannot be read is a rejection; only a source that broke altogether throws.
   */
  read(from: Json | null): AsyncIterable<ImportEvent>
}

/** What resembles a format but is not it. */
export interface Lookalike {
  /** The reason, which is shown if nothing else is found. */
  lookalike: string
  /** The files in question. They are not shown to later stages. */
  files: readonly SourceFile[]
}

export function isLookalike(found: Finding | Lookalike | null): found is Lookalike {
  return found !== null && 'lookalike' in found
}

export type ImportEvent = RecordEvent | BlobEvent | RejectionEvent | CheckpointEvent

/** An item. It names a blob by an object with its `blob_id`, at any depth of `data`. */
export interface RecordEvent {
  kind: 'record'
  stream: string
  /** The record id: see record-id.ts. `data` holds it too, in the field of the primary key. */
  key: string
  data: JsonObject
  /** Where the item stands, for a person: `inbox.mbox, byte 1234`. */
  place: string
}

/** Bytes that go to the blob store. They come before the record that names them: see blob.ts. */
export interface BlobEvent {
  kind: 'blob'
  mime_type: string
  /** Known when the bytes are at hand; the bytes of a stream are hashed while they flow. */
  blob_id: string | null
  /**
   * A stream is read to its end, or not at all, before the next event is requested. The memory of its chunks belongs to
   * the reader, which may move it to another thread: an importer that still needs a chunk keeps a copy.
   */
  bytes: Uint8Array | AsyncIterable<Uint8Array>
}

/** An item that is not imported, and why. It never ends a run. */
export interface RejectionEvent {
  kind: 'rejection'
  place: string
  code: string
  message: string
}

/**
 * Says that everything before it is complete: `read(state)` goes on right behind it. Yield one after each item if you
 * like; only some are kept, and only when all that came before is stored.
 */
export interface CheckpointEvent {
  kind: 'checkpoint'
  state: Json
  /** The part that is done, from 0 to 1, for the progress bar. */
  done: number
}
