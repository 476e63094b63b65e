import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { plot } from '../bench/plot.ts'
import type { Result } from '../bench/result.ts'
import { SUBJECTS } from '../bench/targets.ts'

test('a plot has a bar for each figure, in parts of its target, and cuts the longest', () => {
  const row = (name: string, figure: number | null, limit: number, is: 'at most' | 'at least' = 'at most') =>
    ({
      row: name,
      figure,
      target: { is, limit, of: 'ms' },
      reached: figure !== null && figure <= limit,
    }) as Result
  const svg = plot('sqlite', [
    row('a < b', 10, 20),
    row('far', 900, 20),
    row('nothing', null, 1),
    row('rate', 1, 2, 'at least'),
  ])
  const widths = [...svg.matchAll(/<rect x="330" .*?width="([\d.]+)".*?fill="(#\w+)"/g)].map(([, w, c]) => [
    Number(w),
    c,
  ])
  assert.equal(widths.length, 3)
  assert.ok(Number(widths[0]?.[0]) < Number(widths[1]?.[0]))
  assert.notEqual(widths[0]?.[1], widths[1]?.[1])
  assert.match(svg, />a &lt; b</)
  assert.match(svg, />45\.00</)
  assert.doesNotMatch(svg, /nothing/)
  assert.match(svg, />0\.50 \(≥ 1\)</)
})

test('the page about benchmarks states the targets that the rows are judged by', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/reference/benchmarks.md'), 'utf8')
  const stated = /## Rows\n\n([\s\S]*?)\n\n/.exec(page)?.[1]
  const rows = SUBJECTS.map(({ row, floor, targets }) => `| ${row} | ${floor} | ${targets} |`)
  assert.equal(stated, ['| row | floor | target |', '|---|---|---|', ...rows].join('\n'))
})
