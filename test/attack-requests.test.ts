import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'

onEachEngine('a request has at most 20 conditions, however they are written', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, [message('m1')])
  const token = await server.grant()
  const many = (count: number, written: (n: number) => string, between = '&') =>
    Array.from({ length: count }, (_, n) => written(n)).join(between)
  const ways: ((count: number) => string)[] = [
    count => `/v1/records?${many(count, n => `from=a${n}`)}`,
    count => `/v1/streams/messages/records?${many(count - 1, n => `from=a${n}`)}&person=b`,
    count => `/v1/streams/messages/records?${many(count, n => `where[from][contains]=a${n}`)}`,
    count => `/v1/streams/messages/aggregate?${many(count, n => `from=a${n}`)}`,
    count => `/v1/search?q=word&${many(count, n => `from=a${n}`)}`,
    count => `/v1/search?q=${many(count, n => `from:a${n}`, '+')}`,
    count => `/v1/search?q=from:b+word&${many(count - 1, n => `from=a${n}`)}`,
  ]
  for (const way of ways) {
    assert.equal((await server.json(way(20), { token })).status, 200, way(1))
    const { status, body } = await server.json(way(21), { token })
    assert.equal(status, 400, way(1))
    assert.equal(body.error.message, 'A request may have at most 20 conditions.')
  }
})
