import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sliceCodePoints } from './code-points.ts'
import { sentenceAround } from './sentence.ts'

function around(text: string, words: string): string {
  const start = Array.from(text.slice(0, text.indexOf(words))).length
  const { start: from, end } = sentenceAround(text, { start, end: start + Array.from(words).length })
  return sliceCodePoints(text, from, end)
}

test('the sentence around a match, in several scripts and at the edges', () => {
  const text = '😀 First one. Hedda paid for the engine in May.  And then? Nothing!\nA new line'
  assert.equal(around(text, 'paid'), 'Hedda paid for the engine in May.')
  assert.equal(around(text, 'First'), '😀 First one.')
  assert.equal(around(text, 'then? Nothing'), 'And then? Nothing!')
  assert.equal(around(text, 'new'), 'A new line')
  assert.equal(around('山川草木。風花雪月。終わり', '雪'), '風花雪月。')
  assert.equal(around('one', 'one'), 'one')
  assert.equal(around('a '.repeat(5_000), 'a').length <= 802, true)
  assert.equal(around('من هو؟ هذا هو الجواب. نعم', 'الجواب'), 'هذا هو الجواب.')
})
