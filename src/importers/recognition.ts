import { CodedError } from '../model/errors.ts'
import type { Finding, Importer, Lookalike } from './importer.ts'
import type { Kind } from './kinds.ts'
import { headOf } from './reading/head.ts'
import type { Source, SourceFile } from './source/source.ts'

export function isLookalike(found: Finding | Lookalike | null): found is Lookalike {
  return found !== null && 'lookalike' in found
}

export interface Recognised {
  importer: Importer
  finding: Finding
}

/** The contents of a source by format. */
export interface Recognition {
  /** The format with the most items comes first. */
  found: Recognised[]
  /** Why files that resemble a format cannot be imported. */
  lookalikes: string[]
  /** Files that belong to no format, grouped by kind; the largest group comes first. */
  left: { kind: Kind; files: SourceFile[] }[]
}

/**
 * Asks the importers whose signs the files have, stage by stage. Later stages see only the files that earlier ones did
 * not recognise. The stage for tables of any shape does not see files of a known kind: an unsupported chat is not a
 * table.
 */
export async function recognise(given: Source, importers: readonly Importer[]): Promise<Recognition> {
  const damaged = new Set<SourceFile>()
  const source = { ...given, files: given.files.map(file => watched(file, damaged)) }
  const found: Recognised[] = []
  const lookalikes: string[] = []
  const taken = new Set<SourceFile>()
  const keptBack = new Set<SourceFile>()
  const kinds = new Map<SourceFile, Kind>()
  // Most exports leave no file that has to be described.
  const kindOf = async (file: SourceFile) =>
    (await import('./kinds.ts')).kindOf(file, source, damaged.has(file))
  for (const stage of ['export', 'files', 'any', 'document'] as const) {
    let files = source.files.filter(file => !taken.has(file) && !keptBack.has(file))
    if (stage === 'any') {
      for (const file of files) kinds.set(file, await kindOf(file))
      files = files.filter(file => !kinds.get(file)?.isCertain)
    }
    const seen = { ...source, files }
    const asked = importers.filter(each => (each.stage ?? 'export') === stage)
    for (const [importer, signed] of await withSigns(files, asked)) {
      const finding = await answerOf(importer, signed, seen, damaged)
      if (isLookalike(finding)) {
        lookalikes.push(finding.lookalike)
        for (const file of finding.files) keptBack.add(file)
      } else if (finding) {
        found.push({ importer, finding })
        for (const file of finding.files) taken.add(file)
      }
    }
  }
  const left = new Map<string, { kind: Kind; files: SourceFile[] }>()
  for (const file of source.files) {
    if (taken.has(file)) continue
    const kind = (damaged.has(file) ? null : kinds.get(file)) ?? (await kindOf(file))
    const group = left.get(kind.many) ?? { kind, files: [] }
    group.files.push(file)
    left.set(kind.many, group)
  }
  return {
    found: found.toSorted((a, b) => b.finding.items - a.finding.items),
    lookalikes,
    left: [...left.values()].sort((a, b) => b.files.length - a.files.length),
  }
}

/** The same file; it is noted if it turns out that it cannot be read. */
function watched(file: SourceFile, damaged: Set<SourceFile>): SourceFile {
  const noted: SourceFile = {
    ...file,
    async *open(start) {
      try {
        yield* file.open(start)
      } catch (error) {
        damaged.add(noted)
        throw error
      }
    },
  }
  return noted
}

/** What one importer finds in a source. */
export async function findIn(importer: Importer, source: Source): Promise<Finding | Lookalike | null> {
  const [signed] = (await withSigns(source.files, [importer])).values()
  return signed ? answerOf(importer, signed, source, new Set()) : null
}

/** The importers whose sign a file has, with those files. */
async function withSigns(
  files: readonly SourceFile[],
  importers: readonly Importer[],
): Promise<Map<Importer, SourceFile[]>> {
  const signed = new Map(importers.map(importer => [importer, [] as SourceFile[]]))
  for (const file of files) {
    const head = (await headOf(file)) ?? { path: file.path, bytes: '', text: '' }
    for (const [importer, own] of signed) if (importer.sign(head)) own.push(file)
  }
  return new Map([...signed].filter(([, own]) => own.length > 0))
}

/** What an importer finds in the files that can be read: a damaged file must not keep the others from being imported. */
async function answerOf(
  importer: Importer,
  signed: readonly SourceFile[],
  source: Source,
  damaged: ReadonlySet<SourceFile>,
): Promise<Finding | Lookalike | null> {
  const isSound = (file: SourceFile) => !damaged.has(file)
  const own = signed.filter(isSound)
  if (own.length === 0) return null
  const { recognise } = await importer.load()
  // The formats of mail share what they find out about one source.
  const sound = source.files.every(isSound) ? source : { ...source, files: source.files.filter(isSound) }
  try {
    return await recognise(own, sound, importer.format)
  } catch (error) {
    const isNew = sound.files.some(file => damaged.has(file))
    if (!(error instanceof CodedError) || !isNew || sound.files.length === 1) throw error
    return answerOf(importer, signed, source, damaged)
  }
}
