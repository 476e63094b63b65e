import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** An unused loopback port, for programs that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  const closed = once(probe, 'close')
  probe.close()
  await closed
  return typeof address === 'object' && address ? address.port : assert.fail()
}
