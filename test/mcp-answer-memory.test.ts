import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { withKnownText } from '../src/api/route.ts'
import { ResourceServerClient } from '../src/mcp/reading/resource-server-client.ts'
import { Cursors } from '../src/model/reading/cursor.ts'
import { collectNow } from '../src/store/engine/heap.ts'

const provider = {
  url: 'http://footnote.test',
  cursors: new Cursors(Buffer.alloc(32), 60),
  timeoutMs: 60_000,
  send: async (request: Request) => Response.json({ address: request.url }),
}

test('an answer is not kept in memory after it was read, although its time limit is not over', async () => {
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

test('the requests that a call makes are freed without a collection of old objects', async () => {
  const response = withKnownText(new Response(), '{}')
  const plain = { ...provider, send: async () => response }
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  const asked = async () => {
    for (let n = 1; n <= 1_000; n++) {
      // Each call comes with a request of its own.
      await new ResourceServerClient(plain, { token: 't' }, new AbortController().signal).json(`/${n}`)
      if (n % 100 === 0) for (let round = 0; round < 3; round++) collect({ type: 'minor' })
    }
  }
  await asked()
  await asked()
  const before = oldBytes()
  await asked()
  const kept = oldBytes() - before
  // The test runner itself keeps something for each promise.
  assert.ok(kept < 1_000_000, `${kept} bytes were kept of 1,000 requests`)
})

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0
}
