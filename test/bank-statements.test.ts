import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { folderWith, readingOf } from './imported-folder.ts'
import { rowsOf, valuesOf } from './rows-of.ts'

test('statements of banks: lines above a short table, a delimiter too many, amounts and days of each country', async context => {
  const german =
    'Umsätze;Datei erstellt am: 05.01.2026\n;aktuell\nIBAN;DE12\nSaldo;1,00;EUR\n\n' +
    'Buchung;Empfänger;Betrag;Währung\n05.01.2026;REWE;-23,45;EUR\n06.01.2026;Miete;-1.800,00;EUR\n'
  const above = await readingOf('table', folderWith(context, { 'giro.csv': german }))
  assert.deepEqual(rowsOf(above.of('rows'), 'empfänger', 'betrag'), [
    ['REWE', -23.45],
    ['Miete', -1800],
  ])
  assert.equal(above.rejections.length, 4)
  const chase = 'Details,Posting Date,Amount,Check\nDEBIT,12/31/2025,-5.00,,\nCREDIT,01/02/2026,7.00,,\n'
  const longer = await readingOf('table', folderWith(context, { 'a.csv': chase }))
  assert.deepEqual(rowsOf(longer.of('rows'), 'details', 'amount', 'occurred_at', 'other_values'), [
    ['DEBIT', -5, '2025-12-31T00:00:00Z', null],
    ['CREDIT', 7, '2026-01-02T00:00:00Z', null],
  ])
  assert.deepEqual(longer.rejections, [])
  for (const [written, read] of [
    [
      ['+1.234,50', '-5,00'],
      [1234.5, -5],
    ],
    [
      ['1 234,56', '−20 000,00'],
      [1234.56, -20000],
    ],
    [
      ["1'234.50", '7.00'],
      [1234.5, 7],
    ],
    [
      ['1,23,456.78', '345.00'],
      [123456.78, 345],
    ],
    [
      ['10,00-', '3,00'],
      [-10, 3],
    ],
    [
      ['+49 170 123', '030 5'],
      ['+49 170 123', '030 5'],
    ],
    [
      ['1 234', '5 678'],
      ['1 234', '5 678'],
    ],
  ] as const) {
    const text = `what;amount\n${written.map(amount => `x;${amount}\n`).join('')}`
    const { of } = await readingOf('table', folderWith(context, { 'a.csv': text }))
    assert.deepEqual(valuesOf(of('rows'), 'amount'), read)
  }
})

test('sums below a table and mostly empty rows above it do not hide what the columns are', async context => {
  const sums =
    'Buchungstag;Vorgang;Umsatz;\n05.01.2026;Einkauf;-23,45;\n02.01.2026;Miete;-1.023,45;\n' +
    'Alter Kontostand;2.281,46 EUR;\n'
  const below = await readingOf('table', folderWith(context, { 'a.csv': sums }))
  assert.deepEqual(rowsOf(below.of('rows'), 'buchungstag', 'occurred_at', 'umsatz'), [
    ['05.01.2026', '2026-01-05T00:00:00Z', -23.45],
    ['02.01.2026', '2026-01-02T00:00:00Z', -1023.45],
    ['Alter Kontostand', null, null],
  ])
  const venmo =
    ',Statement,,,\n,,,,\n,ID,Datetime,Note,From\n,,,,\n,1,2026-01-05T10:00:00,Pizza,Bob\n,2,2026-01-06T10:00:00,Rent,Ann\n'
  const above = await readingOf('table', folderWith(context, { 'a.csv': venmo }))
  assert.deepEqual(rowsOf(above.of('rows'), 'datetime', 'note', 'occurred_at'), [
    ['2026-01-05T10:00:00', 'Pizza', '2026-01-05T10:00:00Z'],
    ['2026-01-06T10:00:00', 'Rent', '2026-01-06T10:00:00Z'],
  ])
})

test('a day and a time of day in two columns are one time', async context => {
  const text =
    'Date,Time,TimeZone,Gross\n05/01/2026,12:34:56,CET,1.00\n13/01/2026,,CET,2.00\n14/01/2026,1:05 PM,CET,3.00\n'
  const reading = await readingOf('table', folderWith(context, { 'a.csv': text }), 'Europe/Berlin')
  assert.deepEqual(rowsOf(reading.of('rows'), 'time', 'occurred_at', 'occurred_at_local'), [
    ['12:34:56', '2026-01-05T11:34:56Z', '2026-01-05T12:34:56'],
    [null, '2026-01-13T00:00:00Z', '2026-01-13'],
    ['1:05 PM', '2026-01-14T12:05:00Z', '2026-01-14T13:05:00'],
  ])
  const runs = folderWith(context, { 'a.csv': 'date,elapsed time\n2026-01-05,1:30:00\n2026-01-06,2:00:00\n' })
  assert.equal((await readingOf('table', runs)).of('rows')[0]?.occurred_at, '2026-01-05T00:00:00Z')
})

test('the order of day and month is also known from other columns, and from semicolons', async context => {
  const timesIn = async (text: string) =>
    valuesOf((await readingOf('table', folderWith(context, { 'a.csv': text }))).of('rows'), 'occurred_at')
  assert.deepEqual(await timesIn('date,value day,what\n05/01/2026,05/01/2026,a\n06/01/2026,13/01/2026,b\n'), [
    '2026-01-05T00:00:00Z',
    '2026-01-06T00:00:00Z',
  ])
  assert.deepEqual(await timesIn('fecha;importe\n05/01/2026;1,00\n06/01/2026;2,00\n'), [
    '2026-01-05T00:00:00Z',
    '2026-01-06T00:00:00Z',
  ])
})

test('a table is named after its file, without the number that Notion adds', async context => {
  const nameOf = async (file: string) => {
    const path = join(folderWith(context, { [file]: 'name,done\nA,Yes\nB,No\n' }), file)
    return (await readingOf('table', path)).declaration.streams[0]?.name
  }
  assert.equal(await nameOf('Habit Tracker 152bb52ee2b5804da922efa8c3194444_all.csv'), 'habit_tracker')
  assert.equal(await nameOf('n26.csv'), 'n26')
  assert.equal(await nameOf('orders-2025.csv'), 'orders')
})
