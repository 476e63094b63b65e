import { CodedError } from '../model/errors.ts'
import { type Finding, type Importer, isLookalike, type Lookalike } from './importer.ts'
import { type Kind, kindOf, UNREADABLE } from './kinds.ts'
import type { Source, SourceFile } from './source/source.ts'

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
 * Asks every importer, stage by stage. Later stages see only the files that earlier ones did not recognise. The stage
 * for tables of any shape does not see files of a known kind: an unsupported chat is not a table.
 */
export async function recognise(given: Source, importers: readonly Importer[]): Promise<Recognition> {
  const damaged = new Set<SourceFile>()
  const source = { ...given, files: given.files.map(file => watched(file, damaged)) }
  const found: Recognised[] = []
  const lookalikes: string[] = []
  const taken = new Set<SourceFile>()
  const keptBack = new Set<SourceFile>()
  const kinds = new Map<SourceFile, Kind>()
  for (const stage of ['export', 'files', 'any', 'document'] as const) {
    let files = source.files.filter(file => !taken.has(file) && !keptBack.has(file))
    if (stage === 'any') {
      for (const file of files) kinds.set(file, await kindOf(file, source))
      files = files.filter(file => !kinds.get(file)?.isCertain)
    }
    const seen = { ...source, files }
    for (const importer of importers.filter(each => each.stage === stage)) {
      const finding = await answerOf(importer, seen, damaged)
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
    const kind = damaged.has(file) ? UNREADABLE : (kinds.get(file) ?? (await kindOf(file, source)))
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

/** What an importer finds in the files that can be read: a damaged file must not keep the others from being imported. */
async function answerOf(
  importer: Importer,
  source: Source,
  damaged: ReadonlySet<SourceFile>,
): Promise<Finding | Lookalike | null> {
  const files = source.files.filter(file => !damaged.has(file))
  try {
    return await importer.recognise({ ...source, files })
  } catch (error) {
    const isNew = files.some(file => damaged.has(file))
    if (!(error instanceof CodedError) || !isNew || files.length === 1) throw error
    return answerOf(importer, source, damaged)
  }
}
