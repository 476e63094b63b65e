import { type Description, KNOWN_KINDS } from './known-kinds.ts'
import { headOf } from './reading/head.ts'
import type { Source, SourceFile } from './source/source.ts'

export interface Kind extends Description {
  /** Whether the content proves it. Only then is the file hidden from importers that read any table. */
  isCertain: boolean
}

const HIDDEN = likely(
  'a hidden file',
  'hidden files',
  'Files and folders whose names begin with a dot are not imported.',
)
const EMPTY = likely('an empty file', 'empty files', 'There is nothing to import.')
const TEXT = likely(
  'a plain text file',
  'plain text files',
  'Plain text is only imported from files that end with .txt, .md or .html.',
)
const JSON_TEXT = likely('a JSON file', 'JSON files', 'Tables are lists of objects; this is not one.')
const JSON_OBJECT = likely(
  'a JSON file with settings or program data',
  'JSON files with settings or program data',
  'It is not a list of records.',
)
const UNREADABLE: Kind = {
  one: 'a file that cannot be read',
  many: 'files that cannot be read',
  advice: 'Check its permissions, and whether the disk or the archive is damaged.',
  isCertain: true,
}
const UNKNOWN = likely(
  'a file of an unknown kind',
  'files of an unknown kind',
  '“What you can import”, on the import page of the console, names every format.',
)

function likely(one: string, many: string, advice: string): Kind {
  return { one, many, advice, isCertain: false }
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
