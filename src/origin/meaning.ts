import { setTimeout as sleep } from 'node:timers/promises'
import { isMeaningOn, meaningFolder } from '../meaning/folder.ts'
import type { ModelProcess } from '../meaning/model-process.ts'
import type { QueryMeaning, Vector } from '../model/search/meaning.ts'
import { readCatalog } from '../store/records/catalog.ts'
import { type MeaningTarget, meaningTargets, nextTexts } from '../store/search/meaning/texts.ts'
import type { Store } from '../store/store.ts'

const LOOK_MS = 5_000

export interface MeaningOptions {
  store: Store
  directory: string
  /** The script to run in the model's process, if not the model. */
  script?: string
  /** How long a query waits for it. */
  patienceMs?: number
  /** How often it checks for work. */
  lookMs?: number
  report: (error: unknown) => void
}

/**
 * Runs the model while meaning is on: it answers queries and computes vectors of records in the background. While
 * meaning is off, nothing is loaded; it only checks from time to time whether a file exists.
 */
export class Meaning implements AsyncDisposable {
  readonly #options: MeaningOptions
  readonly #stop = new AbortController()
  readonly #working: Promise<void>
  #model: ModelProcess | null = null

  constructor(options: MeaningOptions) {
    this.#options = options
    this.#working = this.#work()
  }

  /** The meaning of a query; null while meaning is off. */
  async ask(query: string): Promise<QueryMeaning | null> {
    return this.#model && query !== '' ? this.#model.ask(query) : null
  }

  async #work(): Promise<void> {
    const { lookMs = LOOK_MS, report } = this.#options
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        await this.#look()
      } catch (error) {
        if (!signal.aborted) report(error)
      }
      await sleep(lookMs, undefined, { signal, ref: false }).catch(() => {})
    }
    this.#model?.[Symbol.dispose]()
  }

  async #look(): Promise<void> {
    const { directory, store, script, patienceMs, report } = this.#options
    const isOn = () => !this.#stop.signal.aborted && isMeaningOn(directory)
    if (!isOn()) {
      this.#model?.[Symbol.dispose]()
      this.#model = null
      return
    }
    if (!this.#model) {
      const { ModelProcess } = await import('../meaning/model-process.ts')
      this.#model = new ModelProcess({
        folder: meaningFolder(directory),
        report,
        ...(script !== undefined && { script }),
        ...(patienceMs !== undefined && { patienceMs }),
      })
    }
    await embedRecords(store, this.#model, isOn)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#model?.[Symbol.dispose]()
    await this.#working
  }
}

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
