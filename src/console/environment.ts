import type { Grant } from '../model/access/grant.ts'
import type { JsonObject } from '../model/json.ts'
import type { TimeZone } from '../model/time-zone.ts'

/** What the console is made of. */
export interface ConsoleEnvironment {
  publicUrl: string
  clock: () => Date
  /** The owner's. */
  timeZone: TimeZone
  /** The signed-in owner's session, or the response that leads to sign-in and back. */
  requireOwner(request: Request): Promise<Session | Response>
  /** The form that the signed-in owner sent, checked, or the same response. */
  readOwnerForm(request: Request): Promise<{ session: Session; form: URLSearchParams } | Response>
  /** Throws for a form with a file that is not the session's own. */
  assertOwnForm(request: Request, session: Session, csrf: string): void
  hasPassphrase(): Promise<boolean>
  /** Absent where files cannot be brought in the browser. */
  imports?: FileImports
  /** Absent where nothing can be set in the browser. */
  settings?: OwnerSettings
  /** Asks the resource server as the owner, or as an app with these grants would, without a line in the ledger. */
  send(request: Request, request_id: string, grants?: readonly Grant[]): Promise<Response>
}

/** Files that the owner brings in the browser. They are kept until they are imported, or for a day. */
export interface FileImports {
  /** Keeps a file, or a folder of files, and returns the name it is asked for by; null if there was none. */
  receive(files: AsyncIterable<{ path: string; bytes: AsyncIterable<Uint8Array> }>): Promise<string | null>
  /** What the file is and what importing it would do. It writes nothing. */
  preview(upload_id: string): Promise<ImportPreview>
  /** Starts to import it, and returns once the first of its parts has begun; everything continues by itself. */
  start(
    upload_id: string,
    name: string | null,
  ): Promise<{ import_id: string; connection_id: string; parts: number }>
  drop(upload_id: string): Promise<void>
}

export interface ImportPreview {
  filename: string
  /** The formats that will be imported: what each is called, and how many items it seems to hold. */
  formats: { label: string; items: number; exact: boolean }[]
  /** What is in the file and will not be imported. */
  skipped: string[]
  /** The usual name of the new source. */
  name: string
  counts: { seen: number; added: number; rejected: number }
  /** False when the file was too long to look at all of it. */
  complete: boolean
  rejections: { place: string; code: string; message: string }[]
  /** A few of its records. */
  sample: { stream: string; data: JsonObject }[]
}

/** What the owner can set in the browser. */
export interface OwnerSettings {
  read(): OwnerSetting[]
  /** Keeps a value; what cannot be one is thrown as an error. */
  change(name: OwnerSetting['name'], value: string): Promise<void>
}

export interface OwnerSetting {
  name: 'time-zone' | 'public-url' | 'ledger-queries'
  /** What holds now. */
  value: string
  /** What the file of settings says; null if nothing. */
  kept: string | null
  /** The flag or the variable that decides in spite of the file. */
  fixed: string | null
}

export interface Session {
  /** Goes into every form as the field `csrf`. */
  csrf: string
}
