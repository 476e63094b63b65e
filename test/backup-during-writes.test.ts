import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { SQLITE_FILES } from '../src/store/engine/open-database.ts'
import { count, TestServer } from './engines.ts'
import { record } from './figures.ts'
import { MAILBOX, message } from './mailbox.ts'

const MAIN = join(import.meta.dirname, '../src/cli/main.ts')
const BACKUPS = count(2, 20)
/** Lines of one request, which are stored in one transaction. */
const LINES = 50

test('a backup that is made during writes holds whole transactions and opens as a data folder', async () => {
  await using server = await TestServer.start('sqlite')
  const { location } = server
  assert.ok(location.engine === 'sqlite')
  const connection_id = await server.connect(MAILBOX)
  let requests = 0
  let writing = true
  const write = async () => {
    for (; writing; requests++) {
      const lines = Array.from({ length: LINES }, (_, n) =>
        message(`m${requests}-${n}`, { body: 'x'.repeat(500) }),
      )
      const { body } = await server.ingest('messages', connection_id, lines)
      assert.equal(body.added, LINES, JSON.stringify(body))
    }
  }
  const writer = write()
  try {
    for (let no = 0; no < BACKUPS; no++) {
      const folder = join(location.directory, `backup-${no}`)
      const before = requests
      const args: string[] = [MAIN, 'backup', folder, '--data-dir', location.directory]
      assert.deepEqual(await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'exit'), [0, null])
      const after = requests
      for (const file of SQLITE_FILES) {
        using database = new DatabaseSync(join(folder, file), { readOnly: true })
        assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
      }
      await using copy = await TestServer.on({ engine: 'sqlite', directory: folder })
      const { body } = await copy.json('/v1/streams/messages/records?count=exact&limit=1')
      const held = body.meta.count / LINES
      assert.ok(Number.isInteger(held), `${body.meta.count} records`)
      assert.ok(held >= before && held <= after + 1, `${held} requests of ${before} to ${after}`)
      const found = await copy.json(`/v1/search?q=subject&limit=1`)
      assert.equal(found.body.data.length, 1)
    }
  } finally {
    writing = false
    await writer
  }
  assert.ok(requests > 0)
  record('backup under load', 'sqlite', { backups: BACKUPS, requests, inconsistent: 0 })
})
