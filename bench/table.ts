import type { Result, Target } from './result.ts'
import { targetText } from './targets.ts'

export const HEAD = ['row', 'p50', 'p95', 'floor p50', 'floor p95', 'figure', 'target', '']

/** The results of an engine as aligned columns. */
export function table(results: readonly Result[]): string {
  const lines = [HEAD, ...results.map(cells)]
  const widths = HEAD.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)))
  return lines
    .map(line =>
      line
        .map((cell, column) =>
          column === 0 || column >= 6 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The values of a row as they are shown. */
export function cells(result: Result): string[] {
  const { row, unit, p50, p95, floor_p50, floor_p95, figure, target } = result
  const measured = [p50, p95, floor_p50, floor_p95].map(value =>
    value === null ? '–' : `${number(value)} ${unit}`,
  )
  const verdict = result.reached === null ? 'not measured' : result.reached ? 'reached' : 'missed'
  return [row, ...measured, figure === null ? '–' : withUnit(figure, target), targetText(target), verdict]
}

function withUnit(figure: number, { of }: Target): string {
  return of.startsWith('×') ? `${number(figure)} ×` : `${number(figure)} ${of}`
}

function number(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString('en')
  if (value >= 100) return value.toFixed(0)
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
