import type { Grant } from '../model/access/grant.ts'
import type { JsonObject } from '../model/json.ts'
import type { TimeZone } from '../model/time.ts'

/** What the console is built from. */
export interface ConsoleEnvironment {
  publicUrl: string
  clock: () => Date
  /** The owner's time zone. */
  timeZone: TimeZone
  /** A text with its `footnote` commands as the owner has to type them. */
  spelled(text: string): string
  /** The signed-in owner's session, or a redirect to sign-in and back. */
  requireOwner(request: Request): Promise<Session | Response>
  /** The checked form that the signed-in owner sent, or the same redirect. */
  readOwnerForm(request: Request): Promise<{ session: Session; form: URLSearchParams } | Response>
  /** Throws if a form with a file does not belong to the session. */
  assertOwnForm(request: Request, session: Session, csrf: string): void
  hasPassphrase(): Promise<boolean>
  /** Absent if files cannot be uploaded in the browser. */
  imports?: FileImports
  /** Absent if nothing can be set in the browser. */
  settings?: OwnerSettings
  /**
   * Sends a request to the resource server as the owner, or as an app with these grants, without a line in the ledger.
   */
  send(request: Request, request_id: string, grants?: readonly Grant[]): Promise<Response>
}

/** Files that the owner uploads in the browser. They are kept until they are imported, or for a day. */
export interface FileImports {
  /** Stores a file, or a folder of files, and returns its id; null if there was none. */
  receive(files: AsyncIterable<{ path: string; bytes: AsyncIterable<Uint8Array> }>): Promise<string | null>
  /** What the file is and what importing it would do. It writes nothing. */
  preview(upload_id: string): Promise<ImportPreview>
  /** Starts importing it, and returns once its first part has begun; the rest continues in the background. */
  start(
    upload_id: string,
    name: string | null,
  ): Promise<{ import_id: string; connection_id: string; parts: number }>
  drop(upload_id: string): Promise<void>
}

export interface ImportPreview {
  filename: string
  /** The formats that will be imported: the name of each, and how many items it seems to contain. */
  formats: { label: string; items: number; exact: boolean }[]
  /** What is in the file and will not be imported. */
  skipped: string[]
  /** The default name of the new source; empty if there will be several. */
  name: string
  counts: { seen: number; added: number; rejected: number }
  /** False if the file was too long to examine completely. */
  complete: boolean
  rejections: { place: string; code: string; message: string }[]
  /** The first record of each kind, of a few kinds. */
  sample: { stream: string; label: string | null; data: JsonObject }[]
}

/** What the owner can set in the browser. */
export interface OwnerSettings {
  read(): OwnerSetting[]
  /** Stores a value; throws if it is invalid. */
  change(name: OwnerSetting['name'], value: string): Promise<void>
}

export interface OwnerSetting {
  name: 'time-zone' | 'my-names' | 'public-url' | 'ledger-queries'
  /** The current value. */
  value: string
  /** The value in the settings file; null if there is none. */
  kept: string | null
  /** The flag or the variable that overrides the file. */
  fixed: string | null
}

export interface Session {
  /** Included in every form as the field `csrf`. */
  csrf: string
}
