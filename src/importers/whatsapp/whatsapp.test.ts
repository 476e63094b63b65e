import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { folderWith, formatsOf, readingOf, zipWith } from '../../../test/imported-folder.ts'
import { rowsOf } from '../../../test/rows-of.ts'

/** The same two evenings, 3 February and 25 December 2021, as phones write them in different languages. */
const LOCALES: [string, (month: number, day: number) => string][] = [
  ['German iPhone', (m, d) => `[${two(d)}.${two(m)}.21, 22:05:09] `],
  ['German iPhone, 12 hours', (m, d) => `[${two(d)}.${two(m)}.21, 10:05:09 nachm.] `],
  ['German Android', (m, d) => `${two(d)}.${two(m)}.21, 22:05 - `],
  ['US iPhone', (m, d) => `[${m}/${d}/21, 10:05:09\u202fPM] `],
  ['US Android', (m, d) => `${m}/${d}/21, 10:05 PM - `],
  ['UK Android', (m, d) => `${two(d)}/${two(m)}/2021, 22:05 - `],
  ['Indian Android', (m, d) => `${two(d)}/${two(m)}/21, 10:05 pm - `],
  ['Spanish Android', (m, d) => `${d}/${m}/21 22:05 - `],
  ['Mexican Android', (m, d) => `${d}/${m}/21 10:05 p.\u00a0m. - `],
  ['Brazilian Android', (m, d) => `${two(d)}/${two(m)}/2021 22:05 - `],
  ['Dutch Android', (m, d) => `${two(d)}-${two(m)}-2021 22:05 - `],
  ['Swedish Android', (m, d) => `2021-${two(m)}-${two(d)} 22:05 - `],
  ['Finnish Android', (m, d) => `${d}.${m}.2021 klo 22.05 - `],
  ['Danish iPhone', (m, d) => `[${two(d)}.${two(m)}.2021 22.05.09] `],
  ['Hungarian Android', (m, d) => `2021. ${two(m)}. ${two(d)}. 22:05 - `],
  ['Bulgarian Android', (m, d) => `${two(d)}.${two(m)}.21 г., 22:05 - `],
  ['Turkish iPhone', (m, d) => `[${d}.${two(m)}.2021 ÖS 10:05:09] `],
  ['Greek Android', (m, d) => `${d}/${m}/21, 10:05 μ.μ. - `],
  ['Japanese Android', (m, d) => `2021/${two(m)}/${two(d)} 22:05 - `],
  ['Chinese iPhone', (m, d) => `[2021/${m}/${d} 下午10:05:09] `],
  ['Korean Android', (m, d) => `2021. ${m}. ${d}. 오후 10:05 - `],
  [
    'Arabic iPhone',
    (m, d) => `\u200f[${arabic(d)}/${arabic(m)}/${arabic(2021)}، ${arabic(10)}:${arabic('05')}:٠٩ م] `,
  ],
  [
    'Persian Android',
    (m, d) => `${arabic(2021)}/${arabic(m)}/${arabic(d)}،‏ ${arabic(22)}:${arabic('05')} - `,
  ],
  [
    'Arabic Android',
    (m, d) =>
      `\u200f${arabic(d)}\u200f/${arabic(m)}\u200f/${arabic(2021)}، ${arabic(10)}:${arabic('05')} م - `,
  ],
  ['Canadian French Android', (m, d) => `2021-${two(m)}-${two(d)} 22 h 05 - `],
  ['Vietnamese Android', (m, d) => `22:05, ${d}/${m}/21 - `],
  ['Thai Android', (m, d) => `${d}/${m}/2564 22:05 - `],
  ['Thai iPhone', (m, d) => `[${d}/${m}/64 22:05:09] `],
  ['Iranian calendar', (m, d) => (m === 2 ? '۱۳۹۹/۱۱/۱۵،‏ ۲۲:۰۵ - ' : d === 25 ? '۱۴۰۰/۱۰/۴،‏ ۲۲:۰۵ - ' : '')],
  ['Saudi calendar', m => `[${m === 2 ? '21/6/1442' : '21/5/1443'}, 22:05:09] `],
  ['old iPhone', (m, d) => `${two(d)}.${two(m)}.21, 22:05:09: `],
  ['Czech Android', (m, d) => `${d}. ${m}. 2021 10:05 odp. - `],
  ['Bulgarian Android, 12 hours', (m, d) => `${d}.${two(m)}.21 г., 10:05 ч. pm - `],
  ['web version', (m, d) => `[22:05, ${d}/${m}/2021] `],
]
const two = (number: number) => String(number).padStart(2, '0')
const arabic = (number: number | string) =>
  String(number).replace(/\d/g, digit => '٠١٢٣٤٥٦٧٨٩'[Number(digit)] ?? '')

