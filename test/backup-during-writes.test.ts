import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { SQLITE_FILES } from '../src/store/engine/open-database.ts'
import { output, placeFlags } from './command-line.ts'
import { count, freshLocation, onEachEngine, PROVING, TestServer } from './engines.ts'
import { record } from './figures.ts'
import { MAILBOX, message } from './mailbox.ts'

const MAIN = join(import.meta.dirname, '../src/cli/main.ts')
const BACKUPS = count(1, 20)
const EXPORTS = 3
/** Lines per request. They are stored in one transaction. */
const LINES = 50

test('a backup made during writes contains only complete transactions and opens as a data folder', async () => {
  await using server = await TestServer.start('sqlite')
  const { location } = server
  assert.ok(location.engine === 'sqlite')
  const connection_id = await server.connect(MAILBOX)
  const writer = new Writer(server, connection_id)
  try {
    for (let no = 0; no < BACKUPS; no++) {
      const folder = join(location.directory, `backup-${no}`)
      const before = writer.requests
      const args: string[] = [MAIN, 'backup', folder, '--data-dir', location.directory]
      assert.deepEqual(await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'exit'), [0, null])
      const after = writer.requests
      for (const file of SQLITE_FILES) {
        using database = new DatabaseSync(join(folder, file), { readOnly: true })
        assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
      }
      await using copy = await TestServer.on({ engine: 'sqlite', directory: folder })
      await assertWhole(copy, before, after)
    }
  } finally {
    await writer.stop()
  }
  const { requests } = writer
  assert.ok(requests > 0)
  record('backup under load', 'sqlite', { backups: BACKUPS, requests, inconsistent: 0 })
})

const proving = PROVING ? onEachEngine : () => {}
proving('an export that is made during writes holds whole transactions and can be restored', async engine => {
  await using server = await TestServer.start(engine)
  const writer = new Writer(server, await server.connect(MAILBOX))
  try {
    for (let no = 0; no < EXPORTS; no++) {
      const file = join(server.location.directory, `export-${no}.ndjson.gz`)
      const before = writer.requests
      await output(['export', '--output', file, ...placeFlags(server.location)])
      const after = writer.requests
      const { location, remove } = await freshLocation(engine)
      await output(['restore', file, ...placeFlags(location)])
      {
        await using copy = await TestServer.on(location)
        await assertWhole(copy, before, after)
      }
      await remove()
    }
  } finally {
    await writer.stop()
  }
  const { requests } = writer
  assert.ok(requests > 0)
  record('export under load', engine, { exports: EXPORTS, requests, inconsistent: 0 })
})

/** Sends requests in sequence until it is stopped. */
class Writer {
  readonly #working: Promise<void>
  #stopped = false
  requests = 0

  constructor(server: TestServer, connection_id: string) {
    this.#working = this.#work(server, connection_id)
  }

  async #work(server: TestServer, connection_id: string): Promise<void> {
    for (; !this.#stopped; this.requests++) {
      const lines = Array.from({ length: LINES }, (_, n) =>
        message(`m${this.requests}-${n}`, { body: 'x'.repeat(500) }),
      )
      const { body } = await server.ingest('messages', connection_id, lines)
      assert.equal(body.added, LINES, JSON.stringify(body))
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#working
  }
}

/** The copy contains at least everything that was acknowledged before it started, and no partial transaction. */
async function assertWhole(copy: TestServer, before: number, after: number): Promise<void> {
  const { body } = await copy.json('/v1/streams/messages/records?count=exact&limit=1')
  const held = body.meta.count / LINES
  assert.ok(Number.isInteger(held), `${body.meta.count} records`)
  assert.ok(held >= before && held <= after + 1, `${held} requests of ${before} to ${after}`)
  // Before the first request is acknowledged, there may be nothing to find.
  const found = await copy.json(`/v1/search?q=subject&limit=1`)
  assert.equal(found.body.data.length, held > 0 ? 1 : 0)
}
