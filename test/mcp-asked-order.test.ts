import assert from 'node:assert/strict'
import { onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'

const at = (day: number) => `2026-03-0${day}T10:00:00Z`
const MAILS = [
  message('old', { from: 'Dirk <dirk@example.org>', body: 'the roof', received_at: at(1) }),
  message('new', { from: 'Dirk <dirk@example.org>', body: 'a boat', received_at: at(4) }),
  message('best', { from: 'Ann', body: 'the latest mail from Dirk: roof roof', received_at: at(2) }),
]

onEitherEngine(
  'AN-24 a query for the newest or oldest is answered in that order, and says so in each channel',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, MAILS)
    await using client = await McpTestClient.connect(
      server,
      await server.grant({ connections: [connection] }),
    )
    const asked = async (query: string, more = {}) => {
      const { text, structured } = await client.call('search', { query, ...more })
      const { results, remarks = [] } = structured as { results: { id: string }[]; remarks?: string[] }
      const told = remarks.filter(
        remark => remark.startsWith('Listed ') && remark.includes('as the query asks'),
      )
      assert.equal(text.startsWith('Note: "Listed '), told.length > 0, text)
      assert.ok(
        told.every(remark => text.includes(remark)),
        text,
      )
      return [results.map(({ id }) => id.split(':')[1]), told[0]] as const
    }
    assert.deepEqual(await asked('Latest message from Dirk'), [
      ['new', 'old'],
      'Listed newest first, as the query asks: from:Dirk in message. Pass sort relevance for the best hits.',
    ])
    assert.deepEqual((await asked('the first mail about the roof'))[0], ['old', 'best'])
    assert.deepEqual((await asked('when did Dirk last write to me about the roof?'))[0], ['old'])
    const [given, told] = await asked('Latest message from Dirk', { sort: 'relevance' })
    assert.deepEqual([given[0], told], ['best', undefined])
    // Nobody of that name wrote, so the words are searched for.
    assert.equal((await asked('last message from roof'))[1], undefined)
    assert.ok((await asked('last message from roof'))[0].length > 0)
  },
)
