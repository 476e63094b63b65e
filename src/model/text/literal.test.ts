import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorTime } from '../../../test/processor-time.ts'
import { CodedError } from '../errors.ts'
import { countCodePoints } from './code-points.ts'
import { DIACRITICS, fold } from './fold.ts'
import { compileLiteral, type Span } from './literal.ts'

const RANDOM_CASES = process.env.FOOTNOTE_PROVE ? 1_000_000 : 15_000

/** [q, text, the part of the text that matches, or null] */
const CASES: [string, string, string | null][] = [
  ['needle', 'a NEEDLE in hay', 'NEEDLE'],
  ['NEEDLE', 'a needle in hay', 'needle'],
  ['needle', 'need le', null],
  ['a  b', 'a b', null],
  ['a.b', 'axb a.b', 'a.b'],
  ['[x](y)*', 'see [X](Y)*', '[X](Y)*'],
  ['\\d^$', 'a \\D^$', '\\D^$'],
  ['line\r\nnext', 'one line\r\nnext', 'line\r\nnext'],
  ['line\nnext', 'one line\r\nnext', null],
  ['creme', 'Crème brûlée', 'Crème'],
  ['crème', 'CREME', 'CREME'],
  ['brule', 'bru\u0302le\u0301e', 'bru\u0302le\u0301'],
  ['e', 'xe\u0301\u0323\u0308y', 'e\u0301\u0323\u0308'],
  ['é', 'xey', 'e'],
  ['x', '\u0301x', 'x'],
  ['strasse', 'Straße', null],
  ['STRAßE', 'straße', 'straße'],
  ['straße', 'STRAẞE', 'STRAẞE'],
  ['kelvin', '273 \u212Aelvin', '\u212Aelvin'],
  ['s', 'ſ', null],
  ['i', 'ı', null],
  ['istanbul', 'İSTANBUL', 'İSTANBUL'],
  ['ΟΔΟΣ', 'η οδός.', 'οδός'],
  ['σ', 'ς', 'ς'],
  ['ǆ', 'ǅ', 'ǅ'],
  ['\uAB70', '\u13A0', '\u13A0'],
  ['\u{10428}', 'x\u{10400}', '\u{10400}'],
  ['😀', 'a😁😀b', '😀'],
  ['\uDE00', 'a😀b', null],
  ['\uD83D', 'a😀b', null],
  ['\uD83D', 'a\uD83Db', '\uD83D'],
  ['か', 'が', null],
  ['か', 'か\u3099', null],
  ['か', 'か\u3099か', 'か'],
  ['が', 'か\u3099', 'か\u3099'],
  ['か\u3099', 'が', 'が'],
  ['\u3099', 'か\u3099', null],
  ['한국', '대한국'.normalize('NFD'), '한국'.normalize('NFD')],
  ['한국'.normalize('NFD'), '대한국', '한국'],
  ['하', '한국'.normalize('NFD'), null],
  ['\u1161', '가'.normalize('NFD'), null],
  ['हिन्दू', 'हिन्दी हिन्दू', 'हिन्दू'],
  ['\u0958', 'x\u0915\u093C', '\u0915\u093C'],
  ['\u0915\u093C', 'x\u0958', '\u0958'],
  ['\u0915', '\u0958', null],
  ['ภาษา', 'พูดภาษาไทย', 'ภาษา'],
  ['测试', '这是一个测试文本', '测试'],
  ['שלום', 'שָׁלוֹם', 'שָׁלוֹם'],
  ['محمد', 'مُحَمَّدٌ', 'مُحَمَّدٌ'],
]

test('RF-4 a literal is found under folding, with spaces and punctuation unchanged', () => {
  for (const [q, text, expected] of CASES) {
    const found = compileLiteral(q).find(text)
    assert.equal(found && text.slice(found.start, found.end), expected, JSON.stringify([q, text]))
  }
})

