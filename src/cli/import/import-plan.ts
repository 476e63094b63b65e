import { createHash } from 'node:crypto'
import { type Finding, type Importer, isLookalike } from '../../importers/importer.ts'
import { IMPORTERS } from '../../importers/importers.ts'
import type { Source } from '../../importers/source/source.ts'
import { CodedError } from '../../model/errors.ts'

/** What will be imported of a source, and what will not. */
export interface Plan {
  importer: Importer
  finding: Finding
  /** Other formats that were found; they have fewer items. */
  skipped: { importer: Importer; finding: Finding }[]
  /** How many files no format took. */
  filesLeft: number
}

/** Asks every importer, or the one that was named, and chooses the format with most items. */
export async function planOf(
  source: Source,
  format: string | undefined,
  all: readonly Importer[] = IMPORTERS,
): Promise<Plan> {
  const importers = format === undefined ? all : all.filter(each => each.format === format)
  const found: { importer: Importer; finding: Finding }[] = []
  const reasons: string[] = []
  for (const importer of importers) {
    const finding = await importer.recognise(source)
    if (isLookalike(finding)) reasons.push(finding.lookalike)
    else if (finding) found.push({ importer, finding })
  }
  const [best, ...skipped] = found.toSorted((a, b) => b.finding.items - a.finding.items)
  if (!best) throw notRecognised(source, format, reasons)
  const taken = new Set(found.flatMap(({ finding }) => finding.files.map(file => file.path)))
  return { ...best, skipped, filesLeft: source.files.length - taken.size }
}

function notRecognised(source: Source, format: string | undefined, reasons: string[]): CodedError {
  const what = format === undefined ? 'anything that can be imported' : `the format ${format}`
  const files = source.files.length === 1 ? 'one file' : `${source.files.length} files`
  const left = source.leftOut.slice(0, 3).map(({ path, message }) => `${path}: ${message}`)
  const looked = [`${source.path} does not hold ${what} (${files} looked at).`, ...reasons, ...left]
  return new CodedError('format_not_recognised', looked.join(' '), { reasons })
}

/** What the same content has in common wherever it lies, and what changes when its files are written again. */
export async function printsOf(
  source: Source,
  finding: Finding,
): Promise<{ fingerprint: string; stamp: string }> {
  const content = createHash('sha256')
  const written = createHash('sha256')
  const alone = source.kind === 'file' || source.kind === 'gzip'
  for (const { path, size, modified_at } of finding.files) {
    content.update(`${alone ? '' : path}\n${size}\n`)
    written.update(`${modified_at}\n`)
  }
  for (const file of finding.files.slice(0, 3)) content.update(await file.head().catch(() => ''))
  return { fingerprint: content.digest('base64url'), stamp: written.digest('base64url') }
}
