import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import type { Queryable } from '../src/store/engine/database.ts'
import { footnote, freshPlace, output, placeFlags } from './command-line.ts'
import { type Engine, onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const MAIN = join(import.meta.dirname, '../src/cli/main.ts')
/** Tables that keep the names: grants are frozen and name what they covered; the ledger lists what was shown. */
const KEPT = ['grants', 'disclosures']

/** The tables that contain one of these texts in any column. */
async function tablesWith(database: Queryable, engine: Engine, texts: readonly string[]): Promise<string[]> {
  const tables = await database.all<{ name: string }>(
    engine === 'sqlite'
      ? `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%token_index%'`
      : `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`,
  )
  assert.ok(tables.length > 1)
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await database.all<object>(`SELECT * FROM ${name}`)
    const all = rows
      .flatMap(row => Object.values(row))
      .map(value => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)))
      .join('\n')
    if (texts.some(text => all.includes(text))) found.push(name)
  }
  return found.sort()
}

onEachEngine('AN-40 a removed source leaves nothing except in the ledger and its grants', async engine => {
  await using server = await TestServer.start(engine)
  const kept = await server.connect(MAILBOX, 'Kept')
  await server.ingest('messages', kept, [message('a')])
  const gone = await server.connect(MAILBOX, 'Zebrafinch mail')
  const blob_id = await server.upload('quetzalfile')
  const records = Array.from({ length: 5 }, (_, index) =>
    message(`zebrafinch-${index}`, {
      subject: 'marmotword',
      from: 'Zebrafinch Sender',
      body: `xylophonist ${'long '.repeat(4_000)}`,
      parts: [{ blob_id }],
    }),
  )
  await server.ingest('messages', gone, records)
  await server.ingest('messages', gone, [{ op: 'delete', key: 'zebrafinch-4' }])
  const token = await server.grant()
  const lists = [
    '/v1/streams/messages/records?limit=2',
    '/v1/records?limit=2',
    '/v1/search?q=xylophonist&limit=2',
  ]
  for (const path of lists) {
    const page = await server.json(`${path}&connection_id=${gone}`, { token })
    assert.ok(page.body.next_cursor, path)
  }
  const planted = ['zebrafinch', 'Zebrafinch', 'marmotword', 'quetzalfile', 'xylophon', gone, blob_id]
  const { database, ledger } = server.store
  const tables = async () => [
    ...(await tablesWith(database, engine, planted)),
    ...(engine === 'sqlite' ? await tablesWith(ledger.database, engine, planted) : []),
  ]
  const before = await tables()
  for (const table of [
    'records',
    'pieces',
    'search_rows',
    'word_hashes',
    'names',
    'name_records',
    'blobs',
    'page_positions',
    'disclosures',
  ])
    assert.ok(before.includes(table), table)
  const deleted = await server.request(`/v1/owner/connections/${gone}`, { method: 'DELETE' })
  assert.equal(deleted.status, 204)
  assert.deepEqual((await tables()).sort(), [...KEPT].sort())
  const { body } = await server.json('/v1/search?q=xylophonist', { token })
  assert.deepEqual([body.data, body.meta.count], [[], 0])
  assert.equal((await server.json('/v1/streams/messages/records', { token })).body.data.length, 1)
})

onEachEngine('AN-40 a source is renamed by name, and removed after listing what it deletes', async engine => {
  await using server = await TestServer.start(engine)
  const flags = placeFlags(server.location)
  const [one, two] = [await server.connect(MAILBOX, 'Mail'), await server.connect(MAILBOX, 'Mail')]
  await server.ingest('messages', one, [message('a'), message('b')])
  await server.grants({ client_name: 'Reader', connections: [one] })
  const ambiguous = await footnote(['connections', 'rename', 'Mail', 'Post', ...flags])
  assert.equal(ambiguous.code, 1)
  assert.match(ambiguous.stderr, /2 sources are named Mail\.\nTry: cin_\w+ \(Mail\) or cin_\w+ \(Mail\)\n$/)
  assert.match(
    await output(['connections', 'rename', one, 'Old post', ...flags]),
    /was Mail and is now Old post/,
  )
  const remove = ['connections', 'remove', 'old post', ...flags]
  const unasked = await footnote(remove)
  assert.equal(unasked.code, 64)
  assert.match(
    unasked.stderr,
    /Old post \(cin_\w+\) will be removed, with 2 records and their files:\n {2}Your e-mail: 2 records\n/,
  )
  assert.match(unasked.stderr, /Reader can read it now and will lose access to it\./)
  assert.match(unasked.stderr, /Nothing was removed: --yes is missing\./)
  const no = await footnote(remove, { isTerminal: true, input: 'no\n' })
  assert.deepEqual([no.code, /Nothing was removed\./.test(no.stderr)], [1, true])
  assert.equal(JSON.parse(await output(['connections', '--json', ...flags])).data.length, 2)
  const yes = await footnote(remove, { isTerminal: true, input: 'yes\n' })
  assert.equal(yes.code, 0)
  assert.match(yes.stdout, new RegExp(`${one} {2}removed`))
  const json = JSON.parse(await output(['connections', 'remove', 'mail', '--yes', '--json', ...flags]))
  assert.deepEqual(json, {
    connection_id: two,
    display_name: 'Mail',
    records: 0,
    streams: [],
    apps: [],
    removed: true,
  })
  assert.equal(await output(['connections', ...flags]), '')
  assert.equal((await footnote(['connections', 'delete', ...flags])).code, 64)
})

