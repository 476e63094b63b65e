import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamDeclaration } from '../src/model/declaration/declaration.ts'
import { folderWith, formatsOf, lookalikeOf, type Reading, readingOf } from './imported-folder.ts'
import { processorTime } from './processor-time.ts'
import { rowsOf, valuesOf } from './rows-of.ts'

const rolesOf = ({ schema }: StreamDeclaration) =>
  Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, { x_pdpp_role }]) =>
      x_pdpp_role ? [[x_pdpp_role, name]] : [],
    ),
  )
const onlyStream = ({ declaration }: Reading) => declaration.streams[0] ?? assert.fail()

const BANK =
  '\ufeffBuchung;Empfänger;Verwendungszweck;Betrag (EUR);Konto;Storno;;Betrag (EUR)\r\n' +
  '31.01.2024;Bäckerei Ähre;"Brot; und\nBrötchen ""frisch""";-1.234,50;0012;false;a;1\r\n' +
  '01.02.2024;Arbeit GmbH;Gehalt;2.500,00;0012;true;b;2\r\n' +
  '\r\n' +
  '02.02.2024;Kiosk;Zeitung;n/a;0012;false\r\n' +
  '02.02.2024;Kiosk;Zeitung am Sonntag;-2,00;0012;false;;3;zu viel\r\n'

test('a table is declared from its data: delimiter, header, types, times and roles', async context => {
  const reading = await readingOf('table', folderWith(context, { 'umsatz.csv': BANK }))
  const stream = onlyStream(reading)
  assert.equal(stream.name, 'rows')
  assert.deepEqual(
    Object.entries(stream.schema.properties).map(([name, property]) => [name, String(property.type)]),
    [
      ['row_id', 'string'],
      ['buchung', 'string,null'],
      ['empfänger', 'string,null'],
      ['verwendungszweck', 'string,null'],
      ['betrag_eur', 'string,null'],
      ['konto', 'string,null'],
      ['storno', 'boolean,null'],
      ['column_7', 'string,null'],
      ['betrag_eur_2', 'number,null'],
      ['occurred_at', 'string,null'],
      ['occurred_at_local', 'string,null'],
      ['other_values', 'object,null'],
    ].map(row => (row[0] === 'betrag_eur' ? ['betrag_eur', 'number,null'] : row)),
  )
  assert.equal(stream.schema.properties.betrag_eur?.title, 'Betrag (EUR)')
  assert.deepEqual([stream.cursor_field, stream.consent_time_field], ['occurred_at', 'occurred_at'])
  const rows = reading.of('rows')
  assert.equal(rows.length, 4)
  assert.deepEqual(
    rows.map(row => [row.occurred_at, row.betrag_eur, row.konto, row.storno]),
    [
      ['2024-01-31T00:00:00Z', -1234.5, '0012', false],
      ['2024-02-01T00:00:00Z', 2500, '0012', true],
      ['2024-02-02T00:00:00Z', null, '0012', false],
      ['2024-02-02T00:00:00Z', -2, '0012', false],
    ],
  )
  assert.equal(rows[0]?.verwendungszweck, 'Brot; und\nBrötchen "frisch"')
  assert.deepEqual(rows[2]?.other_values, { betrag_eur: 'n/a' }, 'a value that does not fit is not lost')
  assert.deepEqual(rows[3]?.other_values, { column_9: 'zu viel' })
})

