import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withCorrections } from './misspelt-words.ts'
import { parseSearchQuery } from './search-query.ts'

test('EV-8 a corrected query searches for the same as the correctly spelled one', () => {
  const clues = (q: string, corrections: { written: string; taken: string }[]) => {
    const query = withCorrections(parseSearchQuery(q), corrections)
    const found = query.clues.map(clue => [clue.kind === 'word' && clue.key, clue.weight.toFixed(3)])
    return { words: query.words, clues: found.map(String).sort() }
  }
  const lantern = { written: 'lantirn', taken: 'lantern' }
  assert.deepEqual(clues('lantirn harbour', [lantern]), clues('lantern harbour', []))
  // Another word starts with the same letters as the misspelt one.
  assert.ok(clues('lantirn lantigos', [lantern]).clues.some(clue => clue.includes('\u{e010}lanti,0.400')))
})