test('RF-4 q is refused if it is empty, only diacritics or too long', () => {
  for (const q of ['', '\u0301', '\u0301\u05BC\u064B', 'x'.repeat(8193)]) {
    assert.throws(
      () => compileLiteral(q),
      error => error instanceof CodedError && error.code === 'invalid_window',
    )
  }
})

test('RF-4 the first match counts, and `from` passes over earlier ones', () => {
  const literal = compileLiteral('ana')
  assert.deepEqual(literal.find('Bañaña'), { start: 1, end: 4 })
  assert.deepEqual(literal.find('Banana'), { start: 1, end: 4 })
  assert.deepEqual(literal.find('Banana', 2), { start: 3, end: 6 })
  assert.deepEqual(literal.find('Banana', 4), null)
  assert.equal(
    compileLiteral('\u3099').find('か\u3099', 1),
    null,
    'the text before `from` is its surroundings',
  )
})

test('RF-4 a long q matches to its last character', () => {
  const q = 'Crème brûlée, 한국 が. '.repeat(20)
  const text = `x ${q.normalize('NFD').toUpperCase()}`
  const { start } = compileLiteral(q).find(text) ?? assert.fail('not found')
  assert.equal(start, 2)
  assert.equal(compileLiteral(`${q}y`).find(`${text}x`), null)
  const letters = 'abcdefghij'.repeat(10)
  const accented = [...letters].map(letter => `${letter}\u0301`).join('')
  assert.deepEqual(compileLiteral(letters).find(accented), { start: 0, end: accented.length })
})

test('RF-4 a text that nearly matches everywhere is read once', () => {
  const cases: [q: string, unit: string][] = [
    [`${'a'.repeat(4_000)}b`, 'a'],
    [`${'か'.repeat(4_000)}き`, 'か'],
    ['か'.repeat(4_000), `${'か'.repeat(3_999)}が`],
    [`${'ab'.repeat(2_000)}c`, 'ab'],
  ]
  for (const [q, unit] of cases) {
    const text = unit.repeat(Math.ceil(300_000 / unit.length))
    const spent = processorTime()
    assert.equal(compileLiteral(q).find(text), null)
    const scan = compileLiteral(q).scan()
    for (let at = 0; at < text.length; at += 8_192) assert.equal(scan.push(text.slice(at, at + 8_192)), null)
    assert.deepEqual(scan.push(q) ?? scan.end(), { start: text.length, end: text.length + q.length })
    assert.ok(spent() < 2_000, `${q.slice(-3)}: ${spent()} ms`)
  }
})

test('RF-4 random long literals in repetitive texts: the match is the one that folding defines', () => {
  const random = seeded(7)
  const pick = (from: readonly string[]) => from[random(from.length)] ?? ''
  for (let i = 0; i < RANDOM_CASES / 100; i++) {
    const letters = pick(['ab', 'aか', 'かが']).split('')
    const q = Array.from({ length: 17 + random(8) }, () =>
      random(10) > 0 ? (letters[0] ?? '') : pick(letters),
    ).join('')
    const filler = () => Array.from({ length: random(20) }, () => pick(letters)).join('')
    const text = filler() + q.slice(0, -3) + filler() + (random(10) < 7 ? q.normalize('NFD') : '') + filler()
    assert.deepEqual(compileLiteral(q).find(text), matchByDefinition(q, text), escaped(q, text))
  }
})

test('RF-9 EV-8 random texts: the match is the one that folding every part defines', () => {
  const random = seeded(20260406)
  let found = 0
  for (let i = 0; i < RANDOM_CASES; i++) {
    const { q, text } = randomCase(random)
    if (fold(q) === '') continue
    const expected = matchByDefinition(q, text)
    assert.deepEqual(compileLiteral(q).find(text), expected, escaped(q, text))
    if (expected) found++
  }
  assert.ok(found > RANDOM_CASES / 10 && found < RANDOM_CASES * 0.9, `${found} of ${RANDOM_CASES} match`)
})

