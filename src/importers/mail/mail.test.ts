import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventsOf, findingOf, messageOf, recordsOf, sourceOf } from '../../../test/imported.ts'
import { processorTime } from '../../../test/processor-time.ts'
import { rowsOf, valuesOf } from '../../../test/rows-of.ts'
import { validatorOf } from '../../model/declaration/schema.ts'
import { MAIL } from './declaration.ts'

const TRAPS = readFileSync(join(import.meta.dirname, '../../../test/fixtures/mail/traps.mbox'))

test('an mbox is split only at its separators; quoting is undone', async () => {
  const source = sourceOf({ 'traps.mbox': TRAPS }, { kind: 'file' })
  const found = await findingOf(source)
  assert.deepEqual(
    [found?.format, found?.finding.items, found?.finding.exact, found?.finding.span],
    ['mbox', 8, true, { first: '2026-01-05T10:00:00Z', last: '2026-01-09T12:00:00Z' }],
  )
  const [first] = await recordsOf(source)
  assert.equal(
    first?.body,
    'The Engine weaves algebraical patterns.\nFrom here on it is only a sketch.\n>From a quotation.\n\n' +
      'From the loom we learn how.\n\nFrom Lyons Mon Jan 12 we had silk at 10:00, said 1840\nin a letter.',
  )
  assert.equal(first?.subject, 'Notes on the Engine – résumé')
  assert.equal(first?.from, 'Ada Byron <ada@example.org>')
  assert.deepEqual(first?.to, ['Babbage, Charles <charles@example.org>', 'menabrea@example.org'])
  assert.deepEqual(first?.cc, ['Mary <mary@example.org>', 'jane@example.org'])
  assert.deepEqual(
    [first?.sent_at, first?.sent_at_local],
    ['2026-01-05T10:00:00Z', '2026-01-05T11:00:00+01:00'],
  )
})

test('nothing is lost: two messages with one Message-ID stay two, copies become one, everything else is rejected with its place', async () => {
  const events = await eventsOf(sourceOf({ 'traps.mbox': TRAPS }, { kind: 'file' }))
  const records = events.filter(event => event.kind === 'record')
  const rejections = events.filter(event => event.kind === 'rejection')
  assert.equal(records.length + rejections.length, 8)
  assert.deepEqual(valuesOf(rejections, 'code'), ['deleted_message', 'folder_data'])
  for (const { place } of rejections) {
    const byte = Number(/^traps\.mbox, byte (\d+)$/.exec(place)?.[1])
    assert.match(TRAPS.toString('utf8', byte, byte + 5), /^From $/)
  }
  assert.equal(new Set(records.map(({ key }) => key)).size, 5)
  assert.equal(new Set(records.map(({ data }) => data.thread_id)).size, 2)
  assert.equal(records.filter(({ data }) => data.message_id === 'two@example.org').length, 3)
  for (const { key, data } of records) {
    assert.equal(data.id, key)
    assert.match(key, /^[a-z0-9]{16}$/)
    assert.equal(validatorOf(MAIL.streams[0]?.schema as never)(data), null)
  }
})

test('a message without headers is rejected', async () => {
  const separator = 'From a@example.org Mon Jan  5 10:00:00 2026\n'
  const text = `${separator}Subject: x\n\nhello\n\n${separator}>${separator}\nhello\n`
  const events = await eventsOf(sourceOf({ 'a.mbox': text }, { kind: 'file' }))
  const place = `a.mbox, byte ${text.lastIndexOf(`${separator}>`)}`
  const rejections = events.filter(event => event.kind === 'rejection')
  assert.deepEqual(rowsOf(rejections, 'place', 'code'), [[place, 'no_headers']])
})

test('a time comes from the Date, or from the first server, or from the separator', async () => {
  const records = await recordsOf(sourceOf({ 'traps.mbox': TRAPS }, { kind: 'file' }))
  const [undated, bad] = records.slice(-2)
  assert.deepEqual(
    [undated?.sent_at, undated?.sent_at_local],
    ['2026-01-07T12:59:58Z', '2026-01-07T07:59:58-05:00'],
  )
  assert.deepEqual([bad?.sent_at, bad?.date_header], ['2026-01-09T12:00:00Z', 'some time on Friday'])
})

