import assert from 'node:assert/strict'
import { appendFile, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { DISCLOSURES } from '../src/store/access/tables.ts'
import type { Row } from '../src/store/engine/table.ts'
import { restoreInto } from '../src/store/transfer/restore.ts'
import { type Engine, freshLocation, onEachEngine, TestServer, writable } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const LIST = '/v1/streams/messages/records'
const VERIFY = '/v1/owner/ledger/verify'
const DAY_MS = 86_400_000

async function verify(server: TestServer) {
  const { body } = await server.json(VERIFY, { method: 'POST' })
  return body
}

async function found(server: TestServer): Promise<string> {
  const { state, problems } = await verify(server)
  const kinds = problems.map(({ kind, first, last }: Record<string, unknown>) => `${kind} ${first}-${last}`)
  return [state, ...kinds].join(', ')
}

async function mailbox(engine: Engine) {
  const server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [message('m1', { body: 'pelican' }), message('m2')])
  const token = await server.grant({ streams: ['messages'] })
  return { server, token }
}

async function read(server: TestServer, token: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    const { status } = await server.json(n % 3 === 0 ? '/v1/search?q=pelican' : `${LIST}/m1`, { token })
    assert.equal(status, 200)
  }
}

onEachEngine('a deleted, altered, inserted or reordered line of the ledger is detected', async engine => {
  const { server, token } = await mailbox(engine)
  await using _ = server
  await read(server, token, 8)
  assert.equal(await found(server), 'intact')
  const ledger = server.store.ledger.database
  const lines = await ledger.all<Row<typeof DISCLOSURES>>('SELECT * FROM disclosures ORDER BY disclosure_id')
  assert.equal(lines.length, 8)
  const id = (no: number) => lines[no - 1]?.disclosure_id ?? ''
  const set = (no: number, column: string, value: string | number | null) =>
    ledger.run(`UPDATE disclosures SET ${column} = ? WHERE disclosure_id = ?`, [value, id(no)])
  const cases: [change: () => Promise<unknown>, expected: string][] = [
    [() => ledger.run('DELETE FROM disclosures WHERE disclosure_id = ?', [id(4)]), 'broken, deleted 4-4'],
    [() => ledger.run('DELETE FROM disclosures WHERE disclosure_id = ?', [id(1)]), 'broken, deleted 1-1'],
    [() => ledger.run('DELETE FROM disclosures WHERE disclosure_id > ?', [id(6)]), 'broken, deleted 7-8'],
    [() => ledger.run('DELETE FROM disclosures'), 'broken, deleted 1-8'],
    [() => set(3, 'shown', '[]'), 'broken, altered 3-3'],
    [() => set(3, 'status', 404), 'broken, altered 3-3'],
    [() => set(3, 'client_id', 'cli_other'), 'broken, altered 3-3'],
    [() => set(3, 'query', '/v1/search?q=nothing'), 'broken, altered 3-3'],
    [() => set(3, 'query_mac', null), 'broken, altered 3-3'],
    [() => set(8, 'mac', lines[0]?.mac ?? ''), 'broken, altered 8-8'],
    [() => set(1, 'opening', '{"key":"000000000000","previous":[]}'), 'broken, altered 1-1'],
    [
      () => ledger.insert(DISCLOSURES, [{ ...(lines[4] as (typeof lines)[0]), disclosure_id: `${id(5)}x` }]),
      'broken, inserted 5-5',
    ],
    [
      () =>
        ledger.insert(DISCLOSURES, [
          { ...(lines[4] as (typeof lines)[0]), disclosure_id: `${id(5)}x`, chain_id: null },
        ]),
      'broken, inserted 1-1',
    ],
    [
      async () => {
        await set(5, 'disclosure_id', 'moved')
        await ledger.run('UPDATE disclosures SET disclosure_id = ? WHERE disclosure_id = ?', [id(5), id(4)])
        await ledger.run('UPDATE disclosures SET disclosure_id = ? WHERE disclosure_id = ?', [id(4), 'moved'])
      },
      'broken, reordered 4-4',
    ],
  ]
  for (const [change, expected] of cases) {
    await change()
    assert.equal(await found(server), expected)
    const { body } = await server.json('/v1/owner/ledger')
    assert.equal(body.last_verified.state, 'broken')
    await ledger.run('DELETE FROM disclosures')
    await ledger.insert(DISCLOSURES, lines)
    assert.equal(await found(server), 'intact')
  }
  await ledger.run('UPDATE disclosures SET query = NULL')
  assert.equal(await found(server), 'intact', 'what was asked can be forgotten')
  await ledger.run(`UPDATE ledger_marks SET content = '{"state":"intact","entries":0,"problems":0}'`)
  assert.equal((await server.json('/v1/owner/ledger')).body.last_verified, null)
  const { mode } = await stat(join(server.location.directory, 'ledger.key'))
  assert.equal(mode & 0o777, 0o600)
  assert.deepEqual(server.failures, [])
})

