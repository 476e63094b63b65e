import { nameIn } from '../reading/attached-files.ts'
import type { Source, SourceFile } from '../source/source.ts'
import { isNote, isView } from './note-names.ts'

export interface Vault {
  notes: SourceFile[]
  /** Resolves a link as Obsidian does: relative to the note, from the root, or anywhere by its name. */
  find(target: string, note: SourceFile): SourceFile | null
  /** The path inside the vault. */
  pathOf(file: SourceFile): string
  /** The modification time of the file, if it is plausibly when the note was written. */
  writtenAt(file: SourceFile): string | null
  /** The owner's zone, for times that a note gives none. */
  timeZone: string | undefined
}

/**
 * The notes of a source. Folders that begin with a dot are skipped: they contain settings, caches and deleted files.
 */
export function vaultOf(source: Source): Vault {
  const root = rootOf(source)
  const inside = source.files.filter(
    ({ path }) => path.startsWith(root) && !/(^|\/)\./.test(path.slice(root.length)),
  )
  const pathOf = ({ path }: SourceFile) => path.slice(root.length).normalize('NFC')
  const byPath = new Map<string, SourceFile>()
  const byName = new Map<string, SourceFile>()
  for (const file of inside) {
    const path = pathOf(file).toLowerCase()
    byPath.set(path, file)
    const name = nameIn(path)
    if (!byName.has(name)) byName.set(name, file)
  }
  const find = (target: string, note: SourceFile): SourceFile | null => {
    const folder = pathOf(note).replace(/[^/]*$/, '')
    if (isView(target)) return null
    for (const wanted of [target, `${target}.md`]) {
      const plain = wanted.normalize('NFC').toLowerCase()
      const beside = joined(folder.toLowerCase(), plain)
      const found =
        (beside === null ? undefined : byPath.get(beside)) ?? byPath.get(plain.replace(/^\/+/, ''))
      const named = found ?? byName.get(nameIn(plain))
      if (named) return named
    }
    return null
  }
  const notes = inside.filter(({ path }) => isNote(path))
  return { notes, find, pathOf, writtenAt: writtenTimes(notes), timeZone: source.timeZone }
}

/** A minute in which many notes were changed is when the folder was copied, not when they were written. */
function writtenTimes(notes: readonly SourceFile[]): (file: SourceFile) => string | null {
  const minuteOf = ({ modified_at }: SourceFile) => modified_at?.slice(0, 16) ?? ''
  const crowds = new Map<string, number>()
  for (const note of notes) crowds.set(minuteOf(note), (crowds.get(minuteOf(note)) ?? 0) + 1)
  const crowd = Math.max(5, notes.length / 10)
  return file => ((crowds.get(minuteOf(file)) ?? 0) < crowd ? file.modified_at : null)
}

/** The root of the vault: the folder with `.obsidian`, or the only top folder of an archive. */
function rootOf(source: Source): string {
  const settings = source.files
    .map(({ path }) => /^((?:[^/]+\/)*?)\.obsidian\//.exec(path)?.[1])
    .filter(root => root !== undefined)
  if (settings.length > 0 && new Set(settings).size === 1) return settings[0] ?? ''
  if (source.kind === 'folder' || source.kind === 'file') return ''
  const [top = ''] = source.files[0]?.path.split('/') ?? []
  return top !== '' && source.files.every(({ path }) => path.startsWith(`${top}/`)) ? `${top}/` : ''
}

function joined(folder: string, target: string): string | null {
  const parts = folder.split('/').filter(part => part !== '')
  for (const part of target.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return null
    } else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}