test('attachments are blobs with name, type and size; the text of text files can be searched', async () => {
  const events = await eventsOf(sourceOf({ 'traps.mbox': TRAPS }, { kind: 'file' }))
  const blobs = events.filter(event => event.kind === 'blob')
  const last = events.findLast(event => event.kind === 'record')
  assert.equal(last?.data.body, 'See the plates, and the list.')
  assert.deepEqual(last?.data.attachment_names, ['Pläne der Maschine.png', 'list.csv'])
  assert.deepEqual(last?.data.attachment_text, [null, 'wheel,count\nescapement,12'])
  const attachments = last?.data.attachments as { blob_id: string; mime_type: string; size_bytes: number }[]
  assert.deepEqual(rowsOf(attachments, 'mime_type', 'size_bytes'), [
    ['image/png', 8],
    ['text/csv', 25],
  ])
  assert.deepEqual(
    blobs.map(({ bytes }) => bytes.toString('latin1')),
    ['\x89PNG\r\n\x1a\n', 'wheel,count\nescapement,12'],
  )
  const order = events.map(event => event.kind)
  assert.ok(order.lastIndexOf('blob') < order.lastIndexOf('record'))
})

test('the records do not depend on the size of chunks or on line endings', async () => {
  const expected = await eventsOf(sourceOf({ 'traps.mbox': TRAPS }, { kind: 'file' }))
  for (const chunk of [1, 2, 7, 64, 1_000]) {
    assert.deepEqual(await eventsOf(sourceOf({ 'traps.mbox': TRAPS }, { kind: 'file', chunk })), expected)
  }
  const crlf = TRAPS.toString('utf8').replaceAll('\n', '\r\n')
  const ids = (events: typeof expected) => events.flatMap(event => (event.kind === 'record' ? event.key : []))
  assert.deepEqual(ids(await eventsOf(sourceOf({ 'traps.mbox': crlf }, { kind: 'file' }))), ids(expected))
})

test('an mbox with lone CR or with CR CR LF at the end of lines is read like any other, also from a checkpoint', async () => {
  const message = (subject: string) =>
    `From a@example.org Mon Jan  5 10:00:00 2026\nFrom: a@example.org\nSubject: ${subject}\n\nText of ${subject}.\n\nEnd\n\n`
  const text = ['one', 'two', 'three'].map(message).join('')
  const usual = (await recordsOf(sourceOf({ 'a.mbox': text }, { kind: 'file' }))).map(({ id }) => id)
  assert.equal(usual.length, 3)
  for (const end of ['\r', '\r\r\n']) {
    const source = sourceOf({ 'a.mbox': text.replaceAll('\n', end) }, { kind: 'file' })
    const events = await eventsOf(source)
    const keys = (list: { kind: string; key?: string }[]) =>
      list.flatMap(event => (event.kind === 'record' ? [event.key] : []))
    assert.deepEqual(keys(events), usual, JSON.stringify(end))
    const first = events.find(event => event.kind === 'checkpoint')
    const found = await findingOf(source)
    const rest = await Array.fromAsync(found?.finding.read(first?.state ?? null) ?? [])
    assert.deepEqual(keys(rest), usual.slice(1))
  }
})

test('reading resumes after each checkpoint with exactly the rest', async () => {
  const files = { 'a.mbox': TRAPS, 'b.mbox': TRAPS, 'c/d.eml': 'From: a@example.org\nSubject: c\n\nalone\n' }
  const all = await eventsOf(sourceOf(files))
  let checkpoints = 0
  for (const [index, event] of all.entries()) {
    if (event.kind !== 'checkpoint') continue
    checkpoints++
    assert.deepEqual(await eventsOf(sourceOf(files), event.state), all.slice(index + 1))
    assert.ok(event.done >= 0 && event.done <= 1)
  }
  assert.equal(checkpoints, 8 + 8 + 3)
})

