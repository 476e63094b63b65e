import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { kindOf } from '../src/importers/kinds.ts'
import { openSource } from '../src/importers/source/open.ts'
import { CodedError } from '../src/model/errors.ts'
import { zipOf } from './archives.ts'
import { importPlace } from './import-place.ts'
import { pdfOf } from './made-documents.ts'
import { rowsOf, valuesOf } from './rows-of.ts'

const CALENDAR =
  'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-CALNAME:Work\r\nX-WR-TIMEZONE:Europe/Berlin\r\nBEGIN:VEVENT\r\nSUMMARY:x\r\nEND:VEVENT\r\n'
const CARD = 'BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nX-PHONETIC-FIRST-NAME:a\nX-ABUID:1\nEND:VCARD\n'
const MAIL = 'From: a@example.org\nSubject: Letter\nDate: Mon, 5 Jan 2026 10:00:00 +0000\n\nhello\n'
const MBOX = `From a@example.org Mon Jan  5 10:00:00 2026\n${MAIL}\n`
const telegram = {
  name: 'Ada',
  type: 'personal_chat',
  id: 7,
  messages: [{ id: 1, type: 'message', text: 'hi' }],
}

type Content = string | Uint8Array

async function write(folder: string, files: Record<string, Content>): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}

const REFUSED: [string, Content, RegExp][] = [
  [
    'package.json',
    '{"name":"a","version":"1.0.0","scripts":{"test":"x"},"keywords":["a"],"dependencies":{"b":"1"}}',
    /This looks like a JSON file with settings or program data\. It is not a list of records\./,
  ],
  [
    'zone.ics',
    'BEGIN:VTIMEZONE\nEND:VTIMEZONE\n',
    /This looks like a part of a calendar \(iCalendar\)\. It contains no events/,
  ],
  ['a.png', Buffer.from('\x89PNG\r\n\x1a\n\0', 'latin1'), /This looks like a picture\./],
  ['a.mp4', Buffer.from('\0\0\0\x18ftypisom\0', 'latin1'), /This looks like a video\./],
  [
    'novel',
    'It was a dark and stormy night.\n',
    /This looks like a plain text file\. .* end with \.txt, \.md or \.html\./,
  ],
  [
    'a.7z',
    Buffer.from('7z\xbc\xaf\x27\x1c\0', 'latin1'),
    /cannot open \(7z, rar, xz, bzip2, zstd\)\. Unpack it/,
  ],
  ['a.pst', '!BDN', /This looks like an Outlook mailbox \(PST\)\./],
  [
    'repo.car',
    Buffer.from('\x3a\xa2eroots\x81\xd8\x2a\x58\x25\0\x01gversion\x01', 'latin1'),
    /This looks like a Bluesky repository \(CAR\)\. Footnote cannot import CAR files yet\./,
  ],
  [
    'sql/db.sqlite',
    Buffer.from([7, 0, 200, 1, 0]),
    /This looks like the encrypted database of Signal Desktop\. Use signal-export/,
  ],
  ['a.bin', Buffer.from([1, 0, 2]), /This looks like a file of an unknown kind\./],
  [
    'mail.zip.001',
    zipOf([{ path: 'a.eml', content: MAIL }]),
    /looks like a part of a split archive\. Join the parts/,
  ],
  ['mail.zip', Buffer.from('PK\x07\x08PK\x03\x04'), /looks like a part of a split archive/],
  ['locked.zip', zipOf([{ path: 'a.eml', content: MAIL, encrypted: true }]), /is encrypted .*password/],
  [
    'outer.zip',
    zipOf([{ path: 'inner.zip', content: zipOf([{ path: 'a.eml', content: MAIL, encrypted: true }]) }]),
    /inner\.zip is encrypted .*password/,
  ],
  ['cut.zip', zipOf([{ path: 'a.eml', content: MAIL }]).subarray(0, 60), /cut\.zip is cut off, .*again\./],
  ['nothing.zip', zipOf([]), /nothing that Footnote can import\. It is empty\./],
  ['a.har', '{"log":{"version":"1.2","entries":[{"time":1},{"time":2}]}}', /web traffic \(HAR\)\. .*cookies/],
  ['msgstore.db.crypt15', Buffer.from([9, 0, 8]), /an encrypted WhatsApp backup\. Export the chats/],
  ['signal-2026-05-04.backup', Buffer.from([9, 0, 8]), /an encrypted Signal backup\. Use signal-export/],
  ['~$letter.docx', Buffer.from([3, 65, 0]), /the lock file of an open office document/],
  ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', /This looks like a picture\./],
  ['setup.exe', 'MZ and more', /This looks like a program\./],
  [
    'letter.msg',
    Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1'),
    /an Outlook message \(MSG\)\. Save it as \.eml/,
  ],
  ['winmail.dat', Buffer.from('\x78\x9f\x3e\x22\0', 'latin1'), /only Outlook can read/],
  [
    'letter.doc',
    Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1'),
    /an old or encrypted office document\. Save it as \.docx/,
  ],
]

