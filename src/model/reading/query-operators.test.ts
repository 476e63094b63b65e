import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quoteNames, takeOperators } from './query-operators.ts'

const taken = (query: string) => {
  const { operators, words } = takeOperators(query)
  return [...operators.map(({ name, value }) => `${name}=${value}`), words.trim()].join(' | ')
}

test('AN-4: a time of several words belongs to its operator, the words after it do not', () => {
  for (const [query, meant] of [
    ['tea on:July 2015', 'on=July 2015 | tea'],
    ['on:2 August 2015 tea party', 'on=2 August 2015 | tea party'],
    ['on:August 2, 2015 tea', 'on=August 2, 2015 | tea'],
    ['after:last week tea', 'after=last week | tea'],
    ['after:June 2015 before:2nd of August 2015', 'after=June 2015 | before=2nd of August 2015 | '],
    ['after:2015-06-10 14:00 before:2015-07', 'after=2015-06-10 14:00 | before=2015-07 | '],
    ['on:2015 2 August', 'on=2015 | 2 August'],
    ['on:"July 2015" 2016', 'on=July 2015 | 2016'],
    ['since:yesterday last week', 'since=yesterday | last week'],
    ['after:lunch last week', 'after=lunch | last week'],
    ['beforehand:July 2015', 'beforehand:July 2015'],
  ] as const)
    assert.equal(taken(query), meant, query)
})

test('AN-4: a name of several words can be put in quotation marks', () => {
  assert.equal(
    quoteNames('from:Hedda Ruusk in:#the harbour on:2015 OR from:Nora'),
    'from:"Hedda Ruusk" in:"#the harbour" on:2015 OR from:Nora',
  )
  assert.equal(quoteNames('from:Ada OR from:Nora Lind'), 'from:Ada OR from:"Nora Lind"')
  assert.equal(quoteNames('from:(Ada, Nora) from:"Ada" tea'), 'from:(Ada, Nora) from:"Ada" tea')
})
