import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MONTHS, writtenDate } from './written-dates.ts'

test('the names of months are those that the system writes, and no others', () => {
  const names = new Map<string, number>()
  for (const language of ['en', 'de', 'es', 'fr', 'it', 'nl', 'pt'])
    for (const month of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(language, { month, timeZone: 'UTC' })
      for (let index = 0; index < 12; index++)
        names.set(
          format
            .format(Date.UTC(2001, index, 15))
            .toLowerCase()
            .replace('.', ''),
          index + 1,
        )
    }
  assert.deepEqual([...MONTHS].sort(), [...names].sort())
})

test('a date is read in each of these languages', () => {
  assert.equal(writtenDate('2. März 2015'), '2015-03-02')
  assert.equal(writtenDate('1 de agosto de 2015'), '2015-08-01')
  assert.equal(writtenDate('août 2015'), '2015-08')
  assert.equal(writtenDate('08/02/2015'), null)
})
