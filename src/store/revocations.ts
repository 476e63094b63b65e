import { CodedError } from '../model/errors.ts'

const RETRY_MS = 500

/** Ends grants so that this process refuses them immediately, even while their end cannot be stored. */
export class Revocations implements Disposable {
  readonly #unstored = new Map<string, () => Promise<unknown>>()
  #retry: NodeJS.Timeout | undefined

  get isEmpty(): boolean {
    return this.#unstored.size === 0
  }

  refuses(grant_id: string): boolean {
    return this.#unstored.has(grant_id)
  }

  /** Stores the end of the grants. If that fails, the grants stay refused and it is retried. */
  async end<T>(grant_ids: readonly string[], store: () => Promise<T>): Promise<T> {
    for (const grant_id of grant_ids) this.#unstored.set(grant_id, store)
    try {
      const result = await store()
      for (const grant_id of grant_ids) this.#unstored.delete(grant_id)
      return result
    } catch (error) {
      if (error instanceof CodedError && error.code !== 'service_unavailable')
        for (const grant_id of grant_ids) this.#unstored.delete(grant_id)
      else this.#tryLater()
      throw error
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#retry)
  }

  #tryLater(): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => {
      for (const [grant_id, store] of this.#unstored) this.end([grant_id], store).catch(() => {})
    }, RETRY_MS).unref()
  }
}
