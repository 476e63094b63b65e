import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { leftLines, planOf } from '../src/cli/import/import-plan.ts'
import { barText } from '../src/cli/import/import-report.ts'
import { UsageError } from '../src/cli/terminal/exit-errors.ts'
import type { Importer } from '../src/importers/importer.ts'
import { MAIL } from '../src/importers/mail/declaration.ts'
import { CodedError } from '../src/model/errors.ts'
import { startServer } from '../src/origin/server.ts'
import { zipOf } from './archives.ts'
import { footnote } from './command-line.ts'
import { onEitherEngine } from './engines.ts'
import { importPlace } from './import-place.ts'
import { sourceOf } from './imported.ts'
import { rowsOf, valuesOf } from './rows-of.ts'

const MAIN = join(import.meta.dirname, '../src/cli/main.ts')
const FIXTURE = join(import.meta.dirname, 'fixtures/mail/traps.mbox')
const message = (n: number, body = `Body ${n}.`) =>
  `From a@example.org Mon Jan  5 10:00:00 2026\nFrom: a@example.org\nMessage-ID: <m${n}@example.org>\n` +
  `Date: Mon, 5 Jan 2026 10:00:00 +0000\nSubject: Letter ${n}\n\n${body}\n\n`

async function write(path: string, content: string | Uint8Array): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  return path
}

onEitherEngine(
  'an import says what it found, can be searched, and adds nothing when repeated',
  async engine => {
    await using place = await importPlace(engine)
    const path = join(place.folder, 'mail/inbox.mbox')
    await write(path, await readFile(FIXTURE))
    await write(join(place.folder, 'mail/readme.pdf'), '%PDF-1.7')
    const first = await place.import(join(place.folder, 'mail'), '--json')
    const { connection_id, import_id, rejections, ...counts } = first.json
    assert.match(connection_id, /^cin_/)
    assert.equal(first.exitCode, 65)
    assert.ok(first.notes.includes(`  all rejections: footnote imports show ${import_id}`))
    assert.deepEqual(counts, {
      dry_run: false,
      format: 'mbox',
      seen: 8,
      added: 5,
      updated: 0,
      unchanged: 1,
      rejected: 2,
    })
    assert.deepEqual(
      rejections.map(({ code }: { code: string }) => code),
      ['deleted_message', 'folder_data'],
    )
    assert.match(first.notes[0] ?? '', /Mail in mbox files \(mbox\), 8 items, 2026-01-05 to 2026-01-09/)
    assert.match(
      first.notes[1] ?? '',
      /^ {2}skipped: Documents \(.*\), 1 item; import them with --as documents$/,
    )

    const found = await place.call<{ data: { record_key: string }[] }>('/v1/search?q=escapement&windows=1')
    assert.equal(found.data.length, 1)
    const record = await place.call<{ data: { attachments: { blob_id: string; size_bytes: number }[] } }>(
      `/v1/streams/emails/records/${found.data[0]?.record_key}?connection_id=${connection_id}`,
    )
    for (const { blob_id, size_bytes } of record.data.attachments) {
      const blob = await place.request(`/v1/blobs/${blob_id}`)
      assert.equal((await blob.arrayBuffer()).byteLength, size_bytes)
    }

    const second = await place.import(join(place.folder, 'mail'), '--json')
    assert.deepEqual(
      { ...second.json, import_id: null, rejections: [] },
      {
        dry_run: false,
        import_id: null,
        connection_id,
        format: 'mbox',
        seen: 8,
        added: 0,
        updated: 0,
        unchanged: 6,
        rejected: 2,
        rejections: [],
      },
    )

    const runs = await place.call<{ data: { import_id: string; state: string; added: number }[] }>(
      '/v1/owner/imports',
    )
    assert.deepEqual(rowsOf(runs.data, 'state', 'added'), [
      ['finished', 0],
      ['finished', 5],
    ])
    assert.equal(runs.data[1]?.import_id, import_id)
    const page = `/v1/owner/imports/${import_id}/rejections?limit=1`
    const one = await place.call<{ data: object[]; next_cursor: string }>(page)
    const two = await place.call<{ data: object[]; has_more: boolean }>(`${page}&cursor=${one.next_cursor}`)
    assert.deepEqual(
      [...one.data, ...two.data].map(item => ({ ...item, object: undefined })),
      rejections.map((item: object) => ({ ...item, object: undefined })),
    )
    assert.equal(two.has_more, false)
  },
)