test('every layout of dates is read right', async context => {
  for (const [locale, stamp] of LOCALES) {
    const chat = `${stamp(2, 3)}Ada: First\nsecond line\n${stamp(12, 25)}Ben Ö. 🤓: Merry: Christmas\n${stamp(12, 25)}Ada left\n`
    const reading = await readingOf('whatsapp', folderWith(context, { 'WhatsApp Chat with Club.txt': chat }))
    const messages = reading.of('whatsapp_messages')
    assert.deepEqual(
      messages.map(({ sent_at, sender, text, kind }) => [String(sent_at).slice(0, 16), sender, text, kind]),
      [
        ['2021-02-03T22:05', 'Ada', 'First\nsecond line', 'message'],
        ['2021-12-25T22:05', 'Ben Ö. 🤓', 'Merry: Christmas', 'message'],
        ['2021-12-25T22:05', null, 'Ada left', 'system'],
      ],
      locale,
    )
    assert.deepEqual([messages[1]?.chat, messages[2]?.position], ['Club', 2], locale)
  }
})

test('day and month are told apart by the course of the chat, and midnight and noon by the half of the day', async context => {
  const sentAt = async (...lines: string[]) => {
    const chat = lines.map((stamp, index) => `${stamp} - Ada: ${index}`).join('\n')
    const reading = await readingOf('whatsapp', folderWith(context, { 'a.txt': chat }))
    return reading.of('whatsapp_messages').map(({ sent_at }) => sent_at)
  }
  assert.deepEqual(await sentAt('1/5/21, 12:00 AM', '2/4/21, 12:00 PM', '3/3/21, 01:00 PM'), [
    '2021-01-05T00:00:00Z',
    '2021-02-04T12:00:00Z',
    '2021-03-03T13:00:00Z',
  ])
  assert.deepEqual(await sentAt('5/1/21, 00:00', '4/2/21, 12:00', '3/3/21, 13:00'), [
    '2021-01-05T00:00:00Z',
    '2021-02-04T12:00:00Z',
    '2021-03-03T13:00:00Z',
  ])
})

test('times are those of the clock of the owner, in summer and in winter, and ids do not depend on it', async context => {
  const chat = '[03.02.21, 00:30:00] Ada: winter\n[03.07.21, 00:30:00] Ada: summer\n'
  const folder = folderWith(context, { 'WhatsApp Chat with Club.txt': chat })
  const inZone = async (zone: string) => (await readingOf('whatsapp', folder, zone)).of('whatsapp_messages')
  const berlin = await inZone('Europe/Berlin')
  assert.deepEqual(rowsOf(berlin, 'sent_at', 'sent_at_local'), [
    ['2021-02-02T23:30:00Z', '2021-02-03T00:30:00'],
    ['2021-07-02T22:30:00Z', '2021-07-03T00:30:00'],
  ])
  const utc = await inZone('UTC')
  assert.deepEqual(
    rowsOf(utc, 'id', 'sent_at_local'),
    berlin.map(({ id, sent_at_local }) => [id, sent_at_local]),
  )
})

