/** Something that is opened when it is first needed. If that fails, it is tried again when it is next needed. */
export class OpenedOnce<T> {
  readonly #open: () => Promise<T>
  #opened: Promise<T> | null = null

  constructor(open: () => Promise<T>) {
    this.#open = open
  }

  /** Null if it was never needed. */
  get opened(): Promise<T> | null {
    return this.#opened
  }

  get(): Promise<T> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = null
      throw error
    })
    return this.#opened
  }
}
