import type { Pages } from '../../model/reading/window.ts'

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

type DocumentKind =
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
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export function broken(reason: string): Unreadable {
  return new Unreadable('broken_document', `The document is broken: ${reason}.`)
}
