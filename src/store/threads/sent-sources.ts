import type { Source } from '../../model/access/enforce.ts'

// A source contains the declaration of its stream, and never changes. Copying all sources of an access for each search
// took longer than the rest of the call, so each is sent to a thread once, and named by a number afterwards.

/** When this many are known, the next call sends its sources again: those of accesses that have ended are forgotten. */
const MOST_KNOWN = 256

/** Arguments with numbers in place of sources. */
export interface Packed {
  args: unknown
  /** The sources that the thread does not know yet, with the number of the first. */
  added: Source[]
  from: number
}

interface Numbered {
  source_no: number
}

/** The calling side. */
export class SentSources {
  readonly #numbers = new Map<Source, number>()

  pack(args: unknown): Packed {
    if (this.#numbers.size >= MOST_KNOWN) this.#numbers.clear()
    const from = this.#numbers.size
    const added: Source[] = []
    const numbered = (value: object): Numbered | undefined => {
      if (!isSource(value)) return undefined
      const known = this.#numbers.get(value)
      const source_no = known ?? this.#numbers.size
      if (known === undefined) {
        this.#numbers.set(value, source_no)
        added.push(value)
      }
      return { source_no }
    }
    return { args: replaced(args, numbered), added, from }
  }
}

/** The side of the thread. Calls must be unpacked in the order in which they were packed. */
export class ReceivedSources {
  readonly #sources: Source[] = []

  unpack({ args, added, from }: Packed): unknown {
    this.#sources.splice(from, Number.POSITIVE_INFINITY, ...added)
    return replaced(args, value =>
      'source_no' in value ? this.#sources[Number(value.source_no)] : undefined,
    )
  }
}

function isSource(value: object): value is Source {
  return 'clauses' in value && 'stream' in value && 'connection_id' in value
}

/** A copy of plain data in which some objects are replaced by others. */
function replaced(value: unknown, by: (value: object) => object | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    // Long lists contain numbers or texts.
    return typeof value[0] === 'object' ? value.map(each => replaced(each, by)) : value
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const other = by(value)
  if (other) return other
  const copy: Record<string, unknown> = {}
  for (const name in value) copy[name] = replaced((value as Record<string, unknown>)[name], by)
  return copy
}
