import assert from 'node:assert/strict'
import { DISCLOSURES } from '../src/store/access/tables.ts'
import { startTimesAnew, timePrefix } from '../src/store/engine/identifiers.ts'
import { openDatabase } from '../src/store/engine/open-database.ts'
import { Ledger } from '../src/store/ledger/ledger.ts'
import { LINES_IN_BLOCK, linesThatMayShow } from '../src/store/ledger/line-blocks.ts'
import { onEachEngine, TestServer } from './engines.ts'

const DAY_MS = 86_400_000
const LINES = 2 * LINES_IN_BLOCK + 50
const WANTED = [7, LINES_IN_BLOCK - 1, LINES_IN_BLOCK + 7, LINES - 7]

const place = { connection_id: 'cin_old', stream: 'messages' }
const named = (record_id: string) => ({ ...place, record_id })
const shown = (record_id: string) => JSON.stringify([{ ...place, record_ids: [record_id], fields: ['body'] }])

onEachEngine('who read a record is found without the lines of blocks that do not show it', async engine => {
  await using server = await TestServer.start(engine)
  const { owner_id, ledger } = server.store
  const { directory } = server.location
  const first = Date.now() - 10 * DAY_MS
  const timeOf = (n: number) => first + n * 1_000
  const common = {
    request_id: 'req_1',
    client_id: 'cli_1',
    route: 'GET /v1/search',
    status: 200,
    decided: '[]',
  }
  const lines = Array.from({ length: LINES }, (_, n) => ({
    ...common,
    owner_id,
    disclosure_id: `${timePrefix(timeOf(n))}000000000000`,
    at: new Date(timeOf(n)).toISOString(),
    grant_ids: 'grt_1',
    shown: shown(WANTED.includes(n) ? 'wanted' : `m${n}`),
  }))
  await ledger.database.insert(DISCLOSURES, lines)

  const readers = async (record_id: string, limit = 100) => {
    const rest = { since: null, until: null, after: null, record: named(record_id), limit }
    const found = await ledger.list({ owner_id, client_id: null, ...rest })
    return found.map(({ at }) => (Date.parse(at) - first) / 1_000)
  }
  const stretches = async (record_id: string) => {
    const wanted = { owner_id, record: named(record_id), below: '~' }
    return (await Array.fromAsync(linesThatMayShow(ledger.database, directory, wanted))).length
  }
  const blocks = async () => (await ledger.database.all('SELECT last_id FROM line_blocks')).length

  const newestFirst = WANTED.toReversed()
  assert.deepEqual(await readers('wanted'), newestFirst)
  assert.equal(await stretches('never'), 1)
  await ledger.addBlocks(owner_id, new Date())
  assert.equal(await blocks(), 2)
  assert.deepEqual(await readers('wanted'), newestFirst)
  assert.deepEqual(await readers('wanted', 2), newestFirst.slice(0, 2))
  assert.deepEqual(await readers('m17'), [17])
  assert.deepEqual(await readers('never'), [])
  assert.deepEqual(
    [await stretches('never'), await stretches('m17'), await stretches('wanted')],
    [2, 3, 4],
    'the lines in no block, and those before the first block, which are none',
  )

  await ledger.database.run(
    'UPDATE line_blocks SET records = (SELECT records FROM line_blocks ORDER BY last_id DESC LIMIT 1)',
  )
  assert.deepEqual(await readers('m17'), [17], 'a block that was changed from outside is not believed')
  await ledger.database.run('DELETE FROM line_blocks')
  await ledger.addBlocks(owner_id, new Date())

  startTimesAnew()
  await using late = new Ledger(await openDatabase(server.location, 'ledger'), directory)
  const at = new Date(timeOf(LINES_IN_BLOCK + 20)).toISOString()
  await late.add(owner_id, { ...common, at, grant_ids: [], query: null, shown: shown('wanted') }, [])
  assert.equal(await blocks(), 1, 'a line comes into the second block after the clock was set back')
  assert.deepEqual(await readers('wanted'), [LINES - 7, LINES_IN_BLOCK + 20, ...newestFirst.slice(1)])
  await ledger.addBlocks(owner_id, new Date())
  assert.equal(await blocks(), 2)

  const before = new Date(timeOf(10)).toISOString()
  const pruned = await server.post('/v1/owner/ledger/prune', { before })
  assert.equal(pruned.status, 200)
  assert.equal(await blocks(), 1, 'nothing is left that says what removed lines showed')
  assert.deepEqual(await readers('wanted'), [LINES - 7, LINES_IN_BLOCK + 20, ...newestFirst.slice(1, 3)])
  assert.deepEqual(await readers('m8'), [])
})
