import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

test('the words of a row are stored uncompressed, because each lookup by rows reads them [postgres]', async () => {
  await using server = await TestServer.start('postgres')
  const mail = await server.connect(MAILBOX)
  const body = Array.from({ length: 300 }, (_, n) => `harbour${n}`).join(' ')
  await server.ingest('messages', mail, [message('m1', { body })])
  const row = await server.store.database.get<{ stored: number; plain: number }>(
    `SELECT pg_column_size(words) AS stored, pg_column_size(words || '') AS plain FROM token_index`,
  )
  assert.ok(row && row.plain > 2_048, 'large enough that PostgreSQL would compress it')
  assert.equal(row.stored, row.plain)
})
