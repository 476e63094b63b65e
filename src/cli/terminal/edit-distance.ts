const MOST_TYPOS = 2

/** The words that a person may have meant: those that are most similar, if any is similar enough. */
export function nearestTo(typed: string, words: readonly string[]): string[] {
  const fewest = Math.min(...words.map(word => editDistance(word, typed)))
  return fewest > MOST_TYPOS ? [] : words.filter(word => editDistance(word, typed) === fewest)
}

/** How many letters have to be inserted, removed or replaced to turn one word into another. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [index, letter] of Array.from(from).entries()) {
    const next = [index + 1]
    for (const [column, other] of Array.from(to).entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
