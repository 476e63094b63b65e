/** Fields of one or more records of a stream that a response showed or was computed from. */
export interface Shown {
  connection_id: string
  stream: string
  /** Empty if the response was about the stream as a whole, such as a count or a search. */
  record_ids: string[]
  fields: string[]
  /** Code-point ranges of the texts that were shown in part, by their path. */
  ranges?: Record<string, [start: number, end: number][]>
}

/** The parts of texts that were shown, without overlaps. */
export function passagesOf({ ranges = {} }: Shown): { path: string; start: number; end: number }[] {
  const joined: { path: string; start: number; end: number }[] = []
  for (const path of Object.keys(ranges)) {
    const all = ranges[path] ?? []
    // Most texts were shown in one part, and a page adds up thousands of them.
    const sorted = all.length < 2 ? all : all.toSorted(([a], [b]) => a - b)
    for (const [start, end] of sorted) {
      const last = joined.at(-1)
      if (last?.path === path && start <= last.end) last.end = Math.max(last.end, end)
      else joined.push({ path, start, end })
    }
  }
  return joined
}