test('messages of a folder have their mailbox; those of a single file have none', async () => {
  const message = 'From: a@example.org\nSubject: x\nDate: Mon, 5 Jan 2026 11:00:00 +0100\n\nhello\n'
  const records = await recordsOf(
    sourceOf({
      'Inbox.mbox': `From a Mon Jan  5 10:00:00 2026\n${message}`,
      'Archive/2025/one.eml': message,
      'Maildir/.Sent/cur/1700000000.M1.host:2,S': message,
      'Maildir/new/1700000001.M2.host': message,
    }),
  )
  assert.deepEqual(valuesOf(records, 'mailbox'), ['Inbox', 'Archive/2025', 'Maildir/Sent', 'Maildir'])
  assert.equal(new Set(records.map(({ id }) => id)).size, 4)
  const [alone] = await recordsOf(sourceOf({ 'one.eml': message }, { kind: 'file' }))
  assert.equal(alone?.mailbox, undefined)
})

test("Gmail's labels and conversations; changed labels are the same message", async () => {
  const takeout = (labels: string, id = '1780000000000000001') =>
    `From ${id}@xxx Mon Jan 05 10:00:00 +0000 2026\r\nX-GM-THRID: 1780000000000000000\r\n` +
    `X-Gmail-Labels: ${labels}\r\nFrom: a@example.org\r\nMessage-ID: <g@example.org>\r\n` +
    'Date: Mon, 5 Jan 2026 10:00:00 +0000\r\nSubject: x\r\n\r\nhello\r\n\r\n'
  const source = (text: string) => sourceOf({ 'Takeout/Mail/All mail.mbox': text })
  assert.equal((await findingOf(source(takeout('Inbox'))))?.format, 'google-takeout-mail')
  const [before] = await recordsOf(source(takeout('Inbox,Unread')))
  const [after] = await recordsOf(source(takeout('=?UTF-8?Q?Archiviert,"B=C3=BCcher,_neu"?=')))
  assert.deepEqual(before?.labels, ['Inbox', 'Unread'])
  assert.deepEqual(after?.labels, ['Archiviert', 'Bücher, neu'])
  assert.equal(before?.id, after?.id)
  assert.equal(before?.thread_id, '1780000000000000000')
  const [other] = await recordsOf(source(takeout('Inbox', '1780000000000000002')))
  assert.notEqual(other?.id, before?.id)
})

const HEAD = ['From: a@example.org', 'Subject: x', 'MIME-Version: 1.0'] as const

