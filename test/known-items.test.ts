import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { translationsIn } from '../bench/eval/known-items/catalogue.ts'
import { KNOWN_LANGUAGES } from '../bench/eval/known-items/languages.ts'
import { questionsAbout } from '../bench/eval/known-items/questions.ts'
import { reachedOf } from '../bench/eval/measures.ts'

/** A catalogue of gettext as msgfmt writes it, without a hash table. */
function catalogue(entries: readonly (readonly [string, string])[]): Buffer {
  const texts = [...entries.map(([original]) => original), ...entries.map(([, text]) => text)]
  const bytes = texts.map(text => Buffer.from(`${text}\0`))
  const tables = Buffer.alloc(28 + 8 * texts.length)
  const header = [0x950412de, 0, entries.length, 28, 28 + 8 * entries.length, 0, tables.length]
  for (const [i, value] of header.entries()) tables.writeUInt32LE(value, 4 * i)
  let at = tables.length
  for (const [i, text] of bytes.entries()) {
    tables.writeUInt32LE(text.length - 1, 28 + 8 * i)
    tables.writeUInt32LE(at, 28 + 8 * i + 4)
    at += text.length
  }
  return Buffer.concat([tables, ...bytes])
}

test('translations are read from a compiled catalogue', () => {
  const folder = mkdtempSync(join(tmpdir(), 'footnote-test-'))
  try {
    const file = join(folder, 'sc.mo')
    const entries = [
      ['', 'Language: de'],
      ['cell\u0004Sum', 'Die Summe aller Werte'],
      ['row\0rows', 'Zeile\0Zeilen'],
    ] as const
    writeFileSync(file, catalogue(entries))
    assert.deepEqual(translationsIn(file), ['Die Summe aller Werte', 'Zeile', 'Zeilen'])
    writeFileSync(file, 'something else, which is long enough for a header')
    assert.throws(() => translationsIn(file), /not a little-endian catalogue/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const languageOf = (code: string) => {
  const language = KNOWN_LANGUAGES.find(each => each.code === code)
  assert.ok(language)
  return language
}

test('questions contain the words of a text, other forms of them, and forms without accents', () => {
  const text = { id: 'a', text: 'Die Zeichenfläche öffnet Straßen.' }
  const forms = new Map([
    ['zeichenfläche', ['zeichenflächen']],
    ['öffnet', ['öffnen']],
    ['straßen', ['straße']],
  ])
  assert.deepEqual(questionsAbout([text], languageOf('de'), forms), [
    { kind: 'words', text: 'zeichenfläche öffnet straßen', document: 'a' },
    { kind: 'other forms', text: 'zeichenflächen öffnen straße', document: 'a' },
    { kind: 'without accents', text: 'zeichenflache offnet strassen', document: 'a' },
  ])
  // If a word has no other forms, that kind of question is left out. If there are too few words, the text is left
  // out.
  forms.delete('öffnet')
  assert.equal(questionsAbout([text], languageOf('de'), forms).length, 2)
  assert.deepEqual(questionsAbout([{ id: 'b', text: 'Öffnet Straßen' }], languageOf('de'), forms), [])
  const japanese = { id: 'c', text: '選択した範囲の合計を計算します。' }
  const [words, part] = questionsAbout([japanese], languageOf('ja'), new Map())
  assert.deepEqual([words?.kind, part?.kind], ['words', 'parts'])
  assert.ok(japanese.text.includes(part?.text ?? ''))
})

test('a known item is scored by the rank at which it is found', () => {
  const query = (id: string, ...relevant: string[]) => ({ id, text: id, relevant: new Set(relevant) })
  const collection = {
    ...{ name: 'x', language: 'en', metric: 'nDCG@10' as const, target: null, documents: [] },
    queries: [query('one', 'a'), query('two', 'b'), query('three', 'c'), query('unjudged')],
  }
  const others = Array.from({ length: 10 }, (_, i) => `o${i}`)
  const found = new Map([
    ['one', [['a']]],
    ['two', [['x'], ['b']]],
    ['three', [...others, 'c'].map(id => [id])],
  ])
  assert.deepEqual(reachedOf(collection, found), { first: 1 / 3, ten: 2 / 3, mrr: 0.5 })
  assert.equal(reachedOf({ ...collection, queries: [query('one', 'a', 'b')] }, found), null)
})
