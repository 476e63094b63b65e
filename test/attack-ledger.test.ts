import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { byTime, MAILBOX, message, source, stream } from './mailbox.ts'

const TALKS = {
  ...source('talks'),
  streams: [
    stream('talks', {}, { relationships: [related('words', 'talk', 'has_many')] }),
    stream(
      'words',
      { talk: { type: 'string' }, at: { type: 'string', format: 'date-time' } },
      { ...byTime('at'), schema: { x_pdpp_conversation: { key: 'talk', order: ['at'] } } },
    ),
  ],
}

function related(name: string, foreign_key: string, cardinality: string) {
  return { name, stream: name, foreign_key, cardinality }
}

onEachEngine('asking for the conversation of a record names the record in the ledger', async engine => {
  await using server = await TestServer.start(engine)
  const mail = await server.connect(MAILBOX)
  await server.ingest('messages', mail, [message('m1')])
  await server.ingest('notes', mail, [{ data: { id: 'n1', text: 'a note' } }])
  const talks = await server.connect(TALKS)
  await server.ingest('talks', talks, [{ data: { id: 't1' } }])
  await server.ingest('words', talks, [{ data: { id: 'w1', talk: 't1', at: '2026-01-01T00:00:00Z' } }])
  const whole = await server.grant()
  const narrow = await server.grant({ streams: ['messages'], fields: ['id', 'body'] })
  for (const [token, of, id, status] of [
    [whole, 'notes', 'n1', 404],
    [whole, 'messages', 'm1', 200],
    [whole, 'talks', 't1', 200],
    [narrow, 'messages', 'm1', 403],
  ] as const) {
    const answer = await server.json(`/v1/streams/${of}/records/${id}/conversation`, { token })
    assert.equal(answer.status, status, `${of} ${JSON.stringify(answer.body)}`)
    const { body } = await server.json('/v1/owner/disclosures?limit=1')
    const [{ decided }] = body.data as [{ decided: { stream: string; record_ids: string[] }[] }]
    const named = decided.some(each => each.stream === of && each.record_ids.includes(id))
    assert.ok(named, `${of}: ${JSON.stringify(decided)}`)
  }
})
