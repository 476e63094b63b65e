import { KNOWN_KINDS } from './known-kinds.ts'
import { headOf } from './reading/head.ts'
import type { Source, SourceFile } from './source/source.ts'

/** The description of a file that no importer reads. */
export interface Kind {
  /** Follows "This looks like": `a picture`. */
  one: string
  /** Follows a number: `pictures`. */
  many: string
  /** What the owner can do, or that nothing can be done yet. */
  advice: string
  /** Whether the content proves it. Only then is the file hidden from importers that read any table. */
  isCertain: boolean
}

const HIDDEN: Kind = {
  one: 'a hidden file',
  many: 'hidden files',
  advice: 'Files and folders whose names begin with a dot are not imported.',
  isCertain: false,
}
const EMPTY: Kind = {
  one: 'an empty file',
  many: 'empty files',
  advice: 'There is nothing to import.',
  isCertain: false,
}
const TEXT: Kind = {
  one: 'a plain text file',
  many: 'plain text files',
  advice: 'Plain text is only imported from files that end with .txt, .md or .html.',
  isCertain: false,
}
const JSON_TEXT: Kind = {
  one: 'a JSON file',
  many: 'JSON files',
  advice: 'Tables are lists of objects; this is not one.',
  isCertain: false,
}
const JSON_OBJECT: Kind = {
  one: 'a JSON file with settings or program data',
  many: 'JSON files with settings or program data',
  advice: 'It is not a list of records.',
  isCertain: false,
}
const UNREADABLE: Kind = {
  one: 'a file that cannot be read',
  many: 'files that cannot be read',
  advice: 'Check its permissions, and whether the disk or the archive is damaged.',
  isCertain: true,
}
const UNKNOWN: Kind = {
  one: 'a file of an unknown kind',
  many: 'files of an unknown kind',
  advice: '“What you can import”, on the import page of the console, names every format.',
  isCertain: false,
}

/** Describes a file that no importer reads, or that turned out to be damaged. */
export async function kindOf(file: SourceFile, source: Source, isDamaged: boolean): Promise<Kind> {
  if (isDamaged) return UNREADABLE
  if (/(^|\/)\./.test(file.path)) return HIDDEN
  if (file.size === 0) return EMPTY
  const head = await headOf(file)
  if (head === null) return UNREADABLE
  const known = KNOWN_KINDS.find(({ matches }) => matches(head))
  if (known) {
    const { one, many, advice } = known
    return { one, many, advice: advice === '' ? adviceOnArchive(source) : advice, isCertain: true }
  }
  if (head.text === '') return UNKNOWN
  if (/^\s*\{\s*["}]/.test(head.text)) return JSON_OBJECT
  return /^\s*\[\s*["{[\]]/.test(head.text) ? JSON_TEXT : TEXT
}

function adviceOnArchive({ kind }: Source): string {
  return kind === 'folder' || kind === 'file'
    ? 'Import an archive by its own path.'
    : 'Unpack the outer archive and import an inner one by its own path.'
}
