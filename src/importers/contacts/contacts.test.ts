import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderWith, foundAs, readingOf } from '../../../test/imported-folder.ts'
import { rowsOf, valuesOf } from '../../../test/rows-of.ts'
import type { Finding } from '../importer.ts'
import { openSource } from '../source/open.ts'

const card = (...lines: string[]) => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n')

test('cards of versions 2.1, 3.0 and 4.0 are read', async context => {
  const folder = folderWith(context, {
    'a.vcf':
      card(
        'VERSION:2.1',
        'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;=C3=84nne;;;',
        'FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C3=84nne=20=',
        'M=C3=BCller',
        'TEL;HOME;VOICE:+49 30 1234',
        'REV:20240131T101500Z',
      ) +
      card(
        'VERSION:3.0',
        'FN:Ben Ltd\\, Berlin',
        'N:Ltd;Ben;;;',
        'item1.EMAIL;TYPE=INTERNET,WORK:ben@example.org',
        'ORG:Bakery;Sales',
        'TITLE:Baker',
        'ADR;TYPE=home:;;Main St 1;Berlin;;10115;Germany',
        'NOTE:likes rye\\nand wheat',
        'CATEGORIES:friends,work',
        'PHOTO;ENCODING=b;TYPE=JPEG:SlBH',
        'UID:u-2',
      ),
    'b.vcf': card(
      'VERSION:4.0',
      'FN:Cem',
      'TEL;VALUE=uri;TYPE="voice,cell":tel:+90-1',
      'BDAY:--0203',
      'URL:https://example.org',
    ),
  })
  const reading = await readingOf('vcard', folder)
  const found = reading.of('contacts')
  assert.deepEqual(rowsOf(found, 'name', 'given_name', 'family_name'), [
    ['Änne Müller', 'Änne', 'Müller'],
    ['Ben Ltd, Berlin', 'Ben', 'Ltd'],
    ['Cem', null, null],
  ])
  assert.deepEqual(found[0]?.phones, [{ value: '+49 30 1234', label: 'home' }])
  assert.equal(found[0]?.updated_at, '2024-01-31T10:15:00Z')
  const { emails, organization, job_title, addresses, note, categories } = found[1] ?? {}
  assert.deepEqual(
    { emails, organization, job_title, addresses, note, categories },
    {
      emails: [{ value: 'ben@example.org', label: 'work' }],
      organization: 'Bakery, Sales',
      job_title: 'Baker',
      addresses: [{ value: 'Main St 1, Berlin, 10115, Germany', label: 'home' }],
      note: 'likes rye\nand wheat',
      categories: ['friends', 'work'],
    },
  )
  assert.equal(reading.blobs[0]?.content.toString(), 'JPG')
  assert.deepEqual([found[2]?.phones, found[2]?.birthday], [[{ value: '+90-1', label: 'cell' }], '--0203'])
})

test('labels of one’s own and birthdays are read as Apple and Android write them', async context => {
  const cards = [
    card(
      'FN:Ada',
      'item1.TEL;type=CELL:1',
      'item1.X-ABLabel:Boat',
      'item2.EMAIL;type=INTERNET:a@example.org',
      'item2.X-ABLabel:_$!<Other>!$_',
      'item3.ADR;type=HOME:;;Lane 1;;;;',
      'TEL;type=HOME:2',
      'BDAY;X-APPLE-OMIT-YEAR=1604:1604-03-05',
    ),
    card('FN:Ben', 'BDAY:19800131'),
    card('FN:Cem', 'BDAY:1980-01-31T00:00:00Z'),
  ]
  const found = (await readingOf('vcard', folderWith(context, { 'a.vcf': cards.join('') }))).of('contacts')
  assert.deepEqual(
    [found[0]?.phones, found[0]?.emails, found[0]?.addresses],
    [
      [
        { value: '1', label: 'Boat' },
        { value: '2', label: 'home' },
      ],
      [{ value: 'a@example.org', label: 'other' }],
      [{ value: 'Lane 1', label: 'home' }],
    ],
  )
  assert.deepEqual(valuesOf(found, 'birthday'), ['--0305', '1980-01-31', '1980-01-31'])
})

