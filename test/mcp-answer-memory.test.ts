import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ResourceServerClient } from '../src/mcp/reading/resource-server-client.ts'
import { Cursors } from '../src/model/reading/cursor.ts'
import { collectNow } from '../src/store/engine/heap.ts'

test('an answer is not kept in memory after it was read, although its time limit is not over', async () => {
  const provider = {
    url: 'http://footnote.test',
    cursors: new Cursors(Buffer.alloc(32), 60),
    timeoutMs: 60_000,
    send: async (request: Request) => Response.json({ address: request.url }),
  }
  const client = new ResourceServerClient(provider, { token: 't' }, new AbortController().signal)
  const read = async (n: number) => {
    const answer = await client.json(`/${n}`)
    assert.deepEqual(answer, { status: 200, body: { address: `${provider.url}/${n}` } })
    return new WeakRef(answer)
  }
  const answers: WeakRef<object>[] = []
  for (let n = 0; n < 20; n++) answers.push(await read(n))
  for (let n = 0; n < 5; n++) {
    await setImmediate()
    collectNow()
  }
  assert.ok(answers.filter(answer => answer.deref() !== undefined).length <= 1)
})
