import { readAttachments } from '../../importers/extraction/attachment-texts.ts'
import type { BlobEvent, ImportEvent } from '../../importers/importer.ts'
import { repeatCounter } from '../../importers/record-id.ts'
import { CodedError } from '../../model/errors.ts'
import type { Plan } from './import-plan.ts'
import { MOST_REJECTIONS_LISTED, type Outcome } from './import-report.ts'
import type { Counts, Rejected } from './import-run.ts'

/** Reads everything and writes nothing. */
export async function dryRun(
  { finding, importer, leftOut }: Plan,
  show: (seen: number, done: number) => void,
): Promise<Outcome> {
  const forecast = new Forecast(leftOut, MOST_REJECTIONS_LISTED)
  const { counts, rejections } = forecast
  for await (const event of readAttachments(finding.read(null), finding.declaration)) {
    forecast.take(event)
    if (event.kind === 'blob') await readToEnd(event)
    if (event.kind === 'checkpoint') show(counts.seen, event.done)
  }
  const { format } = importer
  return { dry_run: true, import_id: null, connection_id: null, format, ...counts, rejections }
}

/** The importer says which attached file cannot be read. */
async function readToEnd({ bytes }: BlobEvent): Promise<void> {
  if (bytes instanceof Uint8Array) return
  try {
    for await (const _ of bytes);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
  }
}

/**
 * What an import would do. It does not look into the store, so `added` is what would be added to an empty one: a record
 * that occurs again in the source is counted as unchanged.
 */
export class Forecast {
  readonly counts: Counts
  readonly rejections: Rejected[]
  readonly #mostRejections: number
  readonly #timesBefore = repeatCounter()

  constructor(leftOut: Plan['leftOut'], mostRejections: number) {
    const { length } = leftOut
    this.counts = { seen: length, added: 0, updated: 0, unchanged: 0, rejected: length }
    this.rejections = leftOut
      .slice(0, mostRejections)
      .map(({ path, code, message }) => ({ place: path, code, message }))
    this.#mostRejections = mostRejections
  }

  take(event: ImportEvent): void {
    if (event.kind === 'record') {
      this.counts.seen++
      if (this.#timesBefore(`${event.stream} ${event.key}`) === 0) this.counts.added++
      else this.counts.unchanged++
    } else if (event.kind === 'rejection') {
      this.counts.seen++
      this.counts.rejected++
      const { place, code, message } = event
      if (this.rejections.length < this.#mostRejections) this.rejections.push({ place, code, message })
    }
  }
}