test('a file that cannot be imported is described, with what to do, and nothing is written', async () => {
  await using place = await importPlace('sqlite')
  for (const [name, content, reason] of REFUSED) {
    await write(place.folder, { [name]: content })
    await assert.rejects(place.import(join(place.folder, name)), (error: unknown) => {
      assert.ok(error instanceof CodedError, name)
      assert.match(error.message, reason)
      return true
    })
  }
  const folder = await write(join(place.folder, 'mixed'), {
    ...Object.fromEntries(Array.from({ length: 3 }, (_, n) => [`songs/${n}.mp3`, 'ID3'])),
    'a.pst': '!BDN',
    'b.pst': '!BDN',
    'data.db': 'SQLite format 3\0',
    'old.zip': zipOf([{ path: 'a', content: 'x' }]),
    'z.xml': '<?xml version="1.0"?><a/>',
    'zz.png': Buffer.from('\x89PNG\0', 'latin1'),
  })
  await assert.rejects(place.import(folder), {
    code: 'format_not_recognised',
    message: [
      `${folder} contains nothing that Footnote can import.`,
      '3 sound recordings. Footnote cannot import pictures, sound or video on their own yet. It keeps them as attachments of messages and notes.',
      '2 Outlook mailboxes (PST). Export the mail as .eml or mbox files and import those.',
      '1 database (SQLite). Footnote cannot import databases yet. Export its tables as CSV and import those.',
      '1 zip archive. Import an archive by its own path.',
      '1 XML file. Footnote cannot import XML files yet.',
      '1 other file.',
    ].join('\n  '),
  })
  assert.deepEqual((await place.call<{ data: object[] }>('/v1/owner/connections')).data, [])
})

test('files of other kinds beside an export are skipped and listed', async () => {
  await using place = await importPlace('sqlite')
  const folder = await write(join(place.folder, 'all'), {
    ...Object.fromEntries([1, 2, 3].map(n => [`mail/${n}.eml`, MAIL.replace('Letter', `Letter ${n}`)])),
    'cal/1.ics': CALENDAR,
    'cal/2.ics': CALENDAR,
    'people.vcf': CARD,
    'photo.jpg': Buffer.from('\xff\xd8\xff\0', 'latin1'),
    'result.json': JSON.stringify(telegram),
  })
  const { notes, json } = await place.import(folder, '--json')
  assert.deepEqual([json.format, json.seen, json.added], ['eml', 3, 3])
  assert.deepEqual(
    notes.slice(1, 5).map(line => line.replace(/[.;].*/, '')),
    [
      'Calendars (iCalendar), 2 items',
      'Telegram export, 1 item',
      'Contacts (vCard), 1 item',
      '1 picture',
    ].map(what => `  skipped: ${what}`),
  )
  const forced = await place.import(join(folder, 'result.json'), '--as', 'table', '--json')
  assert.deepEqual([forced.json.format, forced.json.added], ['table', 1])
})

test('a file that cannot be read is reported as such, and no file name can control the terminal', async () => {
  await using place = await importPlace('sqlite')
  const folder = await write(join(place.folder, 'names'), { 'a.md': '# Plan\n', 'b.txt': 'secret' })
  await symlink('nowhere', join(folder, 'bad\nname\u001b[31m'))
  const { notes } = await place.import(folder, '--json')
  assert.ok(
    notes.includes('  rejected: bad name·[31m: symlink: This is a symbolic link. Links are not followed.'),
  )
  await using source = await openSource(folder)
  const broken = source.files.map(file => ({ ...file, head: () => Promise.reject(new Error('EACCES')) }))
  const [file = assert.fail()] = broken
  assert.equal((await kindOf(file, source, false)).one, 'a file that cannot be read')
})

test('npm packages and Git files are not imported', async () => {
  await using place = await importPlace('sqlite')
  const folder = await write(join(place.folder, 'code'), {
    'README.md': '# Mine\n',
    'node_modules/a/README.md': '# Of another\n',
    '.git/description': 'Unnamed\n',
  })
  assert.equal((await place.import(folder, '--json')).json.seen, 1)
})

