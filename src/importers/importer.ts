import type { Declaration } from '../model/declaration/declaration.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Sign } from './reading/head.ts'
import type { Source, SourceFile } from './source/source.ts'

/**
 * Reads one format. It recognises, declares and reads; it never writes. Ids, texts and checkpoints depend on the bytes
 * alone, so that reading the same source twice yields the same records. Times that are written without a zone also depend
 * on the owner's.
 */
export interface Importer {
  /** The value for `--as`; it is stored with each import: `mbox`. */
  format: string
  /** The name to display: `Mail in mbox files`. */
  label: string
  /**
   * When it is asked. Files that an earlier stage recognises are not shown to later ones. By default in the first stage,
   * `export`: the export of one program, recognised by its layout; `files`: a format of single files; `any`: tables of any
   * shape; `document`: all remaining files that can be read as text.
   */
  stage?: 'export' | 'files' | 'any' | 'document'
  /** Whether a file may belong to the format, by its first bytes. If no file of a source does, nothing is loaded. */
  sign: Sign
  /** Loads the code of the format. */
  load(): Promise<{ recognise: Recognise }>
}

/**
 * Looks at the content of files that have the sign of a format: at heads and a file or two, never at everything. The
 * source has all files that no earlier stage recognised.
 */
export type Recognise = (
  files: readonly SourceFile[],
  source: Source,
  format: string,
) => Promise<Finding | Lookalike | null>

/** The part of a source that belongs to one format. */
export interface Finding {
  /** The files that belong to the format. All other files of the source are listed as skipped. */
  files: readonly SourceFile[]
  /** How many items there are; an estimate unless `exact`. In a mixed folder the format with the most items is imported. */
  items: number
  exact: boolean
  /** The first and last time of an item, if that is cheap to find. Local or UTC, RFC 3339. */
  span: { first: string; last: string } | null
  /** Declares the streams of its records. A changed declaration needs a higher version. */
  declaration: Declaration
  /**
   * The account's own id (a workspace, a user), which is the same in each of its exports; null if the format has
   * none. A later export of the same account goes to the same connection.
   */
  account: string | null
  /**
   * What the content says about whose or which it is: a chat, a workspace, an account. It becomes a part of the
   * connection's default name. Null if it does not say, or if there are several.
   */
  name: string | null
  /**
   * The same records in a stream of another name, if the name comes from the files: a connection that has these records
   * keeps the name that its stream has.
   */
  withStream?(name: string): Finding
  /**
   * Yields everything, or everything after a checkpoint of an earlier, interrupted reading of the same files. An item
   * that cannot be read is a rejection; it throws only if the whole source cannot be read.
   */
  read(from: Json | null): AsyncIterable<ImportEvent>
}

/** Files that resemble a format but cannot be read as it. */
export interface Lookalike {
  /** The reason, shown if nothing else is found. */
  lookalike: string
  /** The files in question. They are not shown to later stages. */
  files: readonly SourceFile[]
}

export type ImportEvent = RecordEvent | BlobEvent | RejectionEvent | CheckpointEvent

/** An item. It refers to a blob by an object with its `blob_id`, at any depth of `data`. */
export interface RecordEvent {
  kind: 'record'
  stream: string
  /** The record id: see record-id.ts. `data` holds it too, in the field of the primary key. */
  key: string
  data: JsonObject
  /** The location of the item, in readable form: `inbox.mbox, byte 1234`. */
  place: string
}

/** Bytes for the blob store. They come before the record that refers to them: see reading/attached-files.ts. */
export interface BlobEvent {
  kind: 'blob'
  mime_type: string
  /** Null for a stream, which is hashed while it is read. */
  blob_id: string | null
  /**
   * A stream is read to its end, or until it fails, or not at all, before the next event is requested. The memory of
   * its chunks belongs to the reader, which may move it to another thread: an importer that still needs a chunk keeps
   * a copy.
   */
  bytes: Uint8Array | AsyncIterable<Uint8Array>
}

/** An item that is not imported, and why. The import continues. */
export interface RejectionEvent {
  kind: 'rejection'
  place: string
  code: string
  message: string
}

/**
 * Marks that everything before it is complete: `read(state)` resumes right after it. You may yield one after each
 * item; only some are stored, and only once everything before is stored.
 */
interface CheckpointEvent {
  kind: 'checkpoint'
  state: Json
  /** The fraction that is done, from 0 to 1, for the progress bar. */
  done: number
}
