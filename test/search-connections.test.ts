import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message, source, stream } from './mailbox.ts'

/** A stream of the same name in another connector, without the field `size`. */
const LETTERS = {
  ...source('letters', 'Letters'),
  streams: [
    stream('messages', { body: { type: 'string' } }, { query: { search: { lexical_fields: ['body'] } } }),
  ],
}

onEachEngine(
  'RS-4 the filters of a search apply to every connection whose stream has the field',
  async engine => {
    await using server = await TestServer.start(engine)
    const work = await server.connect(MAILBOX, 'Work')
    const home = await server.connect(MAILBOX, 'Home')
    for (const [connection_id, letter] of [
      [work, 'w'],
      [home, 'h'],
    ] as const) {
      await server.ingest('messages', connection_id, [
        message(`${letter}1`, { body: 'soundings', size: 1 }),
        message(`${letter}2`, { body: 'soundings', size: 2 }),
      ])
    }
    const found = async (query: string) => {
      const { status, body } = await server.json(`/v1/search?q=soundings&streams=messages${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body.data.map((hit: { record_key: string }) => hit.record_key).sort()
    }
    assert.deepEqual(await found(''), ['h1', 'h2', 'w1', 'w2'])
    assert.deepEqual(await found('&where[size]=1'), ['h1', 'w1'])
    assert.deepEqual(await found(`&where[size]=1&connection_id=${home}`), ['h1'])
    assert.deepEqual(await found('&where[size][gte]=2'), ['h2', 'w2'])
    assert.deepEqual(await found('&where[size]=9'), [])

    const letters = await server.connect(LETTERS, 'Letters')
    await server.ingest('messages', letters, [{ data: { id: 'l1', body: 'soundings' } }])
    assert.deepEqual(await found(''), ['h1', 'h2', 'l1', 'w1', 'w2'])
    assert.deepEqual(await found('&where[size]=1'), ['h1', 'w1'])
    assert.deepEqual(await found('&where[size]=9'), [])
  },
)
