import assert from 'node:assert/strict'
import { PagePositions } from '../src/store/access/page-positions.ts'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

const LIST = '/v1/streams/messages/records'
const SEVERAL = 8

onEachEngine('cursors of the same long position work for all who get them at once', async engine => {
  await using server = await TestServer.start(engine)
  const ids = ['a', 'b', 'c'].map(each => each.repeat(100))
  await server.ingest(
    'messages',
    await server.connect(MAILBOX),
    ids.map(id => message(id)),
  )
  const token = await server.grant()
  for (const access of [{ token }, {}]) {
    const pages = await Promise.all(
      Array.from({ length: SEVERAL }, () => server.json(`${LIST}?limit=1`, access)),
    )
    for (const { status, body } of pages) {
      assert.equal(status, 200)
      const next = await server.json(`${LIST}?limit=1&cursor=${body.next_cursor}`, access)
      assert.equal(next.status, 200)
      assert.notEqual(next.body.data[0].id, body.data[0].id)
    }
  }
  const { n } = (await server.store.ledger.database.get<{ n: number }>(
    'SELECT count(*) AS n FROM page_positions',
  )) ?? { n: 0 }
  assert.equal(n, 2, 'the ends of the first page and of the second')
  assert.equal((await server.json('/v1/owner/disclosures?limit=100')).body.data.length, 2 * SEVERAL)
  assert.deepEqual(server.failures, [])
})

onEachEngine('a position is found in memory, without that in the ledger, and after neither', async engine => {
  await using server = await TestServer.start(engine)
  const { ledger, owner_id } = server.store
  const position = { owner_id, position_key: 'k', state: '{"n":1}', kept_at: '2026-01-01T00:00:00.000Z' }
  const [writer, reader] = [new PagePositions(ledger.database), new PagePositions(ledger.database)]
  await writer.keep([position])
  assert.equal(await reader.find(owner_id, 'k'), position.state)
  await ledger.database.run('DELETE FROM page_positions')
  assert.equal(await writer.find(owner_id, 'k'), position.state)
  assert.equal(await writer.find('another', 'k'), null)
  assert.equal(await reader.find(owner_id, 'k'), null)
  await writer.forget(owner_id)
  assert.equal(await writer.find(owner_id, 'k'), null)
})
