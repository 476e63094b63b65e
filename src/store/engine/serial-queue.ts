/** Runs asynchronous work strictly one after the other. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()
  #length = 0

  get isEmpty(): boolean {
    return this.#length === 0
  }

  add<T>(work: () => Promise<T>): Promise<T> {
    this.#length++
    const result = this.#last.then(work).finally(() => {
      this.#length--
    })
    this.#last = result.catch(() => {})
    return result
  }
}
