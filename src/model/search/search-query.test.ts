import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorTime } from '../../../test/processor-time.ts'
import { phrasesAsWords } from './quoted-words.ts'
import { requiredParts } from './required-parts.ts'
import { isFurther, parseSearchQuery, requiredClues, writtenClues } from './search-query.ts'

/** The clues of a query without the further keys of its words. */
const requiredOrStop = (text: string) => parseSearchQuery(text).clues.filter(clue => !isFurther(clue))

const shown = (text: string) =>
  requiredOrStop(text).map(clue =>
    clue.kind === 'phrase'
      ? `"${clue.keys.join(' ')}"`
      : `${clue.key}${clue.kind === 'prefix' ? '*' : ''}${clue.stop ? ' (stop)' : ''}`,
  )

test('words, phrases, prefixes and exclusions are recognised', () => {
  assert.deepEqual(shown('the budget "quarterly plan" rep*'), [
    'the (stop)',
    'budget',
    '"quarterli plan"',
    'rep*',
  ])
  assert.deepEqual(parseSearchQuery('late -running -bob@example.com').excluded.length, 2)
  assert.deepEqual(parseSearchQuery('late -running').excluded, [{ keys: ['run'], phrase: false }])
  assert.deepEqual(parseSearchQuery('late -"running trains" -"plans" - "on time"').excluded, [
    { keys: ['run', 'train'], phrase: true },
    { keys: ['plan'], phrase: false },
  ])
  assert.deepEqual(shown('late -"running trains" half-"on time"'), ['late', 'half', '"on time"'])
})

test('a repeated word counts twice; a whole name counts half, in addition to its parts', () => {
  const weights = (text: string) => requiredOrStop(text).map(clue => clue.weight)
  assert.deepEqual(weights('plan plans other'), [2, 1])
  assert.deepEqual(weights('a.txt'), [1, 0.5, 1])
})

test('a Vietnamese word is no stop word, although it looks like one without its accents', () => {
  assert.deepEqual(shown('số của the so'), ['so', 'cua', 'the (stop)'])
  assert.deepEqual(shown('cần can'), ['can'])
  assert.deepEqual(shown('à la carte'), ['a (stop)', 'la', 'cart'])
})

test('stop words decide only if there is nothing else, or if they are quoted', () => {
  assert.deepEqual(shown('to be or not'), ['to', 'be', 'or', 'not'])
  assert.deepEqual(shown('the "the" cat'), ['the', 'cat'])
})

test('words that only ask are stop words', () => {
  const asked = (text: string) =>
    requiredClues(parseSearchQuery(text).clues).map(clue => 'key' in clue && clue.key)
  assert.deepEqual(asked('What did Claude say about sourdough?'), ['claud', 'sourdough'])
  assert.deepEqual(asked('When did we last talk about the harbour'), ['last', 'harbour'])
  assert.deepEqual(asked('who suggested keeping a paper log?'), ['keep', 'paper', 'log'])
  assert.deepEqual(asked('Please tell me everything about Renee'), ['rene'])
  assert.deepEqual(asked('find all invoices'), ['invoic'])
  assert.deepEqual(asked('say'), ['sai'])
  assert.deepEqual(asked('what is the talk about maps'), ['talk', 'map'])
  assert.deepEqual(asked('what did he say about "say"'), ['sai'])
  assert.deepEqual(asked('find maps'), ['find', 'map'])
  assert.deepEqual(asked('When does the ferry leave, according to Ann Roe?'), ['ferri', 'leav', 'ann', 'roe'])
  assert.deepEqual(asked('according to Ann, when?'), ['ann'])
  assert.deepEqual(asked('books sorted according to size and colour of the cover'), [
    ...['book', 'sort', 'accord', 'size', 'colour', 'cover'],
  ])
})

test('punctuation gives no clue, and long queries are refused', () => {
  for (const text of ['"', '""', '-', '- -', '*', '🏽', '\u0301', '\ufe0f', '"" -', '((('])
    assert.deepEqual(parseSearchQuery(text).clues, [], text)
  const [prefix] = parseSearchQuery(`${'x'.repeat(900)}*`).clues
  assert.ok(prefix?.kind === 'prefix' && prefix.key.length <= 64)
  assert.deepEqual(shown('⑴⑵*'), ['12*'])
  assert.deepEqual(shown('北京大*'), ['"北京 京大"'])
  assert.throws(() => parseSearchQuery('a'.repeat(4_001)))
})

test('a quoted question or long sentence is words, and so is a minus with one character or a small number', () => {
  assert.deepEqual(parseSearchQuery('-12 -273.15 degrees').excluded, [])
  assert.equal(parseSearchQuery('report -2023 -3d').excluded.length, 2)
  const parsed = parseSearchQuery('"Where is the harbour?"')
  assert.ok(parsed.quoted && parsed.clues.every(({ kind }) => kind === 'word'))
  assert.ok(parseSearchQuery('"one two three four five six seven eight"').quoted)
  assert.deepEqual(shown('"two short words"'), ['"two short word"'])
  assert.deepEqual(shown('x "Where is it?"').at(-1), '"where is it"')
  assert.deepEqual(parseSearchQuery('rebase -i -5 -n1').excluded.length, 1)
  assert.deepEqual(parseSearchQuery('"Where is the harbour?" ', ['meant_quotes']).quoted, false)
})

