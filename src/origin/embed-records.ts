import type { Vector } from '../model/search/meaning.ts'
import { readCatalog } from '../store/records/catalog.ts'
import { type MeaningTarget, meaningTargets, nextTexts } from '../store/search/meaning/texts.ts'
import type { Store } from '../store/store.ts'

/** Records that are processed at once: few, so that little is lost when the work is interrupted. */
const RECORDS_AT_ONCE = 32

/**
 * Computes a vector for every record whose vector is missing or out of date, a few at a time. Finished vectors are
 * stored, so the work resumes where it stopped.
 */
export async function embedRecords(
  store: Store,
  model: { embed(text: string): Promise<Vector> },
  goesOn: () => boolean,
): Promise<void> {
  const { database, owner_id } = store
  const targets = await meaningTargets(database, owner_id, await readCatalog(database, owner_id))
  for (const target of targets) {
    let next: MeaningTarget | null = target
    while (next && goesOn()) next = await embedSome(store, model, next)
  }
}

async function embedSome(
  { database, writer }: Store,
  model: { embed(text: string): Promise<Vector> },
  target: MeaningTarget,
): Promise<MeaningTarget | null> {
  const found = await nextTexts(database, target, RECORDS_AT_ONCE)
  if (!found) return null
  const { texts, emptied, done_to } = found
  const before = performance.now()
  const vectors = await Promise.all(
    texts.map(async ({ row_id, digest, text }) => ({ row_id, digest, vector: await model.embed(text) })),
  )
  const progress = {
    ...target.progress,
    done_to,
    made: target.progress.made + vectors.length,
    spent_ms: target.progress.spent_ms + Math.round(performance.now() - before),
  }
  await writer.call('keepVectors', { progress, vectors, emptied })
  return { ...target, progress }
}
