import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from 'hono/html'
import { hardWraps, unwrapped } from './hard-wraps.ts'

const LETTER = `Dear Hedda,

thank you for the long letter that you sent me in the spring of last year,
which I have read several times with pleasure, and which I would like to
answer now.

> When we spoke about the engine of the Wagtail you said that it would not
> be possible to repair it.
No

Things to bring, which I could not find in the shops here, as I feared:
- a lantern
- the old chart that hung in the wheelhouse for all of those forty years
   its frame
`

/** The text in which the breaks are marked that a narrow screen does not show. */
function marked(text: string): string {
  return [...text]
    .map((char, index) => (hardWraps(text).some(({ at, end }) => index >= at && index < end) ? '~' : char))
    .join('')
}

test('only breaks that a program made are joined: not those of lists, verses, quotes and signatures', () => {
  const shown = marked(LETTER)
  assert.match(shown, /last year,~which I have/)
  assert.match(shown, /like to~answer now/)
  assert.match(shown, /would not~~~be possible/)
  assert.equal(shown.split('~').length - 1, 5)
  const verse = 'Sea Fever\nI must go down to the seas again,\nto the lonely sea and the sky,\n'
  assert.equal(marked(verse), verse)
  const table = `${'name'.padEnd(60)}amount\n${'lantern'.padEnd(60)}twelve\n`
  assert.equal(marked(table), table)
})

test('joining lines changes no character, wherever a passage begins and ends', async () => {
  const text = LETTER.replaceAll('\n', '\r\n')
  for (const source of [LETTER, text])
    for (let from = 0; from < source.length; from += 7) {
      const parts = [source.slice(0, from), source.slice(from, from + 90), source.slice(from + 90)]
      const shown = await Promise.all(unwrapped(parts).map(async part => plain(String(await html`${part}`))))
      assert.deepEqual(shown, parts)
    }
})

function plain(page: string): string {
  return page.replace(/<[^>]*>/g, '').replaceAll('&gt;', '>')
}