test('the words of phrases replace the phrases', () => {
  const loose = phrasesAsWords(parseSearchQuery('plan "the garden plan" rep*'))
  assert.deepEqual(
    loose.clues
      .filter(clue => !isFurther(clue))
      .map(clue => [clue.kind, clue.kind === 'phrase' ? '' : clue.key, clue.weight, clue.stop]),
    [
      ['word', 'plan', 2, false],
      ['word', 'the', 1, true],
      ['word', 'garden', 1, false],
      ['prefix', 'rep', 1, false],
    ],
  )
})

test('EV-8 further keys find and rank, are not required, and can be left out', () => {
  const all = parseSearchQuery('committees went')
  const kinds = (clues: readonly object[]) => clues.map(clue => ('further' in clue ? clue.further : null))
  assert.deepEqual(kinds(all.clues), [null, null, 'beginning', 'form'])
  assert.equal(requiredClues(all.clues).length, 2)
  assert.deepEqual(kinds(parseSearchQuery('committees went', ['beginning']).clues), [null, null, 'form'])
  assert.equal(requiredOrStop('because').length, parseSearchQuery('because').clues.length)
  const weights = parseSearchQuery('これはペンです').clues.map(({ weight }) => weight)
  assert.ok(weights.includes(0.5) && weights.includes(1))
  assert.ok(parseSearchQuery('すでに').clues.every(({ weight }) => weight === 1))
  assert.ok(parseSearchQuery('これはペンです', ['segments']).clues.some(({ weight }) => weight === 0.5))
})

test('names that mail programs have for operators are understood', () => {
  const { operators, clues } = parseSearchQuery(
    'sender:hedda channel:"the harbour" label:boats recipient:ada gull',
  )
  assert.deepEqual(operators, [
    { name: 'from', value: 'hedda' },
    { name: 'in', value: 'the harbour' },
    { name: 'in', value: 'boats' },
    { name: 'to', value: 'ada' },
  ])
  assert.deepEqual(clues, parseSearchQuery('gull').clues)
  assert.deepEqual(parseSearchQuery('gull -subject:boat').excluded, parseSearchQuery('gull -boat').excluded)
  for (const name of ['subject', 'title', 'filename', 'Subject'])
    assert.deepEqual(
      parseSearchQuery(`${name}:"engine plan" gull`).clues,
      parseSearchQuery('"engine plan" gull').clues,
    )
})

test('an operator has alternatives after OR or in brackets, and mail programs write ages', () => {
  const operators = (text: string) =>
    parseSearchQuery(text).operators.map(({ name, value }) => `${name}:${value}`)
  assert.deepEqual(operators('from:ada OR sender:"ben b" OR from:cy boat'), ['from:ada OR ben b OR cy'])
  assert.deepEqual(operators('from:(ada OR ben) to:cy'), ['from:ada OR ben', 'to:cy'])
  assert.deepEqual(operators('from:ada OR in:boat'), ['from:ada', 'in:boat'])
  assert.deepEqual(operators('newer_than:7d older_than:1y'), ['since:-7d', 'before:-1y'])
  assert.deepEqual(parseSearchQuery('from:ada OR from:ben').clues, [])
  const { foreign, clues } = parseSearchQuery('is:unread site:https://x.example std::list boat')
  assert.deepEqual(foreign, ['is:unread', 'site:https://x.example'])
  assert.ok(clues.length > 3)
  assert.deepEqual(parseSearchQuery('source://x from: is: boats').foreign, [])
})

test('EV-1 a word and its base form together weigh as much as any other word', () => {
  const weighed = ({ clues }: ReturnType<typeof parseSearchQuery>) =>
    clues.reduce((sum, { weight }) => sum + weight, 0)
  assert.equal(weighed(parseSearchQuery('said')), weighed(parseSearchQuery('kite')))
  assert.equal(weighed(parseSearchQuery('went', ['form'])), weighed(parseSearchQuery('kite')))
})

test('a word that is nearly only signs is read as quickly as any other', () => {
  const spent = processorTime()
  for (const sign of [')', '\u0301', '\u200d', '\u{1F600}']) {
    const query = `a${sign.repeat(3_990 / [...sign].length)}b`
    assert.ok(parseSearchQuery(query).clues.length > 0)
    assert.deepEqual(requiredParts(query), [query])
  }
  assert.ok(spent() < 500, `${spent()} ms`)
})

test('what is written between spaces in a script without them counts as one word', () => {
  const runs = (text: string) => parseSearchQuery(text).runs
  assert.equal(runs('リボンの設定を開くには？'), 1)
  assert.equal(runs('設定 ตาราง'), 2)
  assert.equal(runs('設定、猫'), 2)
  assert.equal(runs('GPSナビ settings'), 1)
  assert.equal(runs('settings'), 0)
})

test('the words of the segmenter need not be in a text that contains a whole query', () => {
  const query = parseSearchQuery('コピー機 paper')
  const keys = writtenClues(query).map(clue => 'key' in clue && clue.key)
  assert.deepEqual(keys, ['コピ', 'ピー', 'ー機', 'paper'])
})
