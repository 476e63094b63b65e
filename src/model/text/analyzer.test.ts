import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analyze, eachKey, markInitials } from './analyzer.ts'
import { countingKeys, keyText } from './counted-keys.ts'
import { isStopKey, isStopWord } from './words.ts'

const keys = (text: string) => analyze(text).flatMap(word => (word.further === null ? [word.key] : []))
const further = (text: string) => analyze(text).flatMap(word => (word.further ? [word.key] : []))
const basic = (text: string) => analyze(text).flatMap(word => (word.basic ? [word.key] : []))

test('EV-8 case, diacritics, compatibility forms and endings are folded', () => {
  assert.deepEqual(keys('RUNNING Committees'), keys('runs committee'))
  assert.deepEqual(keys('Köln CAFÉ ﬁne'), keys('koln cafe fine'))
  assert.deepEqual(keys('книги'), keys('книга'))
  assert.deepEqual(keys('⑴ ½'), ['1', '1⁄2'])
})

test('EV-8 names are found whole and by part, and only the parts count as words of the text', () => {
  const all = keys('bob.smith@example.com')
  assert.deepEqual(basic('bob.smith@example.com'), ['bob', 'smith', 'exampl', 'com'])
  assert.equal(all.length, 5)
  assert.ok(keys('write to bob.smith@example.com now').includes(all[1] ?? ''))
})

test('EV-8 text without spaces is cut into pairs and words, each at its place', () => {
  const text = 'A 北京大学 b'
  for (const { key, start, end } of analyze(text)) assert.equal(text.slice(start, end).toLowerCase(), key)
  assert.deepEqual(basic('北京大学'), ['北京', '京大', '大学'])
})

test('EV-8 emoji are found, each by itself, and what cannot be seen is not part of a key', () => {
  assert.deepEqual(keys('party🎉🎉 I ❤️ 🇩🇪, 👍🏽 Foo™ 1️⃣'), [
    'parti',
    '🎉',
    '🎉',
    'i',
    '❤',
    '🇩🇪',
    '👍',
    'foo',
    '1',
  ])
  assert.deepEqual(basic('great 🎉 party'), ['great', 'parti'])
  assert.deepEqual(keys('Stra\u00adßen\u00adbahn'), keys('Straßenbahn'))
  assert.deepEqual(keys('\u00ad \ufe0f'), [])
  assert.deepEqual(further('❤️ 葛\u{e0100}'), [])
})

test('EV-8 positions refer to the original text', () => {
  const text = '👋🏽 ko\u0308ln, Straße_2'
  const own = analyze(text).filter(word => word.further === null)
  const words = own.map(({ start, end }) => text.slice(start, end))
  assert.deepEqual(words, ['👋', 'ko\u0308ln', 'Straße', 'Straße_2', '2'])
})

test('keys contain letters and digits, or characters outside ASCII', () => {
  for (const text of ['a-b_c', '㍿ ⑴ ﷺ', 'x'.repeat(500), "it's", '\u{10ffff}z', 'İ']) {
    for (const key of keys(text)) assert.match(key, /^[a-z0-9\u0080-\u{10ffff}]+$/u)
  }
  assert.ok(isStopKey(keys('the')[0] ?? ''))
})

test('a word is a stop word as it is written, not because it shares the key of one', () => {
  for (const word of ['the', 'Does', 'HIS', 'wills']) assert.ok(isStopWord(word), word)
  for (const word of ['Doe', 'hi', 'Mary']) assert.ok(!isStopWord(word), word)
  for (const key of [...keys('does'), ...keys('his')]) assert.ok(isStopKey(key), key)
})

