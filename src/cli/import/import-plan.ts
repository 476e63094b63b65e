import { createHash } from 'node:crypto'
import type { Finding, Importer } from '../../importers/importer.ts'
import { IMPORTERS } from '../../importers/importers.ts'
import {
  findIn,
  isLookalike,
  type Recognised,
  type Recognition,
  recognise,
} from '../../importers/recognition.ts'
import type { Source } from '../../importers/source/source.ts'
import { isTakeoutIndex } from '../../importers/source/telling-name.ts'
import { counted, number } from '../../model/amounts.ts'
import { CodedError } from '../../model/errors.ts'

const KINDS_DESCRIBED = 5
/** The formats of documents that people write and keep in folders. */
const WRITTEN = ['markdown', 'documents']

/** What will be imported from a source, and what will not. */
export interface Plan extends Recognised {
  /** Other formats that were found. */
  skipped: Recognised[]
  /** Files that no format accepts, by what they look like. */
  left: Recognition['left']
  /** Files that cannot be read. They are reported with this plan. */
  leftOut: Source['leftOut']
}

/** Chooses the format with the most items, or the one that was named. */
export async function planOf(
  source: Source,
  format: string | undefined,
  all: readonly Importer[] = IMPORTERS,
): Promise<Plan> {
  const { leftOut } = source
  const { found, lookalikes, left } = await recognise(source, all)
  const best = format === undefined ? found[0] : found.find(({ importer }) => importer.format === format)
  if (best) return { ...best, skipped: found.filter(each => each !== best), left, leftOut }
  const named = all.find(importer => importer.format === format)
  const forced = named ? await findIn(named, source) : null
  if (named && forced && !isLookalike(forced))
    return { importer: named, finding: forced, skipped: [], left: [], leftOut }
  const others = found.map(({ importer }) => `It contains the format ${importer.format} (${importer.label}).`)
  throw notRecognised(source, [...others, ...lookalikes, ...descriptionOf(source, left)], format)
}

/**
 * An archive is one export, so every format in it is imported; the same applies to an unpacked Takeout. From any other
 * folder only the format with the most items is imported, except that notes and other documents belong together. If the
 * format or the connection was chosen, only `one` is imported; of files that were chosen one by one, and of a watched
 * folder, `all` are.
 */
export function partsOf(plan: Plan, { kind, files }: Source, wanted: 'one' | 'all' | null): Plan[] {
  if (wanted === 'one') return [plan]
  const isExport =
    wanted === 'all' || kind === 'zip' || kind === 'tar' || files.some(({ path }) => isTakeoutIndex(path))
  const isWritten = ({ importer }: Recognised) => WRITTEN.includes(importer.format)
  const along = plan.skipped.filter(part => isExport || (isWritten(plan) && isWritten(part)))
  const skipped = plan.skipped.filter(part => !along.includes(part))
  return [{ ...plan, skipped }, ...along.map(part => ({ ...part, skipped: [], left: [], leftOut: [] }))]
}

/** What the files that no format accepts look like, and what to do about them. */
function descriptionOf(source: Source, left: Recognition['left']): string[] {
  const [first] = left
  if (source.files.length + source.leftOut.length === 0) return ['It is empty.']
  if (!first) return []
  if (source.files.length === 1) return [`This looks like ${first.kind.one}. ${first.kind.advice}`]
  return leftLines(left)
}

/** A line for each kind of file that no format takes. */
export function leftLines(left: Recognition['left']): string[] {
  const lines = left.slice(0, KINDS_DESCRIBED).map(group => `${kindText(group)}. ${group.kind.advice}`)
  const more = left.slice(KINDS_DESCRIBED).reduce((sum, { files }) => sum + files.length, 0)
  return more === 0 ? lines : [...lines, `${counted(more, 'other file')}.`]
}

/** `187 pictures`, `1 picture` */
function kindText({ kind, files }: Recognition['left'][number]): string {
  return files.length === 1 ? kind.one.replace(/^an? /, '1 ') : `${number(files.length)} ${kind.many}`
}

function notRecognised(source: Source, reasons: string[], format?: string): CodedError {
  const what = format === undefined ? 'nothing that Footnote can import' : `nothing in the format ${format}`
  const left = source.leftOut.slice(0, 3).map(({ path, message }) => `${path}: ${message}`)
  const told = [...reasons, ...left]
  const text = [`${source.path} contains ${what}.`, ...told].join(told.length > 1 ? '\n  ' : ' ')
  return new CodedError('format_not_recognised', text, { reasons })
}

/** The fingerprint is the same for the same content in any place; the stamp changes when a file is written again. */
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