test('charsets: named, misnamed, unknown to the web, and nonsense', async () => {
  const of = (charset: string, bytes: number[] | string) =>
    messageOf(
      ...HEAD,
      `Content-Type: text/plain; charset=${charset}`,
      '',
      Buffer.from(bytes as never, 'latin1'),
    )
  for (const [charset, bytes, text] of [
    ['iso-2022-jp', '\x1b$B$3$s$K$A$O\x1b(B', 'こんにちは'],
    ['ISO-2022-JP-2', '\x1b$B$3$s$K$A$O\x1b(B', 'こんにちは'],
    ['iso-2022-jp-2', 'K\x1b.A\x1bNegedal, \x1b$AT@\x1b(B, \x1b$(C>H\x1b(B', 'Kågedal, 岳, 안'],
    ['iso-2022-jp-2', '\x1b$,1 \x7f\x1b(Bunlar\x1b$,1 Q\x1b(B', 'şunları'],
    ['iso-2022-jp', '\xc3\x86var \x1b$B$3\x1b(B', 'Ævar こ'],
    ['base64', 'na\xefve', 'naïve'],
    ['utf-7-imap', 'na\xc3\xafve &AOk-', 'naïve &AOk-'],
    ['utf-16be', 'Jakub Nar\xfe\xff\x01\x19bski wrote', 'Jakub Narębski wrote'],
    ['utf-16le', 'h\x00i\x00', 'hi'],
    ['gb2312', '\xc4\xe3\xba\xc3', '你好'],
    ['"GBK"', '\xc4\xe3\xba\xc3', '你好'],
    ['hz-gb-2312', '~{Dc:C~}', '你好'],
    ['big5', '\xa7\x41\xa6\x6e', '你好'],
    ['euc-kr', '\xbe\xc8\xb3\xe7', '안녕'],
    ['ks_c_5601-1987', '\xbe\xc8\xb3\xe7', '안녕'],
    ['iso-2022-kr', '\x1b$)C\x0e>H3g\x0f', '안녕'],
    ['koi8-r', '\xf0\xd2\xc9\xd7\xc5\xd4', 'Привет'],
    ['windows-1251', '\xcf\xf0\xe8\xe2\xe5\xf2', 'Привет'],
    ['us-ascii', '\x82\xb1\x82\xea\x82\xcd\x93\xfa\x96{\x8c\xea', 'これは日本語'],
    ['utf-7', 'Hi Mom -+Jjo--!', 'Hi Mom -☺-!'],
    ['utf-7', '1 +- 1: +AOk.+2D3eAA-, +AOkA6', '1 + 1: é.😀, é'],
    ['viscii', 'Vi\xaet', 'Việt'],
    ['cp-850', 'd\x82j\x85', 'déjà'],
    ['iso8859-2', '\xa3\xf3d\xbc', 'Łódź'],
    ['us-ascii', 'na\xefve', 'naïve'],
    ['us-ascii', '\xc3\xa9t\xc3\xa9', 'été'],
    ['iso-8859-1', '\xc3\xa9t\xc3\xa9', 'été'],
    ['utf-8', '\xe9t\xe9', 'été'],
    ['utf-16', 'plain after all', 'plain after all'],
    ['utf-16', '\xfe\xff\x00h\x00i', 'hi'],
    ['x-unknown', 'na\xefve', 'naïve'],
    ['fakescii', 'na\xefve', 'naïve'],
    ['"=?;', 'na\xefve', 'naïve'],
    ['constructor', 'na\xefve', 'naïve'],
    ['__proto__', 'na\xefve', 'naïve'],
  ] as const) {
    assert.equal((await of(charset, bytes)).body, text, charset)
  }
})

test('headers: encoded words, raw bytes, folded lines, strange names', async () => {
  const subject = async (...value: (string | Uint8Array)[]) =>
    (
      await messageOf(
        'From: a@example.org',
        Buffer.concat([Buffer.from('Subject: '), ...value.map(v => Buffer.from(v as never, 'latin1'))]),
        '',
        'x',
      )
    ).subject
  assert.equal(await subject('=?ISO-2022-JP?B?GyRCJDMkcyRLJEEkTxsoQg==?='), 'こんにちは')
  assert.equal(await subject('=?gb2312?B?xOM=?= =?gb2312?B?usM=?='), '你好')
  // The encoding splits a character.
  assert.equal(
    await subject('=?utf-8?B?w?= =?utf-8?B?qQ==?='),
    await subject('=?utf-8?B?w?= =?utf-8?B?qQ==?='),
  )
  assert.equal(await subject('=?utf-8?Q?caf=C3?= =?utf-8?Q?=A9?='), 'café')
  assert.equal(await subject('=?utf-8*en?Q?r=C3=A9sum=C3=A9?= and =?nonsense?Q?more?='), 'résumé and more')
  assert.equal(await subject('na\xefve'), 'naïve')
  assert.equal(await subject('caf\xc3\xa9'), 'café')
  assert.equal(await subject('a\r\n folded\r\n\tline'), 'a folded line')
  assert.equal(await subject('50% =? off ?='), '50% =? off ?=')
  assert.equal(await subject('=?utf-8?Q?unended'), '=?utf-8?Q?unended')
  const raw = async (charset: string, name: string) =>
    (
      await messageOf(
        Buffer.from(`From: ${name} <a@example.org>`, 'latin1'),
        `Content-Type: text/plain; charset="${charset}"`,
        '',
        'x',
      )
    ).from
  assert.equal(await raw('windows-1251', '\xcf\xb8\xf2\xf0'), 'Пётр <a@example.org>')
  assert.equal(await raw('gb2312', '\xcd\xf5'), '王 <a@example.org>')
  assert.equal(await raw('gb2312', '\xe7\x8e\x8b'), '王 <a@example.org>')
  assert.equal(await raw('iso-2022-jp', '\x1b$B$3\x1b(B'), 'こ <a@example.org>')
})