test('EV-8 forms of a word, spellings of a name, irregular forms and Vietnamese accents share a further key', () => {
  const all = (text: string) => [...keys(text), ...further(text)]
  const share = (one: string, other: string) => further(one).some(key => all(other).includes(key))
  // An Arabic word often begins with an article or a preposition.
  assert.deepEqual(further('بالمستندات'), [])
  const pairs = [
    ['evlerinden', 'evlerimiz'],
    ['βιβλιοθήκη', 'βιβλιοθήκες'],
    ['κήποι', 'κήπων'],
    ['किताब', 'किताबों'],
    ['लड़का', 'लड़के'],
    ['went', 'go'],
    ['children', 'child'],
    ['e-mail', 'email'],
    ['miR-7a', 'miR7a'],
    ['ran', 'running'],
    ['bán', 'BÁN'],
    ['Müller', 'Mueller'],
    ['Straße', 'STRASSE'],
    ['Çınar', 'cinar'],
    ['điện', 'dien'],
    ['Łódź', 'Lodz'],
    ['Øresund', 'Oeresund'],
    ['Straßenbahn', 'strassenbahnen'],
    ['978-3-16-148410-0', '9783161484100'],
    ['12,500', '12500'],
    ['1 234 567.89', '1234567'],
    ["1'000", '1.000'],
    ['बाज़ार', 'बाजार'],
    ['हाँ', 'हां'],
    ['친구들과', '친구'],
    ['내일입니다', '내일'],
  ] as const
  for (const [one, other] of pairs) assert.ok(share(one, other) || share(other, one), `${one} ${other}`)
  for (const [one, other] of [
    ['bán', 'bạn'],
    ['short', 'shore'],
    ['Müller', 'Miller'],
    ['https://a.b/c', 'httpsabc'],
    ['v2', 'v'],
    ['invoice7', 'invoice8'],
    ['1.2.3.4.5', '12345'],
    ['in 2019, 300', '2019300'],
    ['1234 567', '1234567'],
    ['12, 500 or 12 50', '12500'],
  ] as const)
    assert.ok(!share(one, other), `${one} ${other}`)
  for (const { start, end } of analyze('the children e-mailed')) assert.ok(end > start)
})

test('the keys of a text without positions are those of its words', () => {
  const words = [
    ...['went', 'Running', 'e-mail', 'a.b@c.example', 'v2.10', '12,500', '1 234', 'x'],
    ...['007', 'naïve', '東京', "don't", 'WENT'],
  ]
  const texts = [
    '',
    ...words,
    words.join(' '),
    words.slice(0, 7).join(' '),
    `${words.slice(0, 7).join('\n')}!`,
    'running '.repeat(3_000),
    'a'.repeat(300),
  ]
  for (const text of [...texts, ...texts]) {
    const keys: string[] = []
    countingKeys(() => eachKey(text, (key, isFurther) => keys.push(`${keyText(key)} ${isFurther}`)))
    assert.deepEqual(
      keys.sort(),
      analyze(text)
        .map(({ key, further }) => `${key} ${further !== null}`)
        .sort(),
      text,
    )
  }
})

test('EV-8 with initials, every word that is asked for is found where it is, and no other word comes closer to it', () => {
  const texts = [
    'Ada wrote: the e-mail of bob.smith@example.com went to 北京大学 and カタカナ, see v2.0.1 and Zoë’s résumé.',
    'foo 日本語 bar FOO bar-foo 数据 data.frame 学而时习之 foo bar ㍿ かがみ',
    'plain words only: ran running runs went going goes',
  ]
  const places = (words: ReturnType<typeof analyze>, asked: readonly string[]) =>
    words.filter(({ key }) => asked.includes(key)).map(({ key, start, end }) => [key, start, end])
  for (const text of texts) {
    const all = analyze(text)
    const keys = [...new Set(all.map(({ key }) => key))]
    for (const [i, key] of keys.entries()) {
      const asked = [key, keys[(i * 7 + 3) % keys.length] ?? key]
      assert.deepEqual(places(analyze(text, markInitials(asked)), asked), places(all, asked), asked.join(' '))
      const inSequence = analyze(text, markInitials(asked, true)).filter(({ basic }) => basic)
      const basic = all.filter(word => word.basic)
      assert.deepEqual(
        inSequence.map(word => [word.start, word.end]),
        basic.map(word => [word.start, word.end]),
      )
      assert.deepEqual(places(inSequence, asked), places(basic, asked))
    }
  }
})
