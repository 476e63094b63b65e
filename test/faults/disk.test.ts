import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import type { Location } from '../../src/store/engine/database.ts'
import { footnote, placeFlags } from '../command-line.ts'
import { PROVING } from '../engines.ts'
import { record } from '../figures.ts'
import { message } from '../mailbox.ts'
import { OwnPostgres } from '../postgres.ts'
import { ownerTokenFor, SpawnedServer } from '../spawned-server.ts'
import { CAN_MOUNT, SmallDisk } from './small-disk.ts'

const ROUNDS = 5
const LINES = 40
const proving = PROVING && CAN_MOUNT ? test : () => {}

proving(
  'a full disk is said to be full, loses nothing, and works again once space is freed [sqlite]',
  async () => {
    await using disk = await SmallDisk.mount(24)
    const location = { engine: 'sqlite', directory: disk.folder } as const
    record('disk full', 'sqlite', await fillAndFree(disk, location, 'The disk is full.'))
  },
)

proving(
  'a full disk is said to be full, loses nothing, and works again once space is freed [postgres]',
  async () => {
    await using postgres = await OwnPostgres.start()
    await using disk = await SmallDisk.mount(64, 'postgres')
    const admin = new pg.Client({ connectionString: postgres.urlOf() })
    await admin.connect()
    await admin.query(`CREATE TABLESPACE small LOCATION '${disk.folder}'`)
    await admin.query('CREATE DATABASE small TABLESPACE small')
    await admin.end()
    const directory = await mkdtemp(join(tmpdir(), 'footnote-test-'))
    const location = { engine: 'postgres', url: postgres.urlOf('small'), directory } as const
    record('disk full', 'postgres', await fillAndFree(disk, location, 'The disk of the database is full.'))
    await rm(directory, { recursive: true })
  },
)

/** Several times fills the disk while records arrive and clients read, frees space, and counts the stored records. */
async function fillAndFree(disk: SmallDisk, location: Location, reason: string) {
  const owner = await ownerTokenFor(location)
  await using server = await SpawnedServer.start(location)
  const connection_id = await server.connect(owner)
  const token = (await server.post('/v1/owner/grants', owner, { client_name: 'Reader' })).body.access_token
  const answered = new Set<string>()
  const counts = { filled: 0, acknowledged: 0, refused: 0, answers: 0, lost: 0 }
  const read = async () => {
    const answer = await server.json('/v1/streams/messages/records/m0', token)
    if (answer.status === 200) answered.add(answer.headers.get('Request-Id') ?? '')
    else {
      assert.deepEqual([answer.status, answer.body.error.code], [503, 'ledger_unavailable'])
      counts.refused++
    }
    return answer.status
  }
  let made = 0
  const write = async () => {
    const lines = Array.from({ length: LINES }, (_, n) =>
      JSON.stringify(message(`m${made + n}`, { body: `${made + n} ${'x y z '.repeat(200)}` })),
    )
    const answer = await server.ingest('messages', connection_id, owner, lines.join('\n'))
    if (answer.status === 200) {
      assert.equal(answer.body.seen - answer.body.rejected, LINES)
      counts.acknowledged++
      made += LINES
    } else {
      const { code, message: said } = answer.body.error
      assert.deepEqual([answer.status, code], [503, 'service_unavailable'], JSON.stringify(answer.body))
      assert.ok(said.startsWith(`${reason} Free some space. Repeat`), said)
      counts.refused++
    }
    return answer.status
  }
  for (let round = 0; round < ROUNDS; round++) {
    assert.deepEqual([await write(), await read()], [200, 200])
    await disk.fill()
    // Existing files have some spare space; eventually it is used up.
    for (let status = 200; status === 200; ) status = await write()
    while ((await read()) === 200);
    const own = await server.json('/v1/streams/messages/records/m0', owner)
    assert.equal(own.status, 200, JSON.stringify(own.body))
    counts.filled++
    await disk.freeSpace()
    assert.deepEqual([await write(), await read()], [200, 200])
    const counted = await server.json('/v1/streams/messages/aggregate?metric=count', owner)
    assert.equal(counted.body.value, made)
    const found = await server.json(`/v1/search?q=%22${made - 1}%20x%22&limit=2`, owner)
    assert.equal(found.body.data.length, 1)
  }
  const noted = new Set<string>()
  for (let cursor = ''; ; ) {
    const { body } = await server.json(`/v1/owner/disclosures?limit=100${cursor}`, owner)
    for (const { request_id } of body.data) noted.add(request_id)
    if (!body.has_more) break
    cursor = `&cursor=${body.next_cursor}`
  }
  assert.deepEqual(
    [...answered].filter(id => !noted.has(id)),
    [],
  )
  counts.answers = answered.size
  const { body: report } = await server.json('/v1/owner/ledger/verify', owner, { method: 'POST' })
  assert.equal(report.state, 'intact', JSON.stringify(report))
  return counts
}

proving('a server does not start on a folder that cannot be written, and says so', async () => {
  await using disk = await SmallDisk.mount(24)
  const location = { engine: 'sqlite', directory: disk.folder } as const
  const flags = placeFlags(location)
  for (const state of ['empty', 'with data']) {
    await disk.allow('ro')
    const { code, stderr } = await footnote(['serve', '--port', '0', ...flags])
    assert.equal(code, 1, state)
    assert.match(stderr, /^Error: .*cannot be written/, state)
    const [asked, advised] = [
      await footnote(['doctor', '--port', '0', ...flags]),
      'mount its file system for writing',
    ]
    const said = `fail  ${disk.folder} cannot be written\n      Try: ${advised}\n`
    assert.ok(asked.code === 1 && asked.stdout.includes(said), asked.stdout)
    assert.doesNotMatch(asked.stdout, /damaged/, state)
    await disk.allow('rw')
    await using server = await SpawnedServer.start(location)
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
  }
  record('read-only folder', 'sqlite', { starts: 2, refused: 2 })
})