test('addresses: quoted commas, comments, groups, missing parts', async () => {
  const to = async (value: string) => (await messageOf(`To: ${value}`, 'Subject: x', '', 'x')).to ?? []
  assert.deepEqual(await to('"Doe, Jane" <Jane@Example.org>, b@c.d (Bob)'), [
    'Doe, Jane <jane@example.org>',
    'Bob <b@c.d>',
  ])
  assert.deepEqual(await to('undisclosed-recipients:;'), [])
  assert.deepEqual(await to('=?utf-8?Q?J=C3=B6rg=2C_Dr=2E?= <j@example.org>'), ['Jörg, Dr. <j@example.org>'])
  assert.deepEqual(await to('"a \\"quoted\\" b" <x@y.z>'), ['a "quoted" b <x@y.z>'])
  assert.deepEqual(await to('Nobody at all, <x@y.z'), ['Nobody at all', 'x@y.z'])
  assert.deepEqual(await to('x@y.z <x@y.z>'), ['x@y.z'])
  assert.deepEqual(await to('someone at example.org'), ['someone at example.org'])
  // As Outlook writes them.
  assert.deepEqual(await to("'Jane' <j@example.org>, \"'k@l.m'\" <k@l.m>, Jane O'Hara <o@p.q>"), [
    'Jane <j@example.org>',
    'k@l.m',
    "Jane O'Hara <o@p.q>",
  ])
  const lines = ['To: a@b.c, <d@e.f>', 'Cc: "G, H" <g@h.i>', 'To: j@k.l', 'Cc:', 'Cc: m@n.o']
  const many = await messageOf(...lines, 'Subject: x', '', 'x')
  assert.deepEqual(
    [many.to, many.cc],
    [
      ['a@b.c', 'd@e.f', 'j@k.l'],
      ['G, H <g@h.i>', 'm@n.o'],
    ],
  )
  // Each recipient is a name that the server stores and finds.
  const crowd = await messageOf(...Array(4).fill(`To: ${'a@b.c,'.repeat(3_000)}`), 'Subject: x', '', 'x')
  assert.equal(crowd.to?.length, 10_000)
})

test('a stranger’s mail with very long addresses does not keep an import busy', async () => {
  const long = (text: string) => text.repeat(200_000 / text.length)
  const spent = processorTime()
  for (const value of [
    `<${long('a')}>>`,
    `a at ${long('.')} b`,
    long('(a\\'),
    `${long('a')}@${long(':')}`,
    long('"'),
    long('=?a?q?'),
  ])
    assert.ok((await messageOf(`To: ${value}`, 'Subject: x', '', 'x')).to)
  assert.ok(spent() < 3_000, `${spent()} ms`)
})