test('amounts with a currency are numbers, and their currency has a field of its own', async context => {
  const amounts = async (...written: string[]) => {
    const csv = `Item;Price\n${written.map((amount, index) => `Thing no. ${index};${amount}`).join('\n')}\n`
    const reading = await readingOf('table', folderWith(context, { 'a.csv': csv }))
    const { properties } = onlyStream(reading).schema
    return {
      type: String(properties.price?.type),
      currency: properties.price_currency?.title,
      rows: rowsOf(reading.of('rows'), 'price', 'price_currency'),
    }
  }
  const asNumbers = async (...written: string[]) => {
    const { type, currency, rows } = await amounts(...written)
    assert.deepEqual([type, currency], ['number,null', 'Price (currency)'], written.join(' '))
    return rows
  }
  assert.deepEqual(await asNumbers('€ 12,50', '-1.234,00 €', '', '+3 €', '5,00-€'), [
    [12.5, '€'],
    [-1234, '€'],
    [null, null],
    [3, '€'],
    [-5, '€'],
  ])
  assert.deepEqual(await asNumbers('$1,234.00', '-$3', '$-4.5', '($2.00)', '7.00', 'US$8', '$9.00 CAD'), [
    [1234, '$'],
    [-3, '$'],
    [-4.5, '$'],
    [-2, '$'],
    [7, null],
    [8, 'US$'],
    [9, 'CAD'],
  ])
  assert.deepEqual(await asNumbers('12.50 CHF', "CHF 1'234.50", '\u2212£3'), [
    [12.5, 'CHF'],
    [1234.5, 'CHF'],
    [-3, '£'],
  ])
  assert.deepEqual(await asNumbers('1 234 567,89 zł', '99 kr'), [
    [1234567.89, 'zł'],
    [99, 'kr'],
  ])
  for (const texts of [
    ['12 cm', '3 cm'],
    ['€ 5', 'free'],
    ['3 ABC', '4 ABC'],
    ['$5-10', '$3'],
    ['(€ 5', '€ 6'],
  ])
    assert.deepEqual(
      (await amounts(...texts)).rows,
      texts.map(text => [text, undefined]),
    )
})

test('later amounts and cells beyond the table keep their place', async context => {
  const rows = Array.from({ length: 1_000 }, (_, index) => `Thing no. ${index},$${index}.50`)
  const csv = ['Item,Price', ...rows, 'Coat,on loan', 'Hat,€3,too many'].join('\n')
  const found = (await readingOf('table', folderWith(context, { 'a.csv': csv }))).of('rows').slice(-2)
  assert.deepEqual(rowsOf(found, 'price', 'price_currency', 'other_values'), [
    [null, null, { price: 'on loan' }],
    [3, '€', { column_3: 'too many' }],
  ])
})

test('roles are found by the names and the values of columns', async context => {
  const csv = [
    'id,created_at,author,to,channel,tags,title,notes,amount',
    '1,2024-03-05 10:00:00 +0100,Ada,Grace,inbox,home,First,A longer text about this and that,1.5',
    '2,2024-03-06 10:00:00 +0100,Grace,Ada,inbox,work,Second,Another text with several words,2',
  ].join('\n')
  const reading = await readingOf('table', folderWith(context, { 'x.csv': csv }))
  const stream = onlyStream(reading)
  assert.deepEqual(rolesOf(stream), {
    actor: 'author',
    recipient: 'to',
    place: 'channel',
    label: 'tags',
    'primary-title': 'title',
    'primary-text': 'notes',
    'event-time': 'occurred_at',
  })
  assert.deepEqual(stream.query?.aggregations?.sum, ['amount'])
  assert.deepEqual(stream.query?.search?.lexical_fields, [
    'author',
    'to',
    'channel',
    'tags',
    'title',
    'notes',
    'other_values',
  ])
  const [first] = reading.of('rows')
  assert.deepEqual(
    [first?.occurred_at, first?.occurred_at_local],
    ['2024-03-05T09:00:00Z', '2024-03-05T10:00:00+01:00'],
  )
})

