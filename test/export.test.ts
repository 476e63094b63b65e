import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { lastBackup } from '../src/data-folder/last-backup.ts'
import { EXPORTED_TABLES } from '../src/store/transfer/export.ts'
import { footnote, freshPlace, output, placeFlags } from './command-line.ts'
import { type Engine, onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source } from './mailbox.ts'

/**
 * Tables with their own line formats: the owner in the first line, blobs with their bytes, records with their texts.
 */
const EXPORTED_OTHERWISE: readonly string[] = ['owners', 'blobs', 'blob_pieces', 'records', 'pieces']

/**
 * Tables that are not exported: what is computed from the rest, the server's own secrets and what is sealed with them,
 * everything that people and apps sign in with, and synced accounts, whose passwords cannot be read elsewhere.
 */
const NOT_EXPORTED: readonly string[] = [
  'migrations',
  'tallies',
  'blob_references',
  'search_rows',
  'search_counts',
  'search_fields',
  'search_state',
  'word_hashes',
  'names',
  'name_records',
  'meaning_vectors',
  'meaning_state',
  'token_index',
  'later_token_index',
  'secrets',
  'oauth_artifacts',
  'passphrases',
  'passkeys',
  'used_challenges',
  'owner_sessions',
  'sign_in_links',
  'sign_in_failures',
  'limit_usage',
  'page_positions',
  'line_blocks',
  'syncs',
  'sync_messages',
]

const LONG = `${'Ein langer Text, ganz lang. \u{1F33F} '.repeat(1_500)}Das Ende\r\n"\\`

/** A store with data of every kind: versions, tombstones, long texts, blobs, grants, disclosures. */
async function filledServer(engine: Engine) {
  const server = await TestServer.start(engine)
  const work = await server.connect(MAILBOX, 'Work mail')
  const home = await server.connect(MAILBOX, 'Home mail')
  const bytes = Buffer.alloc(300 * 1024, 'blob bytes ')
  const blob_id = await server.upload(bytes, 'image/png')
  await server.upload('unused')
  const lines = [
    message('m1', { subject: 'First', body: LONG, parts: [{ blob_id }, { text: LONG.repeat(2) }] }),
    message('m2', { received_at: '2026-03-01T00:00:00Z' }),
    message('m3'),
    message('z'.repeat(1_024), { subject: 'Long id' }),
    {
      key: '["a","\u{10FFFD}"]',
      data: { id: '["a","\u{10FFFD}"]', received_at: '2026-01-02T03:04:05Z', __proto: 1 },
    },
  ]
  await server.ingest('messages', work, lines)
  await server.ingest('messages', work, [message('m2', { subject: 'Changed' }), { key: 'm3', op: 'delete' }])
  await server.ingest(
    'messages',
    home,
    '{"data":{"id":"m1","received_at":"2026-01-02T03:04:05Z","size":9007199254740993,"__proto__":{"a":1},"9":1,"1":2}}',
  )
  const notes = Array.from({ length: 250 }, (_, n) => ({ data: { id: `n${n}`, text: `note ${n}` } }))
  await server.ingest('notes', home, notes)
  const begun = await server.post('/v1/owner/imports', {
    ...{ source_id: MAILBOX.source.id, format: 'mbox', source: '/mail', fingerprint: 'f', stamp: 's' },
    ...{ connection_id: work, default_name: 'Mail' },
  })
  const rejections = [{ no: 0, place: 'line 7', code: 'broken', message: 'It is broken.' }]
  const note = { checkpoint: { at: 7 }, counts: { seen: 8, rejected: 1 }, rejections }
  await server.send('PATCH', `/v1/owner/imports/${begun.body.import_id}`, note)
  await server.post('/v1/owner/declarations', {
    ...MAILBOX,
    ...source('mailbox', 'Mail, newer'),
    declaration_version: '1.1.0',
  })
  const token = await server.grant({ client_name: 'Reader', streams: ['messages'], since: '2026-01-01' })
  assert.equal((await server.json('/v1/search?q=ende', { token })).status, 200)
  return { server, work, home, token, blob_id, bytes }
}

async function exported(server: TestServer): Promise<string> {
  const response = await server.request('/v1/owner/export')
  assert.equal(response.status, 200)
  return response.text()
}