test('dates with common mistakes', async () => {
  const date = async (value: string) => {
    const { sent_at, sent_at_local } = await messageOf('From: a@b.c', `Date: ${value}`, '', 'x')
    return [sent_at, sent_at_local]
  }
  for (const [written, utc, local] of [
    ['Tue, 1 Apr 97 11:48:02 +0200', '1997-04-01T09:48:02Z', '1997-04-01T11:48:02+02:00'],
    ['1 Apr 2026 11:48 EST', '2026-04-01T16:48:00Z', '2026-04-01T11:48:00-05:00'],
    ['Tue, 01 Apr 2026 11:48:02 +0200 (CEST)', '2026-04-01T09:48:02Z', '2026-04-01T11:48:02+02:00'],
    ['Tue Apr  1 11:48:02 2026', '2026-04-01T11:48:02Z', '2026-04-01T11:48:02+00:00'],
    ['Tue, 01 Apr 100 11:48:02 GMT', '2000-04-01T11:48:02Z', '2000-04-01T11:48:02+00:00'],
    ['2026-04-01 11:48:02 -0330', '2026-04-01T15:18:02Z', '2026-04-01T11:48:02-03:30'],
    ['2026-04-01T11:48:02Z', '2026-04-01T11:48:02Z', '2026-04-01T11:48:02+00:00'],
    ['April 1, 2026 11:48 PM', '2026-04-01T23:48:00Z', '2026-04-01T23:48:00+00:00'],
    ['Tue, 1 Apr 2026 11:48:02 +9999', '2026-04-01T11:48:02Z', '2026-04-01T11:48:02+00:00'],
    ['31 Feb 2026 11:48:02 +0000', null, null],
    ['1 Apr 0026 11:48:02 +0000', null, null],
    ['yesterday', null, null],
  ] as const) {
    assert.deepEqual(await date(written), [utc, local], written)
  }
})

test('transfer encodings, whole and broken', async () => {
  const body = async (encoding: string, ...lines: string[]) =>
    (
      await messageOf(
        ...HEAD,
        'Content-Type: text/plain; charset=utf-8',
        `Content-Transfer-Encoding: ${encoding}`,
        '',
        ...lines,
      )
    ).body
  assert.equal(
    await body('quoted-printable', 'caf=C3=A9 =', 'au lait=20', 'x =3D y, 5=5 =ZZ   '),
    'café au lait \nx = y, 5=5 =ZZ',
  )
  assert.equal(await body('BASE64', 'aGVs', 'bG8g', 'd29y!!bGQ='), 'hello world')
  assert.equal(await body('base64', 'aGVsbG8=', 'IHdvcmxk'), 'hello world')
  assert.equal(await body('base64', 'aGVsbG8'), 'hello')
  assert.equal(await body('x-uuencode', 'begin 644 x.txt', '%:&5L;&\\', '`', 'end'), 'hello')
  assert.equal(await body('7-bit', 'as it is'), 'as it is')
  assert.equal(await body('', 'as it is'), 'as it is')
  const long = 'caf=C3=A9 '.repeat(30_000)
  assert.equal(await body('quoted-printable', `${long}.`), `${'café '.repeat(30_000)}.`, 'one very long line')
})

test('flowed text is flowed again; quotes, signatures and empty lines are kept', async () => {
  const body = async (format: string, ...lines: string[]) =>
    (await messageOf(...HEAD, `Content-Type: text/plain; charset=utf-8; ${format}`, '', ...lines)).body
  const lines = [
    '> The Engine ',
    '> weaves. ',
    '>> Does ',
    '>>it?',
    '> ',
    '> Yes.',
    'It weaves algebraical ',
    'patterns. ',
    '',
    '  int x;',
    ' >not a quote',
    'Ada ',
    '-- ',
    'Countess ',
    'of Lovelace',
  ]
  const quotes = ['>> Does it?', '> ', '> Yes.']
  assert.equal(
    await body('format=flowed', ...lines),
    [
      '> The Engine weaves. ',
      ...quotes,
      'It weaves algebraical patterns. ',
      '',
      ' int x;',
      '>not a quote',
      'Ada ',
      '-- ',
      'Countess of Lovelace',
    ].join('\n'),
  )
  assert.equal(
    await body('format=Flowed; DelSp=yes', '> こん ', '> にちは', 'see  ', 'you'),
    '> こんにちは\nsee you',
  )
  assert.equal(await body('format=fixed', 'as it ', 'is'), 'as it \nis')
})

test('a long text that names no charset is cut between characters', async () => {
  const { body } = await messageOf(...HEAD, '', 'äö'.repeat(2_500_000))
  assert.match(body.slice(0, 10), /^(äö)+$/)
  assert.match(body.slice(-10), /^ö?(äö)+ä?$/)
})

