import { type PlainData, type PlainGrant, type PlainSource, visibleNames } from './brute-force-grant.ts'
import type { Random } from './random.ts'
import { FIELDS, randomRecord } from './twin-world.ts'

/** What both stores have of a record; null means nothing. */
interface Twins {
  plain: PlainData | null
  secret: PlainData | null
}

/** Lines for both stores. */
interface TwinLines {
  plain: object[]
  secret: object[]
}

const TRIES = 20

/** Makes changes after which two stores show the same to a client with these grants, and hide different things. */
export class TwinChanges {
  readonly #random: Random
  readonly #grants: PlainGrant[]
  readonly #records = new Map<string, Twins>()
  #changes = 0

  constructor(random: Random, grants: PlainGrant[]) {
    this.#random = random
    this.#grants = grants
  }

  /** Changes of records of a source, one after the other. */
  lines(source: PlainSource, ids: readonly string[]): TwinLines {
    const lines: TwinLines = { plain: [], secret: [] }
    for (const id of ids) {
      const key = JSON.stringify([source.connection, source.stream, id])
      const before = this.#records.get(key) ?? { plain: null, secret: null }
      const after = this.#change(source, id, before)
      this.#records.set(key, after)
      const emitted_at = new Date(Date.parse('2026-04-01') + this.#changes++ * 1_000).toISOString()
      for (const side of ['plain', 'secret'] as const) {
        const data = after[side]
        if (data && data !== before[side]) lines[side].push({ data, emitted_at })
        else if (!data && before[side]) lines[side].push({ op: 'delete', key: id, emitted_at })
      }
    }
    return lines
  }

  #change(source: PlainSource, id: string, { plain, secret }: Twins): Twins {
    const random = this.#random
    const wasVisible = this.#visible(source, plain).length > 0
    if (plain && wasVisible && random.chance(0.2)) return { plain, secret: this.#twin(source, plain) }
    if (wasVisible && random.chance(0.1)) return { plain: null, secret: null }
    const fresh = randomRecord(random, id)
    const field = random.pick(FIELDS.slice(1))
    const next = plain && random.chance(0.4) ? inOrder({ ...plain, [field]: fresh[field] ?? null }) : fresh
    if (this.#visible(source, next).length > 0) return { plain: next, secret: this.#twin(source, next) }
    if (wasVisible) return { plain: next, secret: this.#hidden(source, id) ?? next }
    const isGone = secret !== null && random.chance(0.3)
    return {
      plain: random.chance(0.5) ? next : plain,
      secret: isGone ? null : (this.#hidden(source, id) ?? secret),
    }
  }

  /** The fields that the client can see of a record; empty if it is hidden. */
  #visible(source: PlainSource, data: PlainData | null): string[] {
    return (data && visibleNames(this.#grants, source, String(data.id), data)) ?? []
  }

  /** A record that looks the same to the client. */
  #twin(source: PlainSource, data: PlainData): PlainData {
    const id = String(data.id)
    const visible = new Set(this.#visible(source, data))
    for (let no = 0; no < TRIES; no++) {
      const other = randomRecord(this.#random, id)
      for (const field of visible)
        if (field in data) other[field] = data[field]
        else delete other[field]
      if (visible.symmetricDifference(new Set(this.#visible(source, other))).size === 0) return inOrder(other)
    }
    return data
  }

  #hidden(source: PlainSource, id: string): PlainData | null {
    for (let no = 0; no < TRIES; no++) {
      const data = randomRecord(this.#random, id)
      if (this.#visible(source, data).length === 0) return data
    }
    return null
  }
}

function inOrder(data: PlainData): PlainData {
  return Object.fromEntries(FIELDS.flatMap(field => (field in data ? [[field, data[field]]] : [])))
}
