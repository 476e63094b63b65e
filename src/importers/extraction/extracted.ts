import type { Pages } from '../../model/reading/pages.ts'

/** The text of a document and its metadata. */
export interface Extracted {
  kind: DocumentKind
  text: string
  /** Null if the document has no parts, or does not record where they begin. */
  pages: Pages | null
  title: string | null
  author: string | null
  created_at: string | null
  /** Why the text of its pictures was not recognised, although text recognition is on. */
  problem?: Unreadable
}

export type DocumentKind =
  | 'PDF'
  | 'Word document'
  | 'presentation'
  | 'workbook'
  | 'OpenDocument text'
  | 'e-book'
  | 'rich text'
  | 'picture'

/** The worker sends this before it recognises the text of a picture, which has its own time limit. */
export const RECOGNISING = 'recognising'

/** A document whose text cannot be read, and why. */
export class Unreadable extends Error {
  readonly code: UnreadableCode

  constructor(code: UnreadableCode, message: string) {
    super(message)
    this.code = code
  }
}

/** The reasons why a document can be rejected. */
export const UNREADABLE = {
  broken: { code: 'broken_document' },
  encrypted: { code: 'encrypted_document' },
  unsafe: { code: 'unsafe_document' },
  tooLong: { code: 'text_too_long' },
  tooSlow: { code: 'took_too_long' },
  tooMuchMemory: { code: 'took_too_much_memory' },
} as const
export type UnreadableCode = (typeof UNREADABLE)[keyof typeof UNREADABLE]['code']

export function broken(reason: string): Unreadable {
  return new Unreadable(UNREADABLE.broken.code, `The document is broken: ${reason}.`)
}