onEachEngine('each start has its own chain, named by the next; two servers write at once', async engine => {
  const { server: first, token } = await mailbox(engine)
  await read(first, token, 3)
  const second = await TestServer.on(first.location)
  await Promise.all([read(first, token, 6), read(second, token, 6)])
  await Promise.all(Array.from({ length: 20 }, (_, n) => read(n % 2 ? first : second, token, 1)))
  const both = await verify(second)
  assert.deepEqual([both.state, both.entries, both.chains, both.unfinished], ['intact', 35, 2, 2])
  await second.store[Symbol.asyncDispose]()
  const third = await TestServer.on(first.location)
  await read(third, token, 2)
  const three = await verify(third)
  assert.deepEqual([three.state, three.entries, three.chains, three.unfinished], ['intact', 37, 3, 2])
  // Without the head files, the first line of the third chain still contains the length of the second.
  await rename(
    join(first.location.directory, 'ledger-heads'),
    join(first.location.directory, 'ledger-heads-elsewhere'),
  )
  const ledger = third.store.ledger.database
  const rows = await ledger.all<Row<typeof DISCLOSURES>>('SELECT * FROM disclosures ORDER BY disclosure_id')
  const ended = rows.filter(
    ({ chain_id }) =>
      chain_id === rows.find(row => row.link_no === 1 && row.opening?.includes(`"previous":[{`))?.chain_id,
  )
  const last = ended.at(-1)
  await ledger.run('DELETE FROM disclosures WHERE disclosure_id = ?', [last?.disclosure_id ?? ''])
  assert.equal(await found(third), `broken, deleted ${last?.link_no}-${last?.link_no}`)
  await third.store[Symbol.asyncDispose]()
  await first[Symbol.asyncDispose]()
})

onEachEngine(
  'pruning leaves a checkpoint; a restored ledger needs the key it was signed with',
  async engine => {
    const { server, token } = await mailbox(engine)
    await using _ = server
    // Ids never go back in time within a process, so these days are later than those of all other tests.
    const days = engine === 'postgres' ? 20_000 : 10_000
    server.clockOffsetMs = days * DAY_MS
    await read(server, token, 5)
    server.clockOffsetMs = (days + 10) * DAY_MS
    await read(server, token, 4)
    const before = new Date(Date.now() + (days + 1) * DAY_MS).toISOString()
    const prune = (body: object) => server.post('/v1/owner/ledger/prune', body)
    const ledger = server.store.ledger.database
    await ledger.run(`UPDATE disclosures SET status = 418 WHERE link_no = 2`)
    const refused = await prune({ before })
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'ledger_not_intact'])
    await ledger.run(`UPDATE disclosures SET status = 200 WHERE link_no = 2`)
    assert.equal((await prune({ before: 'yesterday' })).body.error.param, 'before')
    assert.deepEqual((await prune({ before })).body.removed, 5)
    await read(server, token, 2)
    const pruned = await verify(server)
    assert.deepEqual([pruned.state, pruned.entries, pruned.pruned], ['intact', 6, 5])
    const exported = Buffer.from(await (await server.request('/v1/owner/export')).text())
    const elsewhere = await freshLocation(engine)
    await restoreInto(
      elsewhere.location,
      (async function* () {
        yield exported
      })(),
    )
    await using copy = await TestServer.on(elsewhere.location, {}, elsewhere.remove)
    const foreign = await verify(copy)
    assert.deepEqual([foreign.state, foreign.unverifiable], ['unverifiable', 6])
    assert.equal(foreign.unknown_keys.length, 1)
    await read(copy, token, 2)
    assert.equal((await verify(copy)).state, 'unverifiable')
    const key = await readFile(join(server.location.directory, 'ledger.key'), 'utf8')
    await appendFile(join(elsewhere.location.directory, 'ledger.key'), key)
    assert.deepEqual([await found(copy), (await verify(copy)).entries], ['intact', 8])

    await ledger.run(`DELETE FROM ledger_marks WHERE kind = 'checkpoint'`)
    assert.equal(await found(server), 'broken, deleted 1-5')
  },
)