test('equal messages stay apart, keep their ids when the chat grows, and files become attachments', async context => {
  const lines = [
    '[31.12.20, 22:05:09] Ada: ok',
    '[31.12.20, 22:05:09] Ada: ok',
    '\u200e[31.12.20, 22:06:00] Ben: \u200e<Anhang: 00000001-PHOTO-2020-12-31-22-06-00.jpg>',
    '[31.12.20, 22:07:00] Ben: plan.pdf (Datei angehängt)\nthe plan, see https://example.org/plan.',
  ]
  const photo = '00000001-PHOTO-2020-12-31-22-06-00.jpg'
  const before = await readingOf(
    'whatsapp',
    zipWith(context, { '_chat.txt': lines.join('\r\n'), [photo]: 'JPG' }),
  )
  const messages = before.of('whatsapp_messages')
  assert.equal(new Set(messages.map(({ id }) => id)).size, 4)
  assert.equal(before.blobs[0]?.content.toString(), 'JPG')
  const blob_id = `sha256-${createHash('sha256').update('JPG').digest('hex')}`
  assert.deepEqual(messages[2]?.attachments, [
    { name: photo, mime_type: 'image/jpeg', size_bytes: 3, blob_id },
  ])
  assert.deepEqual(
    [messages[3]?.text, messages[3]?.attachments, messages[3]?.links],
    ['the plan, see https://example.org/plan.', [{ name: 'plan.pdf' }], ['https://example.org/plan']],
  )
  const grown = [...lines, '[01.01.21, 00:00:01] Ada: Happy new year'].join('\r\n')
  const after = await readingOf('whatsapp', zipWith(context, { '_chat.txt': grown, [photo]: 'JPG' }))
  const ids = after.of('whatsapp_messages').map(({ id }) => id)
  assert.deepEqual(
    ids.slice(0, 4),
    messages.map(({ id }) => id),
  )
  assert.equal(ids.length, 5)
})

test('a file is attached also after a caption, as on an iPhone, and belongs to its chat alone', async context => {
  const chat = [
    '[1/13/25, 9:05:09\u202fPM] Ada: Our bread\nis ready \u200e<attached: 00000001-PHOTO-2025-01-13-21-05-09.jpg>',
    '\u200e[1/13/25, 9:06:09\u202fPM] Ben: plan.txt • \u200e3 pages \u200e<attached: 00000002-plan.txt>',
    '[1/13/25, 9:07:09\u202fPM] Ben: a tag <b: c.de>',
  ].join('\r\n')
  const files = {
    '_chat.txt': chat,
    '00000001-PHOTO-2025-01-13-21-05-09.jpg': 'JPG',
    '00000002-plan.txt': 'Buy flour. Bake bread.',
  }
  const path = zipWith(context, files)
  assert.deepEqual(await formatsOf(path), ['whatsapp'])
  const { of, blobs } = await readingOf('whatsapp', path)
  assert.deepEqual(rowsOf(of('whatsapp_messages'), 'text', 'attachment_count'), [
    ['Our bread\nis ready', 1],
    ['plan.txt • \u200e3 pages', 1],
    ['a tag <b: c.de>', 0],
  ])
  assert.deepEqual(
    blobs.map(({ content }) => content.toString()),
    ['JPG', 'Buy flour. Bake bread.'],
  )
  assert.deepEqual((await formatsOf(folderWith(context, files))).sort(), ['documents', 'whatsapp'])
})

test('the name of a chat is found in file names of different languages', async context => {
  const chat = '13.1.2025, 21:05 - Ada: a\n13.1.2025, 21:06 - Ada: b\n'
  for (const around of ['WhatsApp Chat with', 'WhatsApp-Chat mit', 'צ׳אט WhatsApp עם', 'محادثة واتساب مع']) {
    const { of } = await readingOf('whatsapp', folderWith(context, { [`${around} Ben Ö.txt`]: chat }))
    assert.equal(of('whatsapp_messages')[0]?.chat, 'Ben Ö', around)
  }
})

test('a log of a program and a text with a date are not chats', async context => {
  const log = '[2021-01-01 10:00:00] local.ERROR: no\n[2021-01-01 10:00:01] local.INFO: yes\n'
  const notes = '31.12.20, 22:05 - call Ada: she knows\nOther words\n'
  const colons = '2021-01-01 10:00:00: ERROR: no\n2021-01-01 10:00:01: INFO: yes\n'
  const files = { 'a.log': log, 'b.txt': notes, 'c.txt': colons }
  assert.deepEqual(await formatsOf(folderWith(context, files)), ['documents'])
})