test('an ambiguous date stays text; an unambiguous one becomes a time', async context => {
  const rows = (dates: string[]) =>
    `date,what\n${dates.map((date, index) => `${date},thing ${index}`).join('\n')}\n`
  const times = async (dates: string[]) => {
    const reading = await readingOf('table', folderWith(context, { 'a.csv': rows(dates) }))
    return reading.of('rows').map(row => row.occurred_at)
  }
  assert.deepEqual(await times(['03/04/2024', '05/06/2024']), [undefined, undefined])
  assert.deepEqual(await times(['03/14/2024', '05/06/2024 1:05 PM']), [
    '2024-03-14T00:00:00Z',
    '2024-05-06T13:05:00Z',
  ])
  assert.deepEqual(await times(['14/03/2024', '05/06/2024']), [
    '2024-03-14T00:00:00Z',
    '2024-06-05T00:00:00Z',
  ])
  assert.deepEqual(await times(['1709600000', '1709700000']), [
    '2024-03-05T00:53:20Z',
    '2024-03-06T04:40:00Z',
  ])
  assert.deepEqual(await times(['Thu Jun 06 09:12:01 +0000 2019', '7 Jun 2019']), [
    '2019-06-06T09:12:01Z',
    '2019-06-07T00:00:00Z',
  ])
})

test('times without a zone are those of the clock of the owner; days, zones and columns in UTC stay', async context => {
  const timesOf = async (column: string, values: readonly string[], zone: string) => {
    const text = `${column},what\n${values.map((value, index) => `${value},thing ${index}`).join('\n')}\n`
    const rows = (await readingOf('table', folderWith(context, { 'a.csv': text }), zone)).of('rows')
    return { ids: rows.map(row => row.row_id), times: rows.map(row => row.occurred_at), rows }
  }
  const times = ['2024-07-03 00:30:00', '2024-02-03 00:00', '2024-02-03', '2024-02-03T12:00:00Z']
  const berlin = await timesOf('date', times, 'Europe/Berlin')
  assert.deepEqual(berlin.times, [
    '2024-07-02T22:30:00Z',
    '2024-02-02T23:00:00Z',
    '2024-02-03T00:00:00Z',
    '2024-02-03T12:00:00Z',
  ])
  const utc = await timesOf('date', times, 'UTC')
  assert.deepEqual(berlin.ids, utc.ids)
  const local = ({ rows }: typeof utc) => rows.map(row => row.occurred_at_local)
  assert.deepEqual(local(berlin), local(utc))
  for (const [column, values] of [
    ['date', ['31.01.2024', '01.02.2024']],
    ['date', ['2024-01-31 00:00:00', '2024-02-01 00:00:00']],
    ['created_utc', ['2024-01-31 10:00:00', '2024-02-01 10:00:00']],
  ] as const) {
    assert.deepEqual(
      await timesOf(column, values, 'Europe/Berlin'),
      await timesOf(column, values, 'UTC'),
      column,
    )
  }
})

test('a column of time zones says in which zone the time of its row is', async context => {
  const csv = [
    'Date,Time,TimeZone,Name',
    '31/07/2024,14:00:00,PDT,Ada',
    '31/07/2024,14:00:00,Europe/Berlin,Ben',
    '31/01/2024,14:00:00,GMT+5:30,Cem',
    '31/01/2024,14:00:00,+0100,Dee',
    '31/01/2024,14:00:00,Mars,Eve',
    '31/01/2024,14:00:00,,Fay',
  ].join('\n')
  const reading = await readingOf('table', folderWith(context, { 'a.csv': csv }), 'Asia/Tokyo')
  assert.deepEqual(rowsOf(reading.of('rows'), 'time_zone', 'occurred_at'), [
    ['PDT', '2024-07-31T21:00:00Z'],
    ['Europe/Berlin', '2024-07-31T12:00:00Z'],
    ['GMT+5:30', '2024-01-31T08:30:00Z'],
    ['+0100', '2024-01-31T13:00:00Z'],
    ['Mars', '2024-01-31T05:00:00Z'],
    [null, '2024-01-31T05:00:00Z'],
  ])
  const objects = [1, 2].map(id => ({ id, when: '2024-07-31 14:00', tz: 'CEST', text: `item ${id}` }))
  const json = await readingOf('table', folderWith(context, { 'b.json': JSON.stringify(objects) }))
  assert.deepEqual(valuesOf(json.of('rows'), 'occurred_at'), ['2024-07-31T12:00:00Z', '2024-07-31T12:00:00Z'])
})