test('HTML becomes the text that a person sees', async () => {
  const html = async (...lines: string[]) =>
    (await messageOf(...HEAD, 'Content-Type: text/html; charset=utf-8', '', ...lines)).body
  assert.equal(
    await html(
      '<html><head><title>no</title><style>p{}</style></head><body><h1>Offer</h1><p>Dear&nbsp;Ada,<br>a &lt;fine&gt; day &mdash; ',
      'and <a href="https://example.org/x">a link</a>.</p><ul><li>one<li>two</ul><script>alert(1)</script>',
      '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table><pre>  kept\r\n  so</pre></body></html>',
    ),
    'Offer\n\nDear Ada,\na <fine> day — and a link <https://example.org/x>.\n\n• one\n• two\n\na  b\nc\n\n  kept\n  so',
  )
  assert.equal(
    await html('<p>unclosed <b>tags <i>and &bogus; entities'),
    'unclosed tags and &bogus; entities',
  )
})

function multipart(type: string, parts: string[][], boundary = 'b'): string[] {
  return [
    `Content-Type: multipart/${type}; boundary="${boundary}"`,
    '',
    ...parts.flatMap(part => [`--${boundary}`, ...part]),
    `--${boundary}--`,
  ]
}
const plain = (text: string) => ['Content-Type: text/plain', '', text]

test('alternatives: the plain text, unless it is missing or a stub', async () => {
  const html = (text: string) => ['Content-Type: text/html', '', `<p>${text}</p>`]
  const body = async (...parts: string[][]) =>
    (await messageOf(...HEAD, ...multipart('alternative', parts))).body
  assert.equal(await body(plain('the text'), html('the text')), 'the text')
  assert.equal(await body(plain(''), html('only here')), 'only here')
  assert.equal(
    await body(plain('Get HTML.'), html('The whole story. '.repeat(20))),
    'The whole story. '.repeat(20).trim(),
  )
  assert.equal(
    await body(
      plain(''),
      multipart('related', [html('with image'), ['Content-Type: image/gif', '', 'GIF']], 'c'),
    ),
    'with image',
  )
})

test('broken and nested multiparts lose no text', async () => {
  const body = async (...lines: string[]) => (await messageOf(...HEAD, ...lines)).body
  assert.equal(
    await body('Content-Type: multipart/mixed; boundary=x', '', 'never a boundary'),
    'never a boundary',
  )
  assert.equal(await body('Content-Type: multipart/mixed', '', 'no boundary named'), 'no boundary named')
  assert.equal(await body('Content-Type: multipart/mixed; boundary=x', '', '--x', '', 'unended'), 'unended')
  assert.equal(
    await body(...multipart('mixed', [multipart('mixed', [plain('inner')], 'b1'), plain('outer')], 'b')),
    'inner\n\nouter',
  )
  // The inner multipart never ends; the outer boundary closes it.
  assert.equal(
    await body(
      ...multipart('mixed', [
        ['Content-Type: multipart/mixed; boundary=c', '', '--c', '', 'inner'],
        plain('outer'),
      ]),
    ),
    'inner\n\nouter',
  )
  assert.equal(
    await body(...multipart('mixed', [['no header, no empty line'], plain('b')])),
    'no header, no empty line\n\nb',
  )
})

test('an attached message is a blob, and its text can be found', async () => {
  const inner = ['From: x@example.org', 'Subject: =?utf-8?Q?Inn=C3=A9r?=', '', 'the inner text']
  const events = await eventsOf(
    sourceOf(
      {
        'a.eml': [
          ...HEAD,
          ...multipart('mixed', [plain('see below'), ['Content-Type: message/rfc822', '', ...inner]]),
        ].join('\n'),
      },
      { kind: 'file' },
    ),
  )
  const record = events.find(event => event.kind === 'record')
  assert.equal(record?.data.body, 'see below')
  assert.deepEqual(record?.data.attachment_text, ['Innér\n\nthe inner text'])
  assert.deepEqual(
    events.filter(event => event.kind === 'blob').map(({ mime_type, bytes }) => [mime_type, String(bytes)]),
    [['message/rfc822', inner.join('\n')]],
  )
})

