import { DIACRITICS, foldDecomposed } from './fold.ts'

/** Characters that compose with the character before them or are reordered with its marks. */
export const TAIL = new RegExp(
  `^[\\p{M}${DIACRITICS}\\u1161-\\u1175\\u11a8-\\u11c2\\u{16d67}\\u{16d68}]`,
  'u',
)
const TAILS = new RegExp(`${TAIL.source.slice(1)}*`, 'uy')

const MOST_KNOWN = 10_000
const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code).toLowerCase())

/**
 * Splits into clusters. A cluster is a character with the marks or jamo after it; nothing composes or is reordered
 * across clusters.
 */
export function splitClusters(characters: Iterable<string>): string[][] {
  const clusters: string[][] = []
  for (const character of characters) {
    const last = clusters.at(-1)
    if (last && TAIL.test(character)) last.push(character)
    else clusters.push([character])
  }
  return clusters
}

/** Either where a match starts, or the earliest place where the next one can start. */
type Followed = { match: number } | { next: number }

/**
 * Finds a sequence of folded clusters in a text without reading any part of the text twice (Knuth, Morris and Pratt),
 * so a text that almost matches everywhere costs no more than any other.
 */
export class ClusterAutomaton {
  readonly #wanted: readonly string[]
  /** For each number of matched clusters, how many still match when the next one does not. */
  readonly #fallback: Int32Array
  readonly #known = new Map<string, readonly string[]>()

  constructor(clusters: readonly string[][]) {
    this.#wanted = clusters.map(cluster => cluster.join(''))
    this.#fallback = new Int32Array(clusters.length + 1)
    for (let i = 1, length = 0; i < this.#wanted.length; i++) {
      length = this.#advance(length, this.#wanted[i] ?? '')
      this.#fallback[i + 1] = length
    }
  }

  /** Reads from a place where a match may start, until there is a match or none can have begun. */
  follow(text: string, from: number): Followed {
    const starts: number[] = []
    let matched = 0
    for (let at = from; at < text.length; ) {
      const end = clusterEnd(text, at)
      for (const cluster of this.#fold(text, at, end)) {
        starts.push(at)
        matched = this.#advance(matched, cluster)
        if (matched === this.#wanted.length) return { match: starts[starts.length - matched] ?? from }
      }
      at = end
      if (matched === 0) return { next: at }
    }
    return { next: text.length }
  }

  #advance(matched: number, cluster: string): number {
    let length = matched
    while (length > 0 && this.#wanted[length] !== cluster) length = this.#fallback[length] ?? 0
    return this.#wanted[length] === cluster ? length + 1 : length
  }

  #fold(text: string, start: number, end: number): readonly string[] {
    const code = text.charCodeAt(start)
    if (end - start === 1 && code < 128) return ASCII_CLUSTERS[code] ?? []
    const written = text.slice(start, end)
    const known = this.#known.get(written)
    if (known) return known
    const folded = splitClusters(foldDecomposed(written)).map(cluster => cluster.join(''))
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(written, folded)
    return folded
  }
}

const ASCII_CLUSTERS = ASCII.map(character => [character])

function clusterEnd(text: string, start: number): number {
  const next = start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1)
  if (!(text.charCodeAt(next) >= 0x300)) return next
  TAILS.lastIndex = next
  TAILS.test(text)
  return TAILS.lastIndex
}
