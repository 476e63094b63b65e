import assert from 'node:assert/strict'
import { test } from 'node:test'
import { barText, duration, progressOn } from '../src/cli/import/import-report.ts'

/** A stream that keeps what is written to it. */
function stream(isTTY: boolean) {
  const written: string[] = []
  const output = { isTTY, write: (text: string) => written.push(text) }
  return { written, output: output as unknown as NodeJS.WriteStream }
}

test('progress is drawn on a terminal, at most ten times per second, and removed at the end', context => {
  let now = 1_000
  context.mock.method(performance, 'now', () => now)
  const { written, output } = stream(true)
  const progress = progressOn(output, 4_000, true)
  now += 1_000
  progress.show(1_000, 0)
  for (let n = 1; n <= 20; n++) {
    now += 50
    progress.show(1_000 + n * 100, n / 40)
  }
  progress.end()
  assert.equal(written.length, 12)
  for (const text of written) assert.ok(text.startsWith('\r\x1b[K'), 'each drawing replaces the one before')
  assert.ok(written.slice(0, -1).every(text => !text.includes('\n')))
  assert.equal(written[0], '\r\x1b[K░░░░░░░░░░░░░░░░░░░░  1,000 of 4,000  0/s')
  assert.equal(written.at(-2), '\r\x1b[K██████████░░░░░░░░░░  3,000 of 4,000  1,000/s  2 s left')
  assert.equal(written.at(-1), '\r\x1b[K')
})

test('nothing is drawn if the output is not a terminal', () => {
  const { written, output } = stream(false)
  const progress = progressOn(output, 10, true)
  progress.show(1, 0.1)
  progress.end()
  assert.deepEqual(written, [])
})

test('a bar never shows more than the whole, and says when the number of items is a guess', () => {
  const at = { seen: 12, done: 1.2, items: 10, exact: false, rate: 3.4, left: 0 }
  assert.equal(barText(at), '████████████████████  12 of about 12  3/s  0 s left')
  assert.deepEqual([59.2, 61, 3_700].map(duration), ['1 min 0 s', '1 min 1 s', '1 h 1 min'])
})