test('what only looks like mail is not imported', async () => {
  for (const text of [
    'Dear Ada,\n\nthis is a letter: it has a colon.\n',
    '---\ntitle: Note\ndate: 2026-01-01\n---\ntext\n',
    'BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nEND:VCARD\n',
    'BEGIN:VCALENDAR\nPRODID:x\nVERSION:2.0\n',
    'HTTP/1.1 200 OK\nContent-Type: text/plain\n\nx\n',
    'From the beginning it was clear that at 10:00 on Jan 5 2026\nnothing would come of it.\n',
    'id,from,to\n1,a,b\n',
    'To: do\n\n- buy milk\n',
    '',
  ]) {
    const finding = await findingOf(sourceOf({ 'a.txt': text }))
    assert.ok(finding === null || finding.finding.declaration !== MAIL, JSON.stringify(text))
  }
  const events = await eventsOf(
    sourceOf({ 'a.eml': 'From: a@b.c\n\nx\n', 'b.eml': 'no mail\n', 'c.mbox': '' }),
  )
  assert.deepEqual(
    events.flatMap(event => (event.kind === 'rejection' ? [[event.place, event.code]] : [])),
    [
      ['b.eml', 'not_mail'],
      ['c.mbox', 'not_mail'],
    ],
  )
})

test('mail that was made to be slow or huge is read in linear time', async () => {
  const many = (text: string, times = 100_000) => text.repeat(times)
  const html = (text: string) => [...HEAD, 'Content-Type: text/html', '', text].join('\n')
  const boundaries = Array.from(
    { length: 5_000 },
    (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`,
  )
  const spent = processorTime()
  for (const text of [
    html(many('<div>')),
    html(many('<b>')),
    html(many('&amp;')),
    html(many('<td>x')),
    html(many('<a href="http://a">x')),
    html(many('<')),
    html(many('<!--')),
    html(`<p ${many('a=b ')}>x`),
    `From: a@b.c\n${boundaries.join('')}\nx`,
    `From: a@b.c\nContent-Type: multipart/mixed; boundary=b\n\n${many('--b\n\nx\n')}`,
    `From: a@b.c\n${many('Content-Type: message/rfc822\n\n', 5_000)}x`,
    `From: a@b.c\n${many('X-Y: z\n')}\nx`,
    ...['=?utf-8?Q?a?= ', '=?utf-8?Q?', '(', '<', '"\\', '<a', ';', 'a*0*=x; ', '\r\n ,'].flatMap(piece =>
      ['Subject', 'To', 'References', 'Content-Type', 'Date', 'X-Gmail-Labels'].map(
        name => `From: a@b.c\n${name}: ${many(piece, 20_000)}\n\nx`,
      ),
    ),
    `From: a@b.c\nSubject: x\n\n${many('\n', 1_000_000)}x`,
    `From: a@b.c\nSubject: x\n\n${many(' \n', 1_000_000)}x`,
    `From: a@b.c\nSubject: x\nContent-Type: text/enriched\n\n${many('<')}`,
  ]) {
    const [record] = await recordsOf(sourceOf({ 'a.eml': text }, { kind: 'file' }))
    assert.match(String(record?.from), /^a@/)
  }
  assert.ok(spent() < 60_000)
})

test('a text of many megabytes becomes an attachment, and its start is the body', async () => {
  const events = await eventsOf(
    sourceOf({ 'a.eml': `${HEAD.join('\n')}\n\n${'x'.repeat(10 * 1024 * 1024)}` }, { kind: 'file' }),
  )
  const [blob] = events.filter(event => event.kind === 'blob')
  const record = events.find(event => event.kind === 'record')
  assert.equal(blob?.bytes.length, 10 * 1024 * 1024)
  assert.ok(String(record?.data.body).length >= 8 * 1024 * 1024)
})
