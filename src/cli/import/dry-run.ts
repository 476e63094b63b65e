import { repeatCounter } from '../../importers/repeats.ts'
import type { Source } from '../../importers/source/source.ts'
import type { Plan } from './import-plan.ts'
import { MOST_REJECTIONS_LISTED, type Outcome } from './import-report.ts'
import type { Rejected } from './import-run.ts'

/**
 * Reads everything and writes nothing. It does not look into the store, so `added` is what would be added to an empty
 * store: a record that occurs again in the source is counted as unchanged.
 */
export async function dryRun(
  { finding, importer }: Plan,
  source: Source,
  show: (seen: number, done: number) => void,
): Promise<Outcome> {
  const rejections: Rejected[] = source.leftOut.map(({ path, code, message }) => ({
    place: path,
    code,
    message,
  }))
  const counts = { seen: rejections.length, added: 0, updated: 0, unchanged: 0, rejected: rejections.length }
  const timesBefore = repeatCounter()
  for await (const event of finding.read(null)) {
    if (event.kind === 'record') {
      counts.seen++
      if (timesBefore(`${event.stream} ${event.key}`) === 0) counts.added++
      else counts.unchanged++
    } else if (event.kind === 'rejection') {
      counts.seen++
      counts.rejected++
      const { place, code, message } = event
      if (rejections.length < MOST_REJECTIONS_LISTED) rejections.push({ place, code, message })
    } else if (event.kind === 'checkpoint') show(counts.seen, event.done)
  }
  const { format } = importer
  return { dry_run: true, import_id: null, connection_id: null, format, ...counts, rejections }
}
