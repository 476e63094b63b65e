import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MONTHS, writtenDate } from './written-dates.ts'

test('the names of months are those that the system writes, and forms of them', () => {
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
  // In these, a date has another form of the name than a month alone, and a preposition asks for a third one.
  for (const language of ['ru', 'uk', 'pl', 'el', 'ro', 'tr', 'ar', 'hi'])
    for (const day of [undefined, 'numeric'] as const) {
      const format = new Intl.DateTimeFormat(language, { day, month: 'long', timeZone: 'UTC' })
      for (let index = 0; index < 12; index++) {
        const parts = format.formatToParts(Date.UTC(2001, index, 15))
        names.set((parts.find(({ type }) => type === 'month')?.value ?? '').toLowerCase(), index + 1)
      }
    }
  for (const [name, month] of names) assert.equal(MONTHS.get(name), month, name)
  const begins = (name: string) => name.normalize('NFD').slice(0, 2)
  for (const [name, month] of MONTHS)
    assert.ok(
      [...names].some(([other, its]) => its === month && begins(other) === begins(name)),
      name,
    )
})

test('a date is read in each of these languages', () => {
  assert.equal(writtenDate('2. März 2015'), '2015-03-02')
  assert.equal(writtenDate('1 de agosto de 2015'), '2015-08-01')
  assert.equal(writtenDate('août 2015'), '2015-08')
  assert.equal(writtenDate('2 августа 2015'), '2015-08-02')
  assert.equal(writtenDate('2 Ağustos 2015'), '2015-08-02')
  assert.equal(writtenDate('08/02/2015'), null)
})