test('tables without a header, with lines above it, in other charsets and in UTF-16 are read', async context => {
  const plain = await readingOf(
    'table',
    folderWith(context, { 'a.csv': '2024-01-01,Ada,7\n2024-01-02,Grace,8\n' }),
  )
  assert.deepEqual(
    plain.of('rows').map(row => [row.column_1, row.column_2, row.column_3]),
    [
      ['2024-01-01', 'Ada', 7],
      ['2024-01-02', 'Grace', 8],
    ],
  )
  const above = 'Account 7\nname,city,age\nAda,London,36\nGrace,New York,85\nAlan,Wilmslow,41\n'
  const preamble = await readingOf('table', folderWith(context, { 'a.csv': above }))
  assert.deepEqual([preamble.of('rows').length, preamble.of('rows')[0]?.city], [3, 'London'])
  assert.deepEqual(rowsOf(preamble.rejections, 'place', 'code'), [['a.csv, line 1', 'above_the_table']])
  const latin = await readingOf(
    'table',
    folderWith(context, { 'a.csv': Buffer.from('name;ort\nJos\xe9;K\xf6ln\n', 'latin1') }),
  )
  assert.deepEqual([latin.of('rows')[0]?.name, latin.of('rows')[0]?.ort], ['José', 'Köln'])
  const cyrillic = Buffer.from(
    '\xc4\xe0\xf2\xe0;\xd1\xf3\xec\xec\xe0;\xce\xef\xe8\xf1\xe0\xed\xe8\xe5\n5;6;\xd7\xe0\xe9\n',
    'latin1',
  )
  const [tea] = (await readingOf('table', folderWith(context, { 'a.csv': cyrillic }))).of('rows')
  assert.deepEqual([tea?.дата, tea?.сумма, tea?.описание], [5, 6, 'Чай'])
  const wide = Buffer.from('\ufeffname\tort\nJosé\tKöln\n', 'utf16le')
  assert.equal((await readingOf('table', folderWith(context, { 'a.tsv': wide }))).of('rows')[0]?.ort, 'Köln')
})

test('equal rows stay separate records, and a row with an id keeps its record when it changes', async context => {
  const coffee = 'day,what\n2024-01-01,coffee\n2024-01-01,coffee\n2024-01-02,tea\n'
  const ids = (reading: Reading) => reading.of('rows').map(row => row.row_id)
  const before = ids(await readingOf('table', folderWith(context, { 'a.csv': coffee })))
  assert.equal(new Set(before).size, 3)
  const grown = await readingOf('table', folderWith(context, { 'b.csv': `${coffee}2024-01-02,tea\n` }))
  assert.deepEqual(ids(grown).slice(0, 3), before)

  const one = await readingOf(
    'table',
    folderWith(context, {
      'a.jsonl': '{"id":1,"x":"a"}\n{"id":2,"x":"b"}\n{"id":2,"x":"c"}\n{"id":3,"x":"d"}',
    }),
  )
  assert.equal(new Set(ids(one)).size, 4)
  const two = await readingOf(
    'table',
    folderWith(context, { 'a.jsonl': '{"id":1,"x":"new"}\n{"id":5,"x":"b"}' }),
  )
  const three = await readingOf(
    'table',
    folderWith(context, { 'a.jsonl': '{"id":1,"x":"old"}\n{"id":6,"x":"b"}' }),
  )
  assert.equal(ids(two)[0], ids(three)[0])
  assert.equal(two.declaration.source.id, three.declaration.source.id, 'the same shape is the same source')
})

