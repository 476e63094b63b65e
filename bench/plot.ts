import type { Result } from './result.ts'

const WIDTH = 760
const LABEL = 330
const ROW = 18
/** Bars end at this many times their target. */
const MOST = 3

/** A bar for each row: its figure in parts of its target, with a line where the target is. */
export function plot(engine: string, results: readonly Result[]): string {
  const measured = results.filter(({ figure }) => figure !== null)
  const height = ROW * measured.length + 30
  const scale = (WIDTH - LABEL - 60) / MOST
  const bars = measured.flatMap((result, n) => {
    const { row, figure, target, reached } = result
    const part = (figure ?? 0) / target.limit
    const y = 24 + n * ROW
    const colour = reached ? '#3a7d5c' : '#b4532a'
    const length = Math.max(1, Math.min(part, MOST) * scale)
    return [
      `<text x="${LABEL - 8}" y="${y + 11}" text-anchor="end">${escaped(row)}</text>`,
      `<rect x="${LABEL}" y="${y + 2}" width="${length.toFixed(1)}" height="${ROW - 6}" fill="${colour}"/>`,
      `<text x="${(LABEL + length + 4).toFixed(1)}" y="${y + 11}">${part.toFixed(2)}${target.is === 'at least' ? ' (≥ 1)' : ''}</text>`,
    ]
  })
  const target = LABEL + scale
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11">`,
    `<title>${engine}: each figure in parts of its target</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="${target}" y="14" text-anchor="middle">target</text>`,
    `<line x1="${target}" y1="18" x2="${target}" y2="${height - 4}" stroke="#777777" stroke-dasharray="3 3"/>`,
    ...bars,
    '</svg>\n',
  ].join('\n')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
