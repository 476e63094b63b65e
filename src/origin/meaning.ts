import { setTimeout as sleep } from 'node:timers/promises'
import { isMeaningOn, meaningFolder } from '../meaning/folder.ts'
import type { ModelProcess } from '../meaning/model-process.ts'
import type { QueryMeaning } from '../model/search/meaning.ts'
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
    const { embedRecords } = await import('./embed-records.ts')
    await embedRecords(store, this.#model, isOn)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#model?.[Symbol.dispose]()
    await this.#working
  }
}