test('JSON of any shape: lists at the root or below keys, lines, single objects, nested and mixed values', async context => {
  const root = await readingOf(
    'table',
    folderWith(context, { 'a.json': [{ a: 1, deep: { b: ['c'] } }, { a: 'x' }, 7] }),
  )
  assert.deepEqual(
    root.of('rows').map(({ row_id: _, ...row }) => row),
    [
      { a: 1, deep: { b: ['c'] }, value: null, other_values: null },
      { a: 'x', deep: null, value: null, other_values: null },
      { a: null, deep: null, value: 7, other_values: null },
    ],
  )
  const below = { version: 1, chats: { list: [{ name: 'n1' }, { name: 'n2' }] }, contacts: [{ phone: '1' }] }
  const lists = await readingOf('table', folderWith(context, { 'b.json': JSON.stringify(below, null, 2) }))
  assert.deepEqual(valuesOf(lists.declaration.streams, 'name'), ['b', 'contacts'])
  assert.deepEqual([lists.of('b').length, lists.of('contacts').length], [2, 1])

  const note = (title: string, more: object) => ({
    title,
    text: 'Some text',
    pinned: false,
    at: 1,
    color: 'x',
    ...more,
  })
  const objects = { 'n/one.json': note('One', {}), 'n/two.json': note('Two', { labels: [{ name: 'l' }] }) }
  const notes = await readingOf('table', folderWith(context, objects))
  assert.deepEqual(
    notes.of('rows').map(row => [row.title, row.labels, row.file_name]),
    [
      ['One', null, 'one'],
      ['Two', [{ name: 'l' }], 'two'],
    ],
  )
  const large = await readingOf(
    'table',
    folderWith(context, { 'c.ndjson': '{"n":12345678901234567890}\n{"n":1}\n' }),
  )
  assert.equal(JSON.stringify(large.of('rows')[0]?.n), '12345678901234567890')
})

test('later values that match no column are kept', async context => {
  const lines = Array.from({ length: 1200 }, (_, index) => JSON.stringify({ n: index, t: 'x' }))
  lines.push('{"n":"many","t":"y","extra":{"a":1},"__proto__":{"b":2}}')
  const reading = await readingOf('table', folderWith(context, { 'a.jsonl': lines.join('\n') }))
  const last = reading.of('rows').at(-1)
  assert.equal(last?.n, null)
  assert.deepEqual(
    JSON.parse(JSON.stringify(last?.other_values)),
    JSON.parse('{"n":"many","extra":{"a":1},"__proto__":{"b":2}}'),
  )
})

test('texts crafted to be slow are read in linear time', async context => {
  const spent = processorTime()
  const inner = JSON.stringify('"{['.repeat(60_000))
  const files = {
    'long.csv': `a,b\n${'x'.repeat(300_000)},1\n${'y'.repeat(300_000)},2\n`,
    'cut.json': `{"list":[{"a":${inner}},{"a":${inner}},{"a":${inner}}]}`,
  }
  const reading = await readingOf('table', folderWith(context, files))
  assert.equal(reading.records.length, 5)
  assert.ok(spent() < 10_000)
})

test('an invalid row is rejected with its location; an unclosed quote loses one line', async context => {
  const lines = await readingOf('table', folderWith(context, { 'a.jsonl': '{"a":1}\n{"a":\n\n{"a":3}\n' }))
  assert.deepEqual(rowsOf(lines.rejections, 'place', 'code'), [['a.jsonl, line 2', 'not_json']])
  assert.equal(lines.of('rows').length, 2)
  const csv = 'a,b\n1,x\n2,"never closed\n3,y\n4,"he said "hi" twice"\n5,z\n'
  const quote = await readingOf('table', folderWith(context, { 'a.csv': csv }))
  assert.deepEqual(
    quote.of('rows').map(row => row.b),
    ['x', 'never closed\n3,y\n4,"he said "hi" twice', 'z'],
  )
  const open = await readingOf('table', folderWith(context, { 'a.csv': 'a,b\n1,x\n2,"never closed\n3,y\n' }))
  assert.deepEqual(rowsOf(open.rejections, 'place', 'code'), [['a.csv, line 3', 'open_quote']])
  assert.equal(open.of('rows').length, 2)
})

