import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analyze } from '../text/analyzer.ts'
import { initialsOfKey } from '../text/further-keys.ts'
import { createMatcher } from './match-windows.ts'
import { jsonMayContain, textMayContain } from './may-contain.ts'
import { parseSearchQuery, requiredClues } from './search-query.ts'

const TEXTS = [
  'The committees were RUNNING late; see report_v2.0.1-final.pdf',
  'one\ntwo\tthree "four" five\\six seven/eight',
  'ends with new\nline\nnational\tbanks\u0001dying',
  'Grüße aus Köln',
  '“New” line — naïve bankers’ rüns… ½ litre',
  'two \u0301 three, １ ｆｏｕｒ five 😀 six; die Ströme',
  '三 two three 四 five',
  'a plain text, quite plain',
]
const QUERIES = [
  ...['run', '"running late"', '"two three"', '"three four five"', '"five six"', '"new line"'],
  ...['"line national bank"', '"bank dying"', 'comm*', 'rep*', 'koln', '"plain text"', '"text plain"'],
  ...['nothing', 'die*', 'naiv*', 'stro*', '"naive banker"', '"aus Köln"', '"1 2 litre"'],
]

test('EV-8 the quick check never rejects a text that contains the clues', () => {
  let [held, passed] = [0, 0]
  for (const text of TEXTS) {
    for (const query of QUERIES) {
      const clues = requiredClues(parseSearchQuery(query).clues)
      const holds = createMatcher(clues)(text, analyze(text)).length > 0
      const may = jsonMayContain(JSON.stringify({ id: 'x', body: text, n: 1 }), [clues])
      if (holds) assert.ok(may && clues.every(clue => textMayContain(text, clue)), `${query} in ${text}`)
      if (holds) held++
      if (!may) passed++
    }
  }
  assert.ok(held >= 12 && passed >= 30, `${held} held, ${passed} rejected`)
})

test('EV-8 a key determines the first letters of its words', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  for (const a of letters)
    for (const b of letters)
      for (const ending of ['', 'ing', 'ied', 'ies', 'ly', 'eed', 'ational', 'y', 's'])
        for (const { key } of analyze(`${a}${b}${ending} ${a}${b}t${ending} ${a}u${b}${ending}`))
          assert.ok(initialsOfKey(key).includes(a), key)
})
