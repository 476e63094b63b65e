import assert from 'node:assert/strict'
import type { Source } from '../src/model/access/enforce.ts'
import { Budget, ClientLeft, SCAN_ALLOWANCE } from '../src/store/budget/budget.ts'
import { FreeTurn } from '../src/store/budget/turns.ts'
import { type ConversationKey, neighbours } from '../src/store/records/conversation.ts'
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

onEachEngine('a walk along hidden messages ends when its client leaves', async engine => {
  await using server = await TestServer.start(engine)
  const connection_id = await server.connect(MAILBOX)
  const talk = Array.from({ length: 100 }, (_, n) => message(`m${n}`, { subject: 'One talk' }))
  await server.ingest('messages', connection_id, talk)
  const { owner_id, database } = server.store
  const [stream] = MAILBOX.streams
  const hidden = { fields: null, since: null, until: null, record_ids: new Set(['none']) }
  const clauses = [hidden, { ...hidden, record_ids: new Set(['m99']) }]
  const source = { connection_id, stream, clauses } as unknown as Source
  const key: ConversationKey = {
    ...{ owner_id, source, column: 'thread_key', key: 'sOne talk', from: null, to: null },
  }
  const walk = async (signal: AbortSignal) => {
    const budget = new Budget(SCAN_ALLOWANCE, new FreeTurn(), signal)
    const start = { order_key: '', record_key: '' }
    const rows = await Array.fromAsync(neighbours(database, key, 'after', start, budget))
    return rows.map(({ record }) => record.record_id)
  }
  assert.deepEqual(await walk(new AbortController().signal), ['m99'])
  await assert.rejects(walk(AbortSignal.abort()), ClientLeft)
})

onEachEngine('a page of records lets others be served between two of them', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(MAILBOX)
  const parts = Array.from({ length: 150_000 }, (_, n) => n)
  const large = Array.from({ length: 4 }, (_, n) => message(`m${n}`, { parts }))
  await server.ingest('messages', connection, large)
  const token = await server.grant({ streams: ['messages'], fields: ['id', 'subject'] })
  let served = 0
  const list = server.json('/v1/streams/messages/records', { token })
  const counting = setInterval(() => served++, 0)
  const { body } = await list
  clearInterval(counting)
  assert.equal(body.data.length, 4)
  assert.ok(served > 0)
})