test('a few characters do not become a record with thousands of columns', async context => {
  const line = (cell: (n: number) => string | number, cells: number) =>
    Array.from({ length: cells }, (_, n) => cell(n)).join(',')
  const files = {
    'a.csv': [
      line(n => `c${n}`, 1_000),
      ...Array.from({ length: 200 }, (_, row) => line(n => row + n, 1_000)),
      '1,2,3',
      line(n => n, 100),
    ].join('\n'),
    'b.csv': `${line(n => `c${n}`, 40)}\n${line(n => n, 40)}\n${line(n => n + 1, 40)}\n7\n`,
  }
  const { rejections, records } = await readingOf('table', folderWith(context, files))
  assert.deepEqual(rowsOf(rejections, 'place', 'code'), [['a.csv, line 202', 'cells_missing']])
  assert.equal(records.length, 201 + 3)
})

test('an empty list or a table without rows is nothing to reject beside others', async context => {
  const files = { 'a.csv': 'a,b\n1,2\n', 'b.json': '[]', 'c.csv': 'Name,Due\n', 'd.csv': '' }
  const { rejections, of, finding } = await readingOf('table', folderWith(context, files))
  assert.deepEqual([rejections, of('rows').length, finding.files.length], [[], 1, 4])
  assert.match(
    (await lookalikeOf('table', folderWith(context, { 'b.json': '[]' }))) ?? '',
    /b\.json contains no rows/,
  )
})

test('of the two files of a Notion database only the one with all rows is read', async context => {
  const id = '0123456789abcdef0123456789abcdef'
  const folder = folderWith(context, {
    [`Tasks ${id}.csv`]: '\ufeffName,Status\nBake,Open\n',
    [`Tasks ${id}_all.csv`]: '\ufeffName,Status\nBake,Open\nEat,Done\n',
    'Other_all.csv': 'Name,Status\nWash,Open\n',
    'Other.csv': 'Name,Status\nDry,Open\n',
  })
  const { of, finding } = await readingOf('table', folder)
  assert.deepEqual(valuesOf(of('rows'), 'name'), ['Dry', 'Wash', 'Bake', 'Eat'])
  assert.equal(finding.files.length, 4)
})

test('a file that only looks like a table is refused with the reason, or rejected beside real tables', async context => {
  const reason = (files: Record<string, string | Uint8Array>) =>
    lookalikeOf('table', folderWith(context, files))
  assert.match(
    (await reason({ 'a.csv': '<!doctype html><p>Sign in</p>' })) ?? '',
    /a\.csv: .* is HTML or XML/,
  )
  assert.match((await reason({ 'a.csv': Buffer.alloc(100) })) ?? '', /is not text/)
  assert.match((await reason({ 'a.json': 'Error: not found' })) ?? '', /does not begin like JSON/)
  assert.match((await reason({ 'a.json': '{"a": 1' })) ?? '', /not JSON/)
  assert.match((await reason({ 'a.json': '' })) ?? '', /a\.json is empty/)
  assert.equal(
    await reason({ 'letter.txt': 'Dear Ada,\nit was nice, really, to see you,\nyours, Grace\n' }),
    null,
  )
  const mixed = await readingOf('table', folderWith(context, { 'a.json': '{"a": 1', 'b.csv': 'a,b\n1,2\n' }))
  assert.deepEqual(rowsOf(mixed.rejections, 'place', 'code'), [['a.json', 'not_a_table']])
  assert.deepEqual(
    await formatsOf(folderWith(context, { 'b.csv': 'a,b\n1,2\n', '.cache/x.json': '[{"a":1}]' })),
    ['table'],
  )
})
