import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countCodePoints, sliceCodePoints } from '../../model/text/code-points.ts'
import { bytesOf, head, quote, quotedAround, quotedSizes } from './quote.ts'

/**
 * Characters with short, long and no JSON escapes, characters of one to four bytes, and characters that only Footnote
 * escapes.
 */
const CHARS = [...'ab "\\\n\t\r\b\f\u0001\u001fé߿ࠀ…日😀👩‍👧', '\ud800', '\udc00', '\u200c']
const INVISIBLE = ['\u007f', '\u202e', '\ufe00\ufe01', '\u2028']

/** The same texts in each run. */
function* texts(palette: readonly string[]): Generator<string> {
  let seed = 7
  const next = (most: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % most
  }
  for (let count = 0; count < 150; count++)
    yield Array.from({ length: next(30) }, () => palette[next(palette.length)]).join('')
}

test('the size of each prefix is that of its quoted form', () => {
  for (const text of [...texts(CHARS), ...texts(['a', 'b', ' ', '~'])]) {
    const sizes = quotedSizes(text)
    if (quote(text) !== JSON.stringify(text)) {
      assert.equal(sizes, null, JSON.stringify(text))
      continue
    }
    for (let chars = 0; chars <= countCodePoints(text); chars++)
      assert.equal((sizes?.(chars) ?? -1) + 2, bytesOf(quote(head(text, chars))), JSON.stringify(text))
  }
  for (const text of INVISIBLE) assert.equal(quotedSizes(`a${text}b`), null)
})

test('EV-8 as much of the text around a match is quoted as fits', () => {
  for (const text of texts([...CHARS, ...INVISIBLE])) {
    const size = countCodePoints(text)
    for (const [start, end] of [
      [0, 0],
      [0, size],
      [Math.floor(size / 2), Math.min(size, Math.floor(size / 2) + 3)],
      [Math.max(0, size - 2), size],
    ] as const) {
      for (const most of [7, 8, 12, 20, 40, 90]) {
        const shown = quotedAround(text, { start, end }, most)
        const room = ([...JSON.parse(shown)] as string[]).filter(char => char !== '…').length
        assert.ok(bytesOf(shown) <= most || room === 0, `${shown} in ${most}`)
        assert.equal(shown, widest(text, start, end, most), JSON.stringify({ text, start, end, most }))
      }
    }
  }
})

/** The expected result, found by quoting every possible part. */
function widest(text: string, start: number, end: number, mostBytes: number): string {
  const size = countCodePoints(text)
  const piece = (room: number) => {
    const before = Math.min(start, Math.floor((room - Math.min(end - start, room)) / 3))
    const to = Math.min(size, start - before + room)
    const from = Math.max(0, Math.min(start - before, to - room))
    return quote(`${from > 0 ? '…' : ''}${sliceCodePoints(text, from, to)}${to < size ? '…' : ''}`)
  }
  const most = Math.min(size, mostBytes)
  if (bytesOf(piece(most)) <= mostBytes) return piece(most)
  let [low, high] = [0, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (bytesOf(piece(middle)) <= mostBytes) low = middle
    else high = middle - 1
  }
  return piece(low)
}
