import assert from 'node:assert/strict'
import { SLACK } from '../src/importers/slack/declaration.ts'
import { onEachEngine, TestServer } from './engines.ts'

const STREAM = 'slack_messages'

function line(id: string, text: string | null): { data: Record<string, unknown> } {
  return {
    data: { id, text, channel: 'general', sender: 'Ada', sent_at: '2026-01-02T03:04:05Z', thread_id: 't' },
  }
}

onEachEngine(
  'a message without a title is headed by its first words, as far as they may be read',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(SLACK)
    const long = `A very\n\n long  story. ${'It has no end yet. '.repeat(2_000)}`
    await server.ingest(STREAM, connection, [
      line('short', 'Lunch\n at  the harbour?'),
      line('medium', `Minutes of the harbour meeting ${'and more '.repeat(40)}`),
      line('long', long),
      line('empty', null),
    ])
    const titlesOf = async (token: string, query = ''): Promise<Record<string, string | null>> => {
      const { body } = await server.json(`/v1/streams/${STREAM}/records${query}`, { token })
      return Object.fromEntries(
        body.data.map((row: { id: string; title: string | null }) => [row.id, row.title]),
      )
    }
    const expected = {
      short: 'Lunch at the harbour?',
      medium: 'Minutes of the harbour meeting and more and more and more and more and more and…',
      long: 'A very long story. It has no end yet. It has no end yet. It has no end yet. It …',
      empty: null,
    }
    assert.deepEqual(await titlesOf(server.ownerToken), expected)
    assert.deepEqual(await titlesOf(server.ownerToken, '?max_field_chars=1000'), expected)
    const whole = await server.json(`/v1/streams/${STREAM}/records/long`)
    assert.equal(whole.body.title, expected.long)
    assert.equal(whole.body.data.text, long)

    const found = await server.json('/v1/search?q=harbour')
    const hits = Object.fromEntries(
      found.body.data.map((hit: { record_key: string; title: string }) => [hit.record_key, hit.title]),
    )
    assert.deepEqual(hits, { short: expected.short, medium: expected.medium })
    const longHit = await server.json('/v1/search?q=story')
    assert.equal(longHit.body.data[0].title, expected.long)

    const blind = await server.grant({ fields: ['id', 'channel', 'sender', 'sent_at', 'thread_id'] })
    assert.deepEqual(await titlesOf(blind), { short: null, medium: null, long: null, empty: null })
    const inChannel = await server.json('/v1/search?q=general', { token: blind })
    assert.equal(inChannel.body.data.length, 4)
    assert.ok(inChannel.body.data.every((hit: { title: string | null }) => hit.title === null))

    const { body } = await server.json(`/v1/streams/${STREAM}/records/short/conversation`)
    assert.deepEqual([body.conversation.title, body.conversation.place], [null, 'general'])
    assert.deepEqual(server.failures, [])
  },
)

onEachEngine('the ledger records how much of a text a title showed', async engine => {
  await using server = await TestServer.start(engine)
  const connection = await server.connect(SLACK)
  await server.ingest(STREAM, connection, [line('m', `${'word '.repeat(100)}harbour`)])
  const token = await server.grant({})
  await server.json('/v1/search?q=general&windows=1', { token })
  const { body } = await server.json('/v1/owner/disclosures')
  const [shown] = body.data[0].shown
  assert.deepEqual(shown.ranges.text, [[0, 160]])
})
