/** The result of a fault test. `npm run prove` prints it as a line of a table. */
export interface Figures {
  fault: string
  /** Where the fault was caused: an engine, or a part of the server. */
  place: string
  /** What was counted, in the order of the line: `{ kills: 100, lost: 0 }`. */
  counts: Readonly<Record<string, number>>
}

/** The results of the tests in this process. They run in one process, so that the caller can read them. */
export const recorded: Figures[] = []

/** Called at the end of a test, when its assertions have held. */
export function record(fault: string, place: string, counts: Figures['counts']): void {
  recorded.push({ fault, place, counts })
}

export function figuresTable(all: readonly Figures[]): string {
  const lines = all.map(({ fault, place, counts }) => [
    fault,
    place,
    Object.entries(counts)
      .map(([name, value]) => `${name} ${value.toLocaleString('en')}`)
      .join(', '),
    'held',
  ])
  const widths = [0, 1, 2].map(column => Math.max(0, ...lines.map(line => line[column]?.length ?? 0)))
  return lines.map(line => `${line.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join('  ')}\n`).join('')
}