test('messengers, profiles, anniversaries and relations are read as programs write them', async context => {
  const text = card(
    'FN:Ada',
    'IMPP;X-SERVICE-TYPE=Skype;type=HOME;type=pref:skype:ada.l',
    'IMPP:xmpp:ada@example.org',
    'X-SKYPE:ada.l',
    'X-ICQ:12345',
    'X-SOCIALPROFILE;type=twitter;x-user=ada:https://twitter.com/ada',
    'X-MS-IMADDRESS:ada@example.org',
    'X-GENDER:female',
    'ANNIVERSARY:20110113',
    'item1.X-ABDATE;type=pref:1980-03-22',
    'item1.X-ABLabel:First flight',
    'RELATED;TYPE=spouse;VALUE=text:William',
    'item2.X-ABRELATEDNAMES:Anne Isabella',
    'item2.X-ABLabel:_$!<Mother>!$_',
    'X-ASSISTANT:Mary',
    'X-SPOUSE:',
  )
  const [ada] = (await readingOf('vcard', folderWith(context, { 'a.vcf': text }))).of('contacts')
  const labelled = (list: unknown) => rowsOf(list as Record<string, unknown>[], 'label', 'value')
  assert.deepEqual(labelled(ada?.profiles), [
    ['skype', 'ada.l'],
    ['xmpp', 'ada@example.org'],
    ['icq', '12345'],
    ['twitter', 'https://twitter.com/ada'],
    [null, 'ada@example.org'],
  ])
  assert.deepEqual(labelled(ada?.dates), [
    ['anniversary', '2011-01-13'],
    ['First flight', '1980-03-22'],
  ])
  assert.deepEqual(labelled(ada?.related), [
    ['spouse', 'William'],
    ['mother', 'Anne Isabella'],
    ['assistant', 'Mary'],
  ])
})

test('a group has the names of its members, and they have it as a category, whatever the order of the files', async context => {
  const files = {
    'a.vcf': card(
      'KIND:group',
      'FN:Family',
      'UID:g-2',
      'MEMBER:urn:uuid:U-1',
      'MEMBER:mailto:cem@example.org',
    ),
    'b.vcf': card('FN:Ada', 'UID:u-1', 'CATEGORIES:work,Family') + card('FN:Ben', 'UID:urn:uuid:u-2'),
    'c.vcf': card(
      'FN:Friends',
      'X-ADDRESSBOOKSERVER-KIND:group',
      'X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:u-1',
      'X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:u-2',
    ),
  }
  const found = (await readingOf('vcard', folderWith(context, files))).of('contacts')
  assert.deepEqual(rowsOf(found, 'name', 'categories', 'members'), [
    ['Family', [], ['Ada', 'cem@example.org']],
    ['Ada', ['work', 'Family', 'Friends'], []],
    ['Ben', ['Friends'], []],
    ['Friends', [], ['Ada', 'Ben']],
  ])
})

test('two people of one name stay two contacts; an empty and a broken card are rejected', async context => {
  const text =
    card('FN:Ada', 'TEL:1') +
    card('FN:Ada', 'TEL:2') +
    card('FN:Ada', 'TEL:1') +
    card('VERSION:3.0') +
    'BEGIN:VCARD\nFN:x'
  const reading = await readingOf('vcard', folderWith(context, { 'a.vcf': text }))
  assert.deepEqual([reading.records.length, new Set(reading.records.map(({ key }) => key)).size], [3, 2])
  assert.deepEqual(valuesOf(reading.rejections, 'code'), ['no_name', 'file_cut_off'])
})

test('cards are counted beforehand, however large their pictures are', async context => {
  const photo = `PHOTO;ENCODING=b;TYPE=JPEG:${'SlBH'.repeat(5_000)}`
  const folder = folderWith(context, { 'a.vcf': card('FN:Ada', photo) + card('FN:Ben', photo) })
  const { items, exact } = (await foundAs('vcard', await openSource(folder))) as Finding
  assert.deepEqual([items, exact], [2, true])
})