onEachEngine('AN-40 owner tokens are listed and revoked', async engine => {
  await using server = await TestServer.start(engine)
  const flags = placeFlags(server.location)
  const made = JSON.parse(await output(['owner-token', '--json', ...flags]))
  const { data: listed } = JSON.parse(await output(['owner-token', 'list', '--json', ...flags]))
  assert.equal(listed.length, 2)
  assert.match(await output(['owner-token', 'list', ...flags]), new RegExp(`${made.token_id} {2}created `))
  assert.equal((await server.json('/v1/owner/tokens', { token: made.token })).status, 200)
  await output(['owner-token', 'revoke', made.token_id, ...flags])
  assert.equal((await server.json('/v1/owner/tokens', { token: made.token })).status, 401)
  const again = await footnote(['owner-token', 'revoke', made.token_id, ...flags])
  assert.match(
    again.stderr,
    /There is no owner token .*\nTry: footnote --data-dir \S+( --database-url \S+)? owner-token list/,
  )
  assert.equal((await footnote(['owner-token', 'lst', ...flags])).code, 64)
})

const SAMPLE_FILES = join(import.meta.dirname, '../samples')

/** The output of a first start, up to its last line. */
async function started(...args: string[]): Promise<string> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', MAIN, 'start', '--port', '0', ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let said = ''
  for await (const line of createInterface({ input: child.stdout })) {
    said += `${line}\n`
    if (line.startsWith('Ctrl+C')) break
  }
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  return said
}

test('AN-40 starting without samples is remembered', async () => {
  const { flags, remove } = await freshPlace('sqlite')
  assert.doesNotMatch(await started('--empty', ...flags), /Sample data/)
  assert.doesNotMatch(await started(...flags), /Sample data/)
  await remove()
})

test('AN-40 samples that were removed do not come back, and nothing else is removed with them', async () => {
  const { flags, remove } = await freshPlace('sqlite')
  await output(['samples', 'import', ...flags])
  assert.equal(JSON.parse(await output(['connections', '--json', ...flags])).data.length, 6)
  // A mailbox of the owner goes to a connection of its own, even if it is called like one of the samples.
  await output(['import', join(SAMPLE_FILES, 'mail-work.mbox'), '--name', 'Home mail', ...flags])
  const unasked = await footnote(['samples', 'remove', ...flags])
  assert.equal(unasked.code, 64)
  assert.match(unasked.stderr, /Foldout Slack \(sample\) \(cin_\w+\) will be removed/)
  const { removed } = JSON.parse(await output(['samples', 'remove', '--yes', '--json', ...flags]))
  assert.equal(removed.length, 6)
  assert.match(await output(['connections', ...flags]), /^cin_\w+ {2}mail {2}Home mail$/m)
  assert.match((await footnote(['samples', 'remove', ...flags])).stderr, /There is no sample data/)
  const said = await started(...flags)
  assert.doesNotMatch(said, /Sample data/)
  assert.match(await output(['connections', ...flags]), /^cin_\w+ {2}mail {2}Home mail$/m)
  await remove()
})

test('imports remove counts one record in the singular', async context => {
  const { flags, remove } = await freshPlace('sqlite')
  const folder = mkdtempSync(join(tmpdir(), 'footnote-test-'))
  context.after(async () => {
    rmSync(folder, { recursive: true })
    await remove()
  })
  const file = join(folder, 'note.md')
  writeFileSync(file, 'The heron left.\n')
  const imported = JSON.parse(await output(['import', file, '--json', ...flags])) as { import_id: string }
  const removed = await footnote(['imports', 'remove', imported.import_id, '--yes', ...flags])
  assert.match(removed.stderr, /It added 1 record\./)
  assert.match(removed.stdout, /removed: 1 record deleted, 0 kept/)
})
