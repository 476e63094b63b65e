import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analyze } from '../text/analyzer.ts'
import { bestSpans, createMatcher, cutWindow } from './match-windows.ts'
import { parseSearchQuery } from './search-query.ts'

function windows(text: string, q: string, windowChars = 80, most = 3): string[] {
  const { clues } = parseSearchQuery(q)
  const worths = clues.map(({ stop }) => (stop ? 0 : 1))
  const spans = bestSpans(createMatcher(clues)(text, analyze(text)), windowChars, most, worths)
  return spans.map(({ start, end }) => text.slice(start, end))
}

test('EV-1 the window with the most distinct words comes first, and the closest of those', () => {
  const text = `budget ${'x '.repeat(60)} plan of the budget ${'x '.repeat(60)} budget, plan`
  assert.deepEqual(windows(text, 'plan budget'), ['budget, plan', 'plan of the budget', 'budget'])
})

test('EV-1 one rare word is worth more than two common ones', () => {
  const text = `budget, plan ${'x '.repeat(60)} heron`
  const { clues } = parseSearchQuery('plan budget heron')
  const worths = clues.map(clue => (clue.kind === 'word' && clue.key === 'heron' ? 3 : 1))
  const [best] = bestSpans(createMatcher(clues)(text, analyze(text)), 80, 1, worths)
  assert.equal(text.slice(best?.start, best?.end), 'heron')
})

test('EV-1 stop words do not widen a span, but are shown if there is nothing else', () => {
  assert.deepEqual(windows('the plan of the day', 'the plan'), ['plan'])
  assert.equal(windows('plain text of the day', 'the of')[0], 'of the')
})

test('EV-8 a match that is longer than the window is still shown whole', () => {
  const phrase = Array.from({ length: 5 }, (_, i) => `antidisestablishment${i}`).join(' ')
  assert.deepEqual(windows(`a ${phrase} b`, `"${phrase}"`, 40), [phrase])
})

test('EV-8 a phrase needs its words next to each other', () => {
  assert.deepEqual(windows('late -- running', '"late running"'), ['late -- running'])
  assert.deepEqual(windows(`late ${'-'.repeat(200)} running`, '"late running"'), [])
  assert.deepEqual(windows('v2.0.1-final.pdf', '"0.1 final"'), ['0.1-final'])
  assert.deepEqual(windows('我们去北京大学', '北京大学'), ['北京大学'])
})

test('EV-1 windows are cut at code points', () => {
  const text = `${'👋'.repeat(50)}zebra${'👋'.repeat(50)}`
  const span = { start: 100, end: 105 }
  const { start_chars, end_chars, text: cut, text_start_chars, text_end_chars } = cutWindow(text, 7, span, 25)
  assert.deepEqual([start_chars, end_chars, text_start_chars, text_end_chars], [57, 62, 47, 72])
  assert.equal(cut, `${'👋'.repeat(10)}zebra${'👋'.repeat(10)}`)
})

test('EV-1 a window begins and ends with whole words, except in scripts without spaces', () => {
  const cut = (text: string, word: string, windowChars: number) => {
    const start = text.indexOf(word)
    return cutWindow(text, 0, { start, end: start + word.length }, windowChars)
  }
  const text = 'Nobody expected that the heron would return so early'
  const { text: shown, text_start_chars, text_end_chars } = cut(text, 'heron', 21)
  assert.equal(shown, 'the heron would')
  assert.equal(text.slice(text_start_chars, text_end_chars), shown)
  assert.equal(cut(text, 'Nobody', 10).text, 'Nobody')
  assert.equal(cut(text, 'early', 12).text, 'so early')
  assert.equal(cut(`${'去'.repeat(40)}北京${'去'.repeat(40)}`, '北京', 10).text, '去去去去北京去去去去')
  const long = `x${'y'.repeat(60)}-heron-${'z'.repeat(60)}`
  assert.equal(cut(long, 'heron', 65).text, `${'y'.repeat(29)}-heron-${'z'.repeat(29)}`)
})
