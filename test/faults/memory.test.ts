import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { CodedError } from '../../src/model/errors.ts'
import { Store } from '../../src/store/store.ts'
import { Writer } from '../../src/store/threads/worker.ts'
import { freshLocation, PROVING } from '../engines.ts'
import { record } from '../figures.ts'
import { MAILBOX, message } from '../mailbox.ts'

// Running out of memory can end the whole process and the other tests with it, so this runs only in `npm run prove`.
const proving = PROVING ? test : () => {}
proving('a writer that runs out of memory fails that request only', async () => {
  // Tests have more space for young objects than a server, which would also apply to the worker.
  for (const size of ['min', 'max']) setFlagsFromString(`--${size}-semi-space-size=0`)
  const { location, remove } = await freshLocation('sqlite')
  {
    await using store = await Store.open(location)
    const { owner_id } = store
    const now = new Date().toISOString()
    await store.writer.call('registerDeclaration', { owner_id, content: JSON.stringify(MAILBOX), now })
    const made = { owner_id, source_id: MAILBOX.source.id, display_name: 'Mail', now }
    const { connection_id } = await store.writer.call('createConnection', made)
    await using worker = new Writer({ location, memory: 'server', heapMegabytes: 32 })
    const causes: string[] = []
    worker.onStop = cause => causes.push((cause as { code?: string }).code ?? cause.message)
    const stream = MAILBOX.streams[0] as never
    const write = (line: string) =>
      worker.pour('ingest', { owner_id, connection_id, stream }, [Buffer.from(line)] as never)
    const code = (error: unknown) => error instanceof CodedError && error.code
    const parts = `${'[],'.repeat(2_000_000)}[]`
    await assert.rejects(
      write(`{"data":{"id":"m","received_at":"2026-01-02T03:04:05Z","parts":[${parts}]}}`),
      error => code(error) === 'service_unavailable',
    )
    assert.deepEqual(causes, ['ERR_WORKER_OUT_OF_MEMORY'])
    while ((await worker.state(500)) !== 'ok') await sleep(10)
    await assert.rejects(write('x'.repeat(20_000_000)), error => code(error) === 'line_too_large')
    assert.equal((await write(JSON.stringify(message('m')))).added, 1)
    record('writer out of memory', 'sqlite', { stops: 1 })
  }
  await remove()
})