test('RF-9 random pieces: a scan finds what a search of the whole text finds', () => {
  const random = seeded(41)
  for (let i = 0; i < RANDOM_CASES / 5; i++) {
    const { q, text } = randomCase(random)
    if (fold(q) === '') continue
    const literal = compileLiteral(q)
    const match = literal.find(text)
    const expected = match && {
      start: countCodePoints(text.slice(0, match.start)),
      end: countCodePoints(text.slice(0, match.end)),
    }
    const scan = literal.scan()
    let found: Span | null = null
    for (const piece of randomPieces(text, random)) found ??= scan.push(piece)
    assert.deepEqual(found ?? scan.end(), expected, escaped(q, text))
  }
})

test('RF-9 a match across many pieces is found with 16 diacritics on every character', () => {
  const marks = '\u0301'.repeat(16)
  const match = [...'needle'].map(char => char + marks).join('')
  const text = `${'x'.repeat(1000)}${match}${'x'.repeat(1000)}`
  const literal = compileLiteral('Needle')
  assert.ok(literal.maxLength >= match.length)
  for (const size of [1, 2, 7, 100, 5000]) {
    const scan = literal.scan()
    let found: Span | null = null
    for (let at = 0; at < text.length; at += size) found ??= scan.push(text.slice(at, at + size))
    assert.deepEqual(found, { start: 1000, end: 1000 + match.length }, `pieces of ${size}`)
  }
})

test('RF-9 carrying maxLength units over is enough for a caller that joins pieces itself', () => {
  const literal = compileLiteral('crème 😀')
  const match = 'cre\u0300me 😀\u0301'
  const before = `${'é'.repeat(500)}${match.slice(0, 7)}`
  const carried = before.slice(-literal.maxLength)
  const found = literal.find(`${carried}${match.slice(7)}.`)
  assert.deepEqual(found, { start: carried.length - 7, end: carried.length - 7 + match.length })
})

test('RF-4 every assigned code point finds itself in every form that folds alike', () => {
  const step = process.env.FOOTNOTE_PROVE === '1' ? 1 : 5
  for (let codePoint = 0; codePoint < 0xf0000; codePoint += codePoint < 0x3000 ? 1 : step) {
    if (codePoint >= 0x40000 && codePoint < 0xe0000) codePoint = 0xe0000
    const q = String.fromCodePoint(codePoint)
    if (!/[^\p{Cn}\p{Co}\p{Cs}]/u.test(q) || fold(q) === '') continue
    const literal = compileLiteral(q)
    const forms = [q, q.toUpperCase(), q.toLowerCase(), q.normalize('NFD'), q.normalize('NFC')]
    for (const form of new Set(forms)) {
      const found = literal.find(form)
      // Most characters have only one form, and applying the definition to each is slow.
      const expected = form === q ? { start: 0, end: q.length } : matchByDefinition(q, form)
      const same = found?.start === expected?.start && found?.end === expected?.end
      if (!same) assert.deepEqual(found, expected, escaped(q, form))
    }
  }
})

const DIACRITIC = new RegExp(`^[${DIACRITICS}]`)

function matchByDefinition(q: string, text: string): Span | null {
  const wanted = fold(q)
  const whole = fold(text)
  const cuts = [0]
  for (const char of text) cuts.push((cuts.at(-1) ?? 0) + char.length)
  for (const start of cuts) {
    if (DIACRITIC.test(text.slice(start))) continue
    for (const end of cuts) {
      if (end <= start || fold(text.slice(start, end)) !== wanted) continue
      if (fold(text.slice(0, start)) + wanted + fold(text.slice(end)) !== whole) continue
      let last = end
      while (DIACRITIC.test(text.slice(last))) last++
      return { start, end: last }
    }
  }
  return null
}