onEitherEngine('a newer export adds what is new, updates what changed and deletes nothing', async engine => {
  await using place = await importPlace(engine)
  const path = join(place.folder, 'All mail.mbox')
  const gmail = (n: number, labels: string) =>
    message(n)
      .replace('From a@example.org ', `From 178000000000000000${n}@xxx `)
      .replace('\nFrom:', `\nX-Gmail-Labels: ${labels}\nFrom:`)
  await write(path, gmail(1, 'Inbox') + gmail(2, 'Inbox') + gmail(3, 'Inbox'))
  const before = await place.import(path, '--json')
  assert.equal(before.json.format, 'google-takeout-mail')
  await write(path, gmail(2, 'Inbox') + gmail(3, 'Archive') + gmail(4, 'Inbox'))
  const { connection_id, seen, added, updated, unchanged } = (await place.import(path, '--json')).json
  assert.equal(connection_id, before.json.connection_id)
  assert.deepEqual({ seen, added, updated, unchanged }, { seen: 3, added: 1, updated: 1, unchanged: 1 })
  assert.equal(await place.count(), 4)
})

onEitherEngine(
  'a source is imported into its earlier connection by path or content, or into the one named',
  async engine => {
    await using place = await importPlace(engine)
    const path = await write(join(place.folder, 'a.mbox'), message(1) + message(2))
    const { connection_id } = (await place.import(path, '--json')).json
    const copy = join(place.folder, 'elsewhere.mbox')
    await copyFile(path, copy)
    const again = (await place.import(copy, '--json')).json
    assert.deepEqual([again.connection_id, again.unchanged], [connection_id, 2])

    const other = await write(join(place.folder, 'b.mbox'), message(2) + message(3))
    const told = (await place.import(other, '--connection', connection_id, '--json')).json
    assert.deepEqual([told.connection_id, told.added, told.unchanged], [connection_id, 1, 1])

    const named = (await place.import(path, '--name', 'Work', '--json')).json
    assert.notEqual(named.connection_id, connection_id)
    assert.equal(named.added, 2)
    const newer = await write(join(place.folder, 'c.mbox'), message(1) + message(9))
    const continued = (await place.import(newer, '--name', 'Work', '--json')).json
    assert.deepEqual([continued.connection_id, continued.added], [named.connection_id, 1])
    const rows = await place.call<{ data: { display_name: string }[] }>('/v1/owner/connections')
    assert.deepEqual(valuesOf(rows.data, 'display_name'), ['Mail: a', 'Work'])

    await place.request(`/v1/owner/connections/${connection_id}`, { method: 'DELETE' })
    const fresh = (await place.import(other, '--json')).json
    assert.ok(![connection_id, named.connection_id].includes(fresh.connection_id))
    assert.equal(fresh.added, 2)
    const runs = await place.call<{ data: { connection_id: string }[] }>(
      `/v1/owner/imports?connection_id=${connection_id}`,
    )
    assert.deepEqual(runs.data, [])
    await assert.rejects(place.import(path, '--connection', 'cin_nothere'), { code: 'connection_not_found' })
  },
)

