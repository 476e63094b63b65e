import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { plot } from '../bench/plot.ts'
import { type Run, writeReport } from '../bench/report.ts'
import { atMost, type Result, single } from '../bench/result.ts'
import { SUBJECTS } from '../bench/targets.ts'

test('a plot has a bar for each figure, relative to its target, and cuts the longest', () => {
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

test('the benchmark page states the targets of its rows', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/reference/benchmarks.md'), 'utf8')
  const stated = /## Rows\n\n([\s\S]*?)\n\n/.exec(page)?.[1]
  const rows = SUBJECTS.map(({ row, floor, targets }) => `| ${row} | ${floor} | ${targets} |`)
  assert.equal(stated, ['| row | floor | target |', '|---|---|---|', ...rows].join('\n'))
})

test('a run takes the place of the last one of its engine and size on the page, and leaves the others', async t => {
  const docs = mkdtempSync(join(tmpdir(), 'footnote-report-'))
  t.after(() => rmSync(docs, { recursive: true }))
  mkdirSync(join(docs, 'reference'))
  const page = join(docs, 'reference/benchmarks.md')
  writeFileSync(page, '# Benchmarks\n\nText.\n\n## The last figures\n\nOld.\n')
  const run = (engine: Run['engine'], records: number, value: number): Run => ({
    engine,
    size: { quick: false, records, ledgerRows: 1, seconds: 1, stallSeconds: 1 },
    date: '2026-01-02',
    machine: 'one core',
    calibration_ms: [1, 2],
    results: [single({ row: 'a row', unit: 'ms', value, target: atMost(10, 'ms') })],
  })
  await writeReport([run('postgres', 500, 3), run('sqlite', 500, 4)], docs)
  await writeReport([run('sqlite', 2_000, 50)], docs)
  await writeReport([run('sqlite', 500, 7)], docs)
  const written = readFileSync(page, 'utf8')
  assert.match(written, /^# Benchmarks\n\nText\.\n\n## The last figures\n/)
  assert.doesNotMatch(written, /Old/)
  const tables = [...written.matchAll(/^### (.+)$|^\| a row \| (\S+ ms) .* (\w+) \|$/gm)].map(match =>
    match.slice(1).join(' ').trim(),
  )
  assert.deepEqual(tables, [
    '500 records on SQLite',
    '7.00 ms reached',
    '500 records on PostgreSQL',
    '3.00 ms reached',
    '2,000 records on SQLite',
    '50.0 ms missed',
  ])
  assert.match(readFileSync(join(docs, 'images/benchmarks-sqlite-2000.svg'), 'utf8'), /5\.00</)
})