/** Characters that fold into each other, compose or are reordered, and characters that only look like these. */
const FAMILIES = [
  ['k', 'K', '\u212A', 's', 'S', 'ſ', 'ß', 'ẞ', ' '],
  ['i', 'I', 'İ', 'ı', 'í', '\u0307', '\u0301', 'j', '\u030C'],
  ['σ', 'ς', 'Σ', 'α', 'ᾳ', 'ᾼ', '\u0345', 'ά', '\u03AC', '.'],
  ['µ', 'μ', 'Μ', 'Ω', '\u2126', 'ω', 'Å', '\u212B', 'a', '\u030A', '\u034F'],
  ['ǆ', 'ǅ', 'Ǆ', 'dž', 'd', 'z', '\u030C'],
  ['\u13A0', '\uAB70', '\u13F0', '\u13F8', '\u{10400}', '\u{10428}', '\u{1E900}', '\u{1E922}'],
  ['か', 'が', '\u3099', '\u309A', 'は', 'ぱ', 'ば', '\u309B', '\u0301', '\u034F'],
  ['\u1100', '\u1161', '\u11A8', '가', '각', '개', '\u1162', '\u11A9', '\u0301', '\u1112'],
  ['\u0915', '\u093C', '\u094D', '\u0958', '\u0928', '\u0929', '\u034F', '\u093F', '\u0301'],
  ['\u09C7', '\u09BE', '\u09CB', '\u09D7', '\u09CC', '\u0995', '\u09BC', '\u09DC', '\u09A1'],
  ['\u0F40', '\u0F71', '\u0F72', '\u0F73', '\u0F74', '\u0F75', '\u0F80', '\u0F81', '\u034F'],
  ['\u{16D63}', '\u{16D67}', '\u{16D68}', '\u{16D69}', '\u{16D6A}', '\u0301'],
  ['\u{11099}', '\u{1109A}', '\u{110BA}', '\u{1D157}', '\u{1D15E}', '\u{1D165}', '\u{1D16D}'],
  ['\u0E01', '\u0E48', '\u0E38', '\u0E33', '\u034F', '\u0E3A'],
  ['\u05E9', '\u05C1', '\uFB2A', '\u05BC', '\u05BE', '\u0627', '\u0623', '\u0654', '\u0670'],
  ['😀', '😁', '\uD83D', 'x', '\uFE0F', '\u20E3', '1'],
  ['=', '≠', '\u0338', '<', '≮', '\r', '\n', '\r\n', '-', '\u2ADC', '\u2ADD'],
  ['豈', '\uF900', '\u{2F800}', '丽', '\u3400', '\u0344', '\u0308', 'e', 'ệ'],
]

type Random = (below: number) => number

function randomCase(random: Random): { q: string; text: string } {
  const pick = <T>(list: T[]): T => list[random(list.length)] ?? assert.fail('empty list')
  const families = random(4) === 0 ? [pick(FAMILIES), pick(FAMILIES)] : [pick(FAMILIES)]
  const alphabet = families.flat()
  const draw = (length: number) => Array.from({ length }, () => pick(alphabet)).join('')
  const text = draw(1 + random(8))
  if (random(2) === 0) return { q: draw(1 + random(3)), text }
  const characters = [...text]
  const start = random(characters.length)
  const part = characters.slice(start, start + 1 + random(4)).join('')
  const form = random(4)
  const q = form === 0 ? part.normalize('NFC') : form === 1 ? part.normalize('NFD') : part
  return { q: form === 2 ? q.toUpperCase() : q, text }
}

function* randomPieces(text: string, random: Random): Generator<string> {
  const characters = [...text]
  while (characters.length > 0) yield characters.splice(0, 1 + random(4)).join('')
}

function seeded(seed: number): Random {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

function escaped(...texts: string[]): string {
  const units = (text: string) => text.replace(/./gs, unit => `\\u${unit.charCodeAt(0).toString(16)}`)
  return texts.map(text => `${JSON.stringify(text)} ${units(text)}`).join(' in ')
}