onEachEngine('if the ledger cannot be written, clients get an error that says so', async engine => {
  const { server, token } = await mailbox(engine)
  await using _ = server
  await read(server, token, 2)
  const isBroken = async () => {
    const { status, body, headers } = await server.json(`${LIST}/m1`, { token })
    assert.deepEqual([status, body.error.code], [503, 'ledger_unavailable'], JSON.stringify(body))
    assert.equal(headers.get('Retry-After'), '5')
    for (const path of ['/healthz', '/readyz']) {
      const health = await server.json(path, { token: null })
      assert.deepEqual([health.status, health.body.parts.ledger], [503, 'down'])
    }
    assert.equal(server.failures.splice(0).length, 1, 'the log has the reason')
  }
  const { location } = server
  if (location.engine === 'sqlite') {
    const lock = new DatabaseSync(join(location.directory, 'ledger.sqlite'))
    lock.exec('BEGIN EXCLUSIVE')
    await isBroken()
    lock.close()
  } else {
    const database = writable(server.store)
    await database.run('ALTER TABLE disclosures RENAME TO hidden')
    await isBroken()
    await database.run('ALTER TABLE hidden RENAME TO disclosures')
  }
  await read(server, token, 2)
  assert.equal((await server.request('/healthz', { token: null })).status, 200)
  const after = await verify(server)
  assert.deepEqual([after.state, after.entries], ['intact', 4])
  if (location.engine !== 'sqlite') return
  await rm(join(location.directory, 'ledger.sqlite'))
  await isBroken()
  await using again = await TestServer.on(location)
  await read(again, token, 1)
  const lost = await verify(again)
  assert.deepEqual([lost.state, lost.problems[0].kind], ['broken', 'deleted'])
})

test('a line from before the ledger was signed is counted, and an added one is detected', async () => {
  const { server, token } = await mailbox('sqlite')
  await using _ = server
  const ledger = server.store.ledger.database
  const old = {
    ...{ owner_id: server.store.owner_id, at: '2026-01-01T00:00:00.000Z', request_id: 'r', client_id: 'c' },
    ...{ grant_ids: 'g', route: 'GET /', shown: '[]', status: 200, decided: '[]' },
  }
  await ledger.insert(DISCLOSURES, [{ ...old, disclosure_id: '0a' }])
  assert.equal((await verify(server)).state, 'intact')
  await read(server, token, 1)
  const { state, unlinked } = await verify(server)
  assert.deepEqual([state, unlinked], ['intact', 1])
  await ledger.insert(DISCLOSURES, [{ ...old, disclosure_id: '0b' }])
  assert.equal(await found(server), 'broken, inserted 2-2')
  await ledger.run(`DELETE FROM disclosures WHERE disclosure_id < '0c'`)
  assert.equal(await found(server), 'broken, deleted 1-1')
})