test('notes and other documents of a folder are imported together', async () => {
  await using place = await importPlace('sqlite')
  const folder = await write(join(place.folder, 'papers'), {
    'a.md': '# Plan\n[paper](c.pdf)\n',
    'b.txt': 'A letter',
    'c.pdf': pdfOf(['A paper']),
    'cal.ics': `${CALENDAR}END:VCALENDAR\r\n`,
  })
  const { printed, notes } = await place.import(folder, '--json')
  const formats = printed.map(line => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual(rowsOf(formats, 'format', 'added', 'rejected'), [
    ['documents', 2, 0],
    ['markdown', 1, 0],
    [null, 3, 0],
  ])
  assert.equal(notes.filter(line => /skipped: Calendars/.test(line)).length, 1)
})

test('gzipped mailboxes and tarballs are imported directly', async () => {
  await using place = await importPlace('sqlite')
  await write(place.folder, {
    'inbox.mbox.gz': gzipSync(MBOX),
    'mail/1.eml': MAIL.replace('Letter', 'Other'),
  })
  execFileSync('tar', ['-czf', join(place.folder, 'mail.tgz'), '-C', place.folder, 'mail'])
  for (const [name, format] of [
    ['inbox.mbox.gz', 'mbox'],
    ['mail.tgz', 'eml'],
  ] as const) {
    const { json } = await place.import(join(place.folder, name), '--json')
    assert.deepEqual([json.format, json.added, json.rejected], [format, 1, 0])
  }
})

test('a calendar without events is said to have none', async () => {
  await using place = await importPlace('sqlite')
  await write(place.folder, { 'empty.ics': 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n' })
  const { printed, notes, json } = await place.import(join(place.folder, 'empty.ics'), '--dry-run', '--json')
  assert.match([...printed, ...notes].join('\n'), /Calendars \(iCalendar\) \(ics\), 0 items/)
  assert.deepEqual([json.seen, json.added], [0, 0])
})

test('objects of one shape, a file each, are rows; so is an object with a list of objects', async () => {
  await using place = await importPlace('sqlite')
  const loaf = (n: number) =>
    JSON.stringify({ name: `Loaf ${n}`, grams: n, flour: 'rye', baked: true, by: 'Ada' })
  const folder = await write(join(place.folder, 'loaves'), { '1.json': loaf(1), '2.json': loaf(2) })
  assert.equal((await place.import(folder, '--json')).json.added, 2)
  const order = {
    number: 1,
    customer: 'Ada',
    city: 'Köln',
    day: '2024-03-01',
    paid: true,
    items: [{ what: 'rye' }],
  }
  await write(place.folder, { 'order.json': JSON.stringify(order) })
  assert.equal((await place.import(join(place.folder, 'order.json'), '--json')).json.added, 1)
})

test('a web page that a browser saved in one file is a document, not mail', async () => {
  await using place = await importPlace('sqlite')
  const page = [
    'From: <Saved by Blink>',
    'Snapshot-Content-Location: https://example.org/rye',
    'Subject: =?utf-8?Q?Br=C3=B6tchen?=',
    'Date: Fri, 1 Mar 2024 10:00:00 -0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/related; type="text/html"; boundary="--edge"',
    '',
    '----edge',
    'Content-Type: text/html',
    'Content-Transfer-Encoding: quoted-printable',
    'Content-Location: https://example.org/rye',
    '',
    '<html><head><style>p { color: red }</style></head><body><p>Fresh=20rye</p></body></html>',
    '----edge',
    'Content-Type: image/png',
    'Content-Transfer-Encoding: base64',
    '',
    'iVBORw0KGgo=',
    '----edge--',
    '',
  ].join('\r\n')
  const folder = await write(join(place.folder, 'saved'), { 'Rye.mhtml': page, 'page.dat': page })
  const { json } = await place.import(folder, '--json')
  assert.deepEqual([json.format, json.added, json.rejected], ['documents', 2, 0])
  const { data } = await place.call<{ data: { data: Record<string, unknown> }[] }>(
    '/v1/streams/documents/records',
  )
  for (const { data: record } of data) {
    assert.deepEqual([record.title, record.text, record.kind], ['Brötchen', 'Fresh rye', 'web page'])
  }
})

test('a file is recognised as mail only if it has several mail headers', async () => {
  await using place = await importPlace('sqlite')
  const refused = {
    'note.log': 'Date: Monday\nx-a: 1\nx-b: 2\nStatus: open\nComments: none\n\nText\n',
    'config.ini': 'X-One: 1\nX-Two: 2\n',
    'http.log': 'Organization: x\nImportance: high\nContent-Length: 7\n\nbody',
  }
  for (const [name, content] of Object.entries(refused)) {
    await write(place.folder, { [name]: content })
    await assert.rejects(place.import(join(place.folder, name)), { code: 'format_not_recognised' }, name)
  }
  await write(place.folder, { 'letter.txt': MAIL })
  assert.equal((await place.import(join(place.folder, 'letter.txt'), '--json')).json.added, 1)
})

test('every format in an archive is imported, each into its own connection, and a second import changes nothing', async () => {
  await using place = await importPlace('sqlite')
  await write(place.folder, {
    'takeout.zip': zipOf([
      { path: 'Takeout/Mail/All.mbox', content: MBOX },
      { path: 'Takeout/Calendar/Work.ics', content: `${CALENDAR}END:VCALENDAR\r\n` },
      { path: 'Takeout/Contacts/All.vcf', content: CARD },
      { path: 'Takeout/Photos/a.jpg', content: Buffer.from('\xff\xd8\xff\0', 'latin1') },
    ]),
  })
  const imported = async (...more: string[]) => {
    const { printed, notes } = await place.import(join(place.folder, 'takeout.zip'), '--json', ...more)
    const outcomes = printed.map(line => JSON.parse(line) as Record<string, unknown>)
    return { outcomes, notes }
  }
  const dry = await imported('--dry-run')
  assert.deepEqual(rowsOf(dry.outcomes, 'dry_run', 'added'), [
    [true, 1],
    [true, 1],
    [true, 1],
    [true, 3],
  ])
  assert.equal(dry.notes.filter(line => line.startsWith('  dry run: nothing was written')).length, 3)
  assert.deepEqual((await place.call<{ data: object[] }>('/v1/owner/connections')).data, [])
  const first = await imported()
  assert.deepEqual(first.outcomes.map(({ format }) => String(format)).toSorted(), [
    'ics',
    'mbox',
    'null',
    'vcard',
  ])
  assert.equal(first.notes.filter(line => line.includes('skipped: 1 picture')).length, 1)
  const { outcomes } = await imported()
  assert.deepEqual(
    valuesOf(outcomes, 'connection_id'),
    first.outcomes.map(({ connection_id }) => connection_id),
  )
  const { added, updated, unchanged } = outcomes.at(-1) ?? {}
  assert.deepEqual([added, updated, unchanged], [0, 0, 3])
})

test('a Takeout in several archives is one export, and so is an unpacked one', async () => {
  await using place = await importPlace('sqlite')
  const keep = {
    title: 'Bread',
    textContent: 'Rye',
    isTrashed: false,
    createdTimestampUsec: 1_700_000_000_000_000,
    userEditedTimestampUsec: 1_700_000_000_000_000,
    attachments: [{ filePath: 'loaf.png', mimetype: 'image/png' }],
  }
  const index = { path: 'Takeout/archive_browser.html', content: '<html><body>Takeout</body></html>' }
  const picture = { path: 'Takeout/Keep/loaf.png', content: Buffer.from('\x89PNG\0', 'latin1') }
  const note = { path: 'Takeout/Keep/Bread.json', content: JSON.stringify(keep) }
  const mail = { path: 'Takeout/Mail/All.mbox', content: MBOX }
  await write(place.folder, {
    'takeout-20260504T101500Z-001.zip': zipOf([index, note]),
    'takeout-20260504T101500Z-002.zip': zipOf([index, picture, mail]),
  })
  await write(join(place.folder, 'unpacked'), {
    ...Object.fromEntries([index, note, picture, mail].map(({ path, content }) => [path, content])),
  })
  const imported = async (...paths: string[]) => {
    const all = paths.map(path => join(place.folder, path))
    const { printed } = await place.import(...all, '--json')
    return printed.map(line => JSON.parse(line) as Record<string, unknown>)
  }
  for (const paths of [
    ['takeout-20260504T101500Z-001.zip', 'takeout-20260504T101500Z-002.zip'],
    ['unpacked'],
  ]) {
    const outcomes = await imported(...paths)
    const counts = outcomes.map(({ format, seen, rejected }) => [format, seen, rejected])
    assert.deepEqual(counts.length, 3)
    for (const format of ['google-keep', 'mbox']) {
      assert.deepEqual(
        counts.find(([each]) => each === format),
        [format, 1, 0],
      )
    }
    const { data } = await place.call<{ data: { data: { attachments: { blob_id?: string }[] } }[] }>(
      `/v1/streams/keep_notes/records?connection_id=${outcomes.find(({ format }) => format === 'google-keep')?.connection_id}`,
    )
    assert.ok(data[0]?.data.attachments[0]?.blob_id, 'the picture is found in the other archive')
  }
})