for (const [from, to] of [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const) {
  test(`an export from ${from}, restored into ${to} and exported again, is equal byte for byte`, async () => {
    const { server, work, token, blob_id, bytes } = await filledServer(from)
    await using _ = server
    const original = await exported(server)
    const lines = original
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const moved = lines.find(({ record_id }) => record_id === 'm2')
    assert.deepEqual(
      moved.history.states.map((state: unknown[]) => state.length),
      [4, 4],
      'numbers of the index, which are of one store, are not exported',
    )
    const kinds = lines.map(({ object }) => object)
    assert.deepEqual([...new Set(kinds)].sort(), [
      ...[
        'audit_event',
        'blob',
        'bytes',
        'client',
        'connection',
        'declaration',
        'disclosure',
        'end',
        'export',
        'grant',
      ],
      ...['import', 'import_rejection', 'record', 'token', 'token_grant'],
    ])
    const place = await freshPlace(to)
    try {
      const { stdout, stderr } = await footnote(['restore', '-', ...place.flags], { input: original })
      assert.equal(stdout, '256 records of 2 connections, 2 blobs.\n')
      assert.match(stderr, /Next: .+ --.+ serve, and sign in with the link that it prints\./)
      assert.equal(await output(['export', ...place.flags]), original)

      await using restored = await TestServer.on(place.location)
      assert.deepEqual(
        (await restored.json('/v1/search?q=ende', { token })).body.data.map(plain),
        (await server.json('/v1/search?q=ende', { token })).body.data.map(plain),
        'the client keeps its token, and finds the same',
      )
      const streams = (of: TestServer) => of.json('/v1/streams', { token: of.ownerToken })
      assert.deepEqual(counts((await streams(restored)).body), counts((await streams(server)).body))
      const record = `/v1/streams/messages/records/m1?connection_id=${work}`
      assert.deepEqual((await restored.json(record)).body, (await server.json(record)).body)
      const blob = Buffer.from(await (await restored.request(`/v1/blobs/${blob_id}`)).arrayBuffer())
      assert.ok(blob.equals(bytes))
      const before = restored.store.owner_id
      assert.equal(before, server.store.owner_id)
      const changed = await restored.ingest('messages', work, [message('m2', { subject: 'Again' })])
      assert.equal(changed.body.updated, 1, 'writing still works')
    } finally {
      await place.remove()
    }
  })
}

function plain(hit: { url: string }) {
  return { ...hit, url: '' }
}

function counts(body: { data: { name: string; record_count: number }[] }) {
  return body.data.map(({ name, record_count }) => [name, record_count])
}

test('every table is exported, computed again, or left out on purpose', async () => {
  await using server = await TestServer.start('sqlite')
  const list =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%token_index_%' ORDER BY name"
  const rows = await Promise.all(
    [server.store.database, server.store.ledger.database].map(each => each.all<{ name: string }>(list)),
  )
  const listed = [...EXPORTED_TABLES.map(({ table }) => table.name), ...EXPORTED_OTHERWISE, ...NOT_EXPORTED]
  assert.deepEqual(listed.sort(), [...new Set(rows.flat().map(({ name }) => name))].sort())
})

test('an export is a consistent snapshot even if records are added meanwhile', async () => {
  const { server, work } = await filledServer('sqlite')
  await using _ = server
  const whole = await exported(server)
  const response = await server.request('/v1/owner/export')
  const reader = response.body?.getReader() ?? assert.fail()
  let text = Buffer.from((await reader.read()).value ?? []).toString()
  await server.ingest('messages', work, [message('late')])
  for (let next = await reader.read(); !next.done; next = await reader.read()) text += Buffer.from(next.value)
  assert.equal(text, whole)
  assert.notEqual(await exported(server), whole)
})

onEachEngine('a restore of a file that does not exist says so', async engine => {
  const { flags, remove } = await freshPlace(engine)
  const { code, stderr } = await footnote(['restore', 'no-such-file.ndjson.gz', ...flags])
  assert.equal(code, 1)
  assert.match(stderr, /^Error: There is no file no-such-file\.ndjson\.gz\.$/m)
  await remove()
})

test('a restore is all or nothing: incomplete or changed exports and non-empty stores are refused', async () => {
  const { server } = await filledServer('sqlite')
  await using _ = server
  const whole = await exported(server)
  const lines = whole.trimEnd().split('\n')
  const place = await freshPlace('sqlite')
  const bytes = lines.findIndex(line => line.includes('"object":"bytes"'))
  for (const [input, reason] of [
    ['', /incomplete/],
    ['{"some":"json"}\n', /Line 1 is not the start of a Footnote export/],
    ['not json\n', /Line 1 is not a JSON/],
    [whole.replace('"format":2', '"format":99'), /format 99/],
    [lines.slice(0, -1).join('\n'), /incomplete/],
    [whole.slice(0, -200), /incomplete|is not a JSON/],
    [whole.replace('Work mail', 'Work jail'), /they were changed/],
    [lines.toSpliced(bytes, 1).join('\n'), /bytes (are not its own|that are not split like those of a blob)/],
    [lines.toSpliced(2, 0, '{"object":"surprise"}').join('\n'), /Line 3 is of an unknown kind/],
    [`${whole}${lines[1]}\n`, /after the end marker/],
  ] as const) {
    const { code, stdout, stderr } = await footnote(['restore', '-', ...place.flags], { input })
    assert.deepEqual([code, stdout], [1, ''], String(reason))
    assert.match(stderr, reason)
  }
  assert.equal((await footnote(['restore', '/no/such/file', ...place.flags])).code, 1)
  assert.equal(
    (await footnote(['restore', '-', ...place.flags], { input: whole })).code,
    0,
    'after all that it is empty',
  )
  const again = await footnote(['restore', '-', ...place.flags], { input: whole })
  assert.deepEqual([again.code, again.stdout], [1, ''])
  assert.match(again.stderr, /^Error: The store already contains data .*\nTry: /)
  assert.equal((await footnote(['restore', '/no/such/file', ...place.flags])).code, 1)
  await place.remove()
})

test('footnote export writes one complete private file, gzipped if its name says so; a backup is a data folder', async () => {
  const { server } = await filledServer('sqlite')
  await using _ = server
  const flags = placeFlags(server.location)
  const folder = await mkdtemp(join(tmpdir(), 'footnote-export-'))
  const file = join(folder, 'all.ndjson.gz')
  try {
    await output(['export', '--output', file, ...flags])
    assert.equal(gunzipSync(await readFile(file)).toString(), await exported(server))
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.equal((await footnote(['export', '--output', file, ...flags])).code, 1, 'nothing is overwritten')
    const nowhere = await footnote(['export', '--output', join(folder, 'none', 'all.ndjson'), ...flags])
    assert.equal(nowhere.code, 1)
    assert.match(nowhere.stderr, /^Error: There is no folder .*none\.\nTry: make it first/)
    assert.equal((await footnote(['export', ...flags], { isTerminal: true })).code, 64)
    const copy = join(folder, 'copy')
    assert.equal(
      await output(['restore', file, '--data-dir', copy, '--json']),
      '{"records":256,"connections":2,"blobs":2}\n',
    )

    const backup = join(folder, 'backup')
    assert.equal(lastBackup(server.location.directory), null)
    const settings = '{"my-names":"Ada Example"}'
    await writeFile(join(server.location.directory, 'footnote.json'), settings)
    await output(['backup', backup, ...flags])
    assert.equal(await readFile(join(backup, 'footnote.json'), 'utf8'), settings)
    assert.equal(lastBackup(server.location.directory)?.directory, backup)
    assert.equal(lastBackup(backup), null, 'a copy has no backup of its own')
    assert.equal(await output(['export', '--data-dir', backup]), await exported(server))
    assert.equal((await footnote(['backup', backup, ...flags])).code, 1)
    const used = join(folder, 'used')
    await mkdir(used)
    await writeFile(join(used, 'ledger.key'), 'of another server')
    const taken = await footnote(['backup', used, ...flags])
    assert.deepEqual(
      [taken.code, taken.stderr],
      [1, `Error: ${used} is not empty.\nTry: name a new folder\n`],
    )
    assert.equal(await readFile(join(used, 'ledger.key'), 'utf8'), 'of another server')
    assert.equal(
      (await footnote(['backup', join(folder, 'b2'), '--data-dir', join(folder, 'nothing')])).code,
      1,
    )
    const elsewhere = await footnote([
      'backup',
      join(folder, 'b3'),
      '--database-url',
      'postgres://localhost/x',
    ])
    assert.equal(elsewhere.code, 1)
    assert.match(elsewhere.stderr, /Try: pg_dump/)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('only the owner can export', async () => {
  const { server, token } = await filledServer('sqlite')
  await using _ = server
  const refused = await server.json('/v1/owner/export', { token })
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'owner_token_required'])
  const text = await exported(server)
  assert.ok(!text.includes(token) && !text.includes(server.ownerToken), 'no token is in it')
})
