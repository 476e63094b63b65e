import assert from 'node:assert/strict'
import { onEitherEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'

const CONTACTS = {
  ...(MAILBOX.streams[1] as object),
  name: 'contacts',
  schema: { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } },
  query: { search: { lexical_fields: ['name'] } },
}
const LEFT_OUT = /readable stream has no (?:time|field for from)/

onEitherEngine(
  'AN-60 that streams lack a field is only told where it could have changed the answer',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect({ ...MAILBOX, streams: [MAILBOX.streams[0], CONTACTS] } as never)
    await server.ingest('messages', connection, [message('m', { body: 'the heron' })])
    await using client = await McpTestClient.connect(
      server,
      await server.grant({ connections: [connection] }),
    )
    const isTold = async (tool: string, args: Record<string, unknown>) => {
      const { text, structured } = await client.call(tool, args)
      const { remarks = [], data } = structured as { remarks?: string[]; data: object }
      assert.match(JSON.stringify(data), LEFT_OUT, 'the reply of the resource server is passed on whole')
      assert.ok(!remarks.some(remark => LEFT_OUT.test(remark)))
      return LEFT_OUT.test(text)
    }
    for (const [tool, args] of [
      ['search', { query: 'heron', sort: 'newest' }],
      ['search', { query: 'heron from:ada' }],
      ['query_records', { since: '2026' }],
    ] as const) {
      assert.equal(await isTold(tool, args), false, JSON.stringify(args))
      assert.equal(await isTold(tool, { ...args, connection_id: [connection] }), true, 'sources were chosen')
    }
    assert.equal(await isTold('search', { query: 'osprey', sort: 'newest' }), true, 'nothing was found')
    assert.equal(await isTold('query_records', { since: '2027' }), true, 'nothing was found')
  },
)
