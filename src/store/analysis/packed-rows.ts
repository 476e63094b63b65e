/** An index row as it is stored: its packed counts, and the words that find it (see `WordBytes`). */
export interface AnalysedRow {
  sections: string
  words: Uint8Array
}

/** The index rows of several records in a few large values, because many small ones are slow to pass to a thread. */
export interface PackedRows {
  sections: string
  words: Uint8Array<ArrayBuffer>
  /** Where the sections and the words of each row end. */
  sectionEnds: Int32Array
  wordEnds: Int32Array
  /** How many rows there are up to the end of each record. */
  rowEnds: Int32Array
}

export function packRows(records: readonly (readonly AnalysedRow[])[]): PackedRows {
  const rows = records.flat()
  const bytes = Buffer.allocUnsafeSlow(rows.reduce((sum, { words }) => sum + words.length, 0))
  const [sectionEnds, wordEnds] = [new Int32Array(rows.length), new Int32Array(rows.length)]
  const rowEnds = new Int32Array(records.length)
  let [chars, used] = [0, 0]
  for (const [i, { sections, words }] of rows.entries()) {
    bytes.set(words, used)
    wordEnds[i] = used += words.length
    sectionEnds[i] = chars += sections.length
  }
  for (let i = 0, n = 0; i < records.length; i++) rowEnds[i] = n += records[i]?.length ?? 0
  const sections = rows.map(row => row.sections).join('')
  return { sections, words: bytes, sectionEnds, wordEnds, rowEnds }
}

/** The rows of a record. */
export function unpackRows(packed: PackedRows, record: number): AnalysedRow[] {
  const { sections, words, sectionEnds, wordEnds, rowEnds } = packed
  const rows: AnalysedRow[] = []
  for (let i = endBefore(rowEnds, record); i < (rowEnds[record] ?? 0); i++)
    rows.push({
      sections: sections.slice(endBefore(sectionEnds, i), sectionEnds[i]),
      words: words.subarray(endBefore(wordEnds, i), wordEnds[i]),
    })
  return rows
}

function endBefore(ends: Int32Array, i: number): number {
  return i === 0 ? 0 : (ends[i - 1] ?? 0)
}