onEitherEngine('an import beside a running server is served immediately', async engine => {
  await using place = await importPlace(engine)
  await using server = await startServer({ ...place.config, port: 0 }, { report: assert.fail })
  const path = await write(join(place.folder, 'a.mbox'), message(1) + message(2))
  assert.equal((await place.import(path, '--json')).json.added, 2)
  const token = await place.ownerToken()
  const response = await fetch(`${server.publicUrl}/v1/search?q=letter`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  assert.equal(((await response.json()) as { data: object[] }).data.length, 2)
})

test('of several paths, one that cannot be imported is named and does not stop the others', async () => {
  await using place = await importPlace('sqlite')
  const paths = [
    await write(join(place.folder, 'a.mbox'), message(1)),
    await write(join(place.folder, 'photo.jpg'), 'no photo'),
    join(place.folder, 'gone.zip'),
    await write(join(place.folder, 'b.mbox'), message(2)),
  ]
  const { code, stdout, stderr } = await footnote(['import', ...paths, '--json', ...place.flags])
  assert.equal(code, 1)
  assert.equal(JSON.parse(stdout.trim().split('\n').at(-1) ?? '').added, 2)
  assert.match(stderr, /photo\.jpg contains nothing that Footnote can import/)
  assert.match(stderr, /There is no file or folder at .*gone\.zip/)
  assert.match(stderr, /Error: Failed: \S+photo\.jpg, \S+gone\.zip\. The other/)
})

test('several paths: a line for each and the totals; a zip is read in place', async () => {
  await using place = await importPlace('sqlite')
  const zip = await write(
    join(place.folder, 'mail.zip'),
    zipOf([
      { path: '__MACOSX/._x.eml', content: 'x' },
      { path: 'mail/1.eml', content: 'From: a@example.org\nSubject: in a zip\n\nzipped\n' },
    ]),
  )
  const { printed, json } = await place.import(
    await write(join(place.folder, 'a.mbox'), message(1)),
    zip,
    '--json',
  )
  assert.deepEqual(
    rowsOf(
      printed.map(line => JSON.parse(line)),
      'format',
      'added',
    ),
    [
      ['mbox', 1],
      ['eml', 1],
      [null, 2],
    ],
  )
  assert.deepEqual(Object.keys(json), [
    'dry_run',
    'import_id',
    'connection_id',
    'format',
    'seen',
    'added',
    'updated',
    'unchanged',
    'rejected',
    'rejections',
  ])
})

test('a dry run says what would be added and rejected, and writes nothing', async () => {
  await using place = await importPlace('sqlite')
  const { json, notes, exitCode } = await place.import(FIXTURE, '--dry-run', '--json')
  assert.deepEqual(
    { ...json, rejections: json.rejections.length },
    {
      dry_run: true,
      import_id: null,
      connection_id: null,
      format: 'mbox',
      seen: 8,
      added: 5,
      updated: 0,
      unchanged: 1,
      rejected: 2,
      rejections: 2,
    },
  )
  assert.match(notes[0] ?? '', /8 items/)
  assert.equal(notes[1], '  8 seen, 5 would be added, 1 repeated, 2 would be rejected')
  assert.match(notes[2] ?? '', /^ {2}rejected: traps\.mbox, byte \d+: deleted_message: /)
  assert.match(notes.at(-1) ?? '', /^ {2}dry run: nothing was written\. Records that are already stored/)
  assert.equal(exitCode, 65)
  assert.equal(existsSync(place.dataFolder), false)
})

test('an import with rejections exits with 65 and says how many there are and where to see them', async () => {
  await using place = await importPlace('sqlite')
  const clean = await write(join(place.folder, 'clean.mbox'), message(1))
  const whole = await footnote(['import', clean, ...place.flags])
  assert.equal(whole.code, 0, whole.stderr)
  const { code, stdout, stderr } = await footnote(['import', FIXTURE, '--json', ...place.flags])
  assert.equal(code, 65)
  assert.equal(JSON.parse(stdout).rejected, 2)
  const [, named = ''] =
    /all rejections: .*footnote(?:\.js)? --data-dir \S+ imports show (imp_\w+)/.exec(stderr) ?? []
  const shown = await footnote(['imports', 'show', named, ...place.flags])
  assert.match(
    shown.stdout,
    /^imp_\w+ .* mbox {2}finished .*\n {2}\d+ added, .* 2 rejected\n(?: {2}\S.*: \w+: .*\n){2}$/,
  )
  assert.match(
    stderr,
    /Error: 2 items were rejected\. Everything else was imported\.\nTry: the command above/,
  )
  const dry = await footnote(['import', FIXTURE, '--dry-run', ...place.flags])
  assert.equal(dry.code, 65)
  assert.match(dry.stderr, /Error: 2 items would be rejected\. Nothing was written\./)
  assert.match((await footnote(['import', '--help'])).stdout, /65 some items were rejected/)
})

test('an import that was interrupted is listed with its last progress', async () => {
  await using place = await importPlace('sqlite')
  const file = await write(join(place.folder, 'clean.mbox'), message(1))
  assert.equal((await footnote(['import', file, ...place.flags])).code, 0)
  const { data } = await place.call<{ data: { source_id: string }[] }>('/v1/owner/imports')
  const begun = { source_id: data[0]?.source_id, format: 'mbox', source: 'other.mbox', account: null }
  const names = { connection_id: null, name: 'Other', default_name: 'Other' }
  const json = { ...begun, ...names, fingerprint: 'f', stamp: 's' }
  await place.call('/v1/owner/imports', { method: 'POST', json })
  const { stdout } = await footnote(['imports', 'list', ...place.flags])
  assert.match(stdout, /mbox {2}running, last progress \d{4}-\d\d-\d\dT\d\d:\d\dZ {2}other\.mbox\n/)
})

test('times that an export writes without a zone are shown as written, in the zone of the owner', async () => {
  await using place = await importPlace('sqlite')
  const chat = '[03.07.21, 00:30:00] Ada: the heron\n[03.07.21, 00:31:00] Ben: where?\n'
  const file = await write(join(place.folder, 'WhatsApp Chat with Club.txt'), chat)
  const flags = [...place.flags, '--time-zone', 'Europe/Berlin']
  assert.equal((await footnote(['import', file, ...flags])).code, 0)
  const { stdout } = await footnote(['records', '--since', '2021-07-03', '--until', '2021-07-03', ...flags])
  assert.match(stdout, /2021-07-03T00:30:00\+02:00/)
  assert.match(stdout, /2021-07-03T00:31:00\+02:00/)
  const again = await footnote(['import', file, '--json', ...place.flags, '--time-zone', 'UTC'])
  const { added, updated } = JSON.parse(again.stdout)
  assert.deepEqual([added, updated], [0, 2])
})

test('files that cannot be imported are refused with a reason, and nothing is written', async () => {
  await using place = await importPlace('sqlite')
  const { folder } = place
  const outside = await write(join(folder, 'outside/secret.mbox'), message(1))
  await mkdir(join(folder, 'links'))
  await symlink(outside, join(folder, 'links/inbox.mbox'))
  for (const [path, code, reason] of [
    [join(folder, 'nowhere'), 'source_not_found', /no file or folder at/],
    [join(folder, 'links'), 'format_not_recognised', /Links are not followed/],
    [join(folder, 'links/inbox.mbox'), 'source_unsafe', /symbolic link/],
    [
      await write(join(folder, 'a.eml'), 'a letter\n'),
      'format_not_recognised',
      /does not begin with mail headers/,
    ],
    [await write(join(folder, 'e.mbox'), ''), 'format_not_recognised', /is empty/],
    [
      await write(join(folder, 'p.zip'), zipOf([{ path: 'a', content: 'x', encrypted: true }])),
      'archive_encrypted',
      /password/,
    ],
    [
      await write(join(folder, 'u.zip'), zipOf([{ path: '../../up.eml', content: 'x' }])),
      'source_unsafe',
      /leads out/,
    ],
    [
      await write(join(folder, 'b.zip'), zipOf([{ path: 'b', content: 'x', claimedSize: 2 ** 31 }])),
      'source_unsafe',
      /bomb/,
    ],
  ] as const) {
    await assert.rejects(place.import(path), (error: unknown) => {
      assert.ok(error instanceof CodedError)
      assert.equal(error.code, code, path)
      assert.match(error.message, reason)
      return true
    })
  }
  assert.equal(existsSync(join(folder, '../up.eml')), false)
  for (const args of [[], [FIXTURE, '--as', 'nothing'], [FIXTURE, '--name', 'x', '--connection', 'y']]) {
    await assert.rejects(place.import(...args), UsageError)
  }
  assert.deepEqual((await place.call<{ data: object[] }>('/v1/owner/connections')).data, [])
})

test('links in a folder are rejected and the rest is imported', async () => {
  await using place = await importPlace('sqlite')
  await write(join(place.folder, 'mail/a.mbox'), message(1))
  await symlink('/etc/hostname', join(place.folder, 'mail/link'))
  const { exitCode, json } = await place.import(join(place.folder, 'mail'), '--json')
  assert.deepEqual([exitCode, json.added, json.rejections[0]?.code], [65, 1, 'symlink'])
  assert.equal(await place.count(), 1)
  const [run] = (await place.call<{ data: { import_id: string; rejected: number }[] }>('/v1/owner/imports'))
    .data
  assert.equal(run?.rejected, 1)
})

test('a damaged file in an archive is rejected and the rest is imported', async () => {
  await using place = await importPlace('sqlite')
  const zip = zipOf([
    { path: '1.eml', content: `From: a@example.org\nSubject: whole\n\n${'whole '.repeat(2_000)}\n` },
    {
      path: '2.eml',
      content: `From: a@example.org\nSubject: broken\n\n${Array.from({ length: 9_000 }, (_, i) => i * i)}\n`,
    },
    { path: '3.eml', content: 'From: a@example.org\nSubject: whole too\n\nx\n' },
  ])
  const name = zip.indexOf('2.eml')
  zip.fill(0x55, name + 15_000, name + 15_100)
  const { json } = await place.import(await write(join(place.folder, 'x.zip'), zip), '--json')
  assert.deepEqual([json.added, json.rejected, json.rejections[0]?.code], [2, 1, 'unreadable_file'])
})

test('records that do not match the schema are rejected with their location', async () => {
  await using place = await importPlace('sqlite')
  const { connection_id } = (await place.import(FIXTURE, '--json')).json
  const strict = structuredClone(MAIL)
  strict.declaration_version = '9'
  strict.streams[0]?.schema.required?.push('in_reply_to')
  await place.call('/v1/owner/declarations', { method: 'POST', json: strict })
  const copy = join(place.folder, 'copy.mbox')
  await copyFile(FIXTURE, copy)
  const { json } = await place.import(copy, '--connection', connection_id, '--json')
  assert.deepEqual([json.seen, json.unchanged, json.rejected], [8, 3, 5])
  const refused = json.rejections.filter(({ code }: { code: string }) => code === 'schema_mismatch')
  assert.equal(refused.length, 3)
  for (const { place: at } of refused) assert.match(at, /^copy\.mbox, byte \d+$/)
})

test('in a mixed folder the format with the most items is imported and the others are listed; --as chooses another', async () => {
  const fake = (format: string, items: number): Importer => ({
    format,
    label: format,
    stage: 'files',
    sign: ({ path }) => path.startsWith(format),
    load: async () => ({
      recognise: async files => ({
        files,
        items,
        exact: true,
        span: null,
        declaration: MAIL,
        account: null,
        name: null,
        async *read() {},
      }),
    }),
  })
  const source = sourceOf({ 'few.x': '', 'many.x': '', 'many.y': '', 'other.z': '' })
  const all = [fake('few', 2), fake('many', 3)]
  const plan = await planOf(source, undefined, all)
  assert.equal(plan.importer.format, 'many')
  assert.deepEqual(
    [plan.skipped.map(({ importer }) => importer.format), leftLines(plan.left)],
    [['few'], ['1 empty file. There is nothing to import.']],
  )
  assert.equal((await planOf(source, 'few', all)).importer.format, 'few')
})

test('the progress bar shows items, rate and time left', () => {
  assert.equal(
    barText({ seen: 1_500, done: 0.25, items: 6_000, exact: false, rate: 2_345.6, left: 75 }),
    '█████░░░░░░░░░░░░░░░  1,500 of about 6,000  2,346/s  1 min 15 s left',
  )
})

test('a renamed source adds nothing', async () => {
  await using place = await importPlace('sqlite')
  const path = await write(join(place.folder, 'old.mbox'), message(1) + message(2))
  await place.import(path)
  await rename(path, join(place.folder, 'new.mbox'))
  const { json } = await place.import(join(place.folder, 'new.mbox'), '--json')
  assert.deepEqual([json.added, json.updated, json.unchanged], [0, 0, 2])
})

test('an import that is interrupted with Ctrl+C says how to resume it', async () => {
  await using place = await importPlace('sqlite')
  const path = join(place.folder, 'many.mbox')
  const mail = (no: number) =>
    `From a@example.org Thu Jan  1 10:00:00 2026\nMessage-ID: <${no}@example.org>\nSubject: ${no}\n\nText\n\n`
  await writeFile(path, Array.from({ length: 5_000 }, (_, no) => mail(no)).join(''))
  const child = spawn(process.execPath, [MAIN, 'import', path, '--data-dir', place.folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  let said = ''
  for await (const chunk of child.stderr) {
    if (said === '') child.kill('SIGINT')
    said += chunk
  }
  assert.deepEqual(await ended, [130, null], said)
  assert.match(said, /Stopped\. Repeat the command to resume the import\.\n$/)
})
