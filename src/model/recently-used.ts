/** Values by key, of which only the most recently used are kept. */
export class RecentlyUsed<Value> {
  readonly #values = new Map<string, Value>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#values.size
  }

  /** The value of a key, if it is known. This does not count as a use. */
  known(key: string): Value | undefined {
    return this.#values.get(key)
  }

  /** Sets the value of a key and removes the least recently used one beyond the limit. */
  set(key: string, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size <= this.#most) return
    const [oldest] = this.#values.keys()
    if (oldest !== undefined) this.#values.delete(oldest)
  }

  /** The value of a key; created if it is missing. The limit is kept by `takeExcess`. */
  get(key: string, make: () => Value): Value {
    const known = this.#values.get(key)
    const value = known ?? make()
    if (known !== undefined) this.#values.delete(key)
    this.#values.set(key, value)
    return value
  }

  /** Removes and returns the values beyond the limit, least recently used first. */
  takeExcess(): Value[] {
    if (this.#values.size <= this.#most) return []
    const excess: Value[] = []
    for (const [key, value] of this.#values) {
      if (this.#values.size <= this.#most) break
      this.#values.delete(key)
      excess.push(value)
    }
    return excess
  }

  delete(key: string): void {
    this.#values.delete(key)
  }

  clear(): void {
    this.#values.clear()
  }
}
