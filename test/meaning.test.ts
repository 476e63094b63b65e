import assert from 'node:assert/strict'
import { embedRecords } from '../src/origin/meaning.ts'
import { onEachEngine, TestServer } from './engines.ts'
import { MAILBOX, message } from './mailbox.ts'
import { McpTestClient } from './mcp-client.ts'
import { tinyVector } from './tiny-model.ts'

const meaning = { ask: async (query: string) => ({ vector: tinyVector(query) }) }
const model = { embed: async (text: string) => tinyVector(text) }
const embed = ({ store }: TestServer) => embedRecords(store, model, () => true)

const LETTERS = [
  message('cup', { body: 'harbour harbour harbour, and tea with the coffee' }),
  message('late', { body: 'the ferry was late at the harbour, another ship came' }),
  message('cold', { body: 'harbour under snow' }),
  message('far', { body: 'a ship far out' }),
]

interface Found {
  ids: string[]
  meaning: unknown
}

async function found(server: TestServer, q: string, token = server.ownerToken): Promise<Found> {
  const { body } = await server.json(`/v1/search?q=${encodeURIComponent(q)}`, { token })
  return {
    ids: body.data.map((hit: { record_key: string }) => hit.record_key),
    meaning: body.meta.meaning,
  }
}

const vectorsOf = async ({ store }: TestServer): Promise<number> =>
  (await store.database.numbers('SELECT count(*) AS n FROM meaning_vectors'))[0] ?? 0

onEachEngine(
  'EV-1 meaning orders the records that contain the words, and does not find any others',
  async engine => {
    await using server = await TestServer.start(engine, { meaning })
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, LETTERS)
    const before = await found(server, 'harbour vessel')
    assert.deepEqual(before, { ids: ['cup', 'cold', 'late'], meaning: { share: 0 } })
    await embed(server)
    const after = await found(server, 'harbour vessel')
    assert.deepEqual(after, { ids: ['late', 'cup', 'cold'], meaning: { share: 1 } })
    assert.deepEqual((await found(server, 'vessel')).ids, [])
    const { body } = await server.json('/v1/search?q=harbour%20vessel&explain=true')
    const [first] = body.data
    assert.ok(first.explanation.some(({ by }: { by: string }) => by === 'meaning'))
    assert.match(first.match_windows[0].text, /harbour/)
    const byTime = await server.json('/v1/search?q=harbour&sort=newest')
    assert.equal(byTime.body.meta.meaning, undefined)

    await using client = await McpTestClient.connect(
      server,
      await server.grant({ connections: [connection] }),
    )
    const seen = await client.call('search', { query: 'harbour vessel' })
    const note = 'Ordered by words and by meaning (100 % of the ranked records).'
    assert.match(seen.text, new RegExp(note.replace(/[()]/g, '\\$&')))
    assert.deepEqual(seen.structured.remarks, [note])
  },
)

onEachEngine('RS-5 a vector has no influence where one of its fields is hidden', async engine => {
  await using server = await TestServer.start(engine, { meaning })
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, LETTERS)
  const token = await server.grant({ connections: [connection], fields: ['id', 'body', 'received_at'] })
  const before = await found(server, 'harbour vessel', token)
  await embed(server)
  assert.deepEqual(await found(server, 'harbour vessel', token), before)
  assert.deepEqual(before.meaning, { share: 0 })

  const wide = await server.grant({
    connections: [connection],
    fields: ['id', 'subject', 'body', 'from', 'received_at'],
  })
  const open = await found(server, 'harbour vessel', wide)
  assert.deepEqual(open, { ids: ['late', 'cup', 'cold'], meaning: { share: 1 } })
  // Only some fields of earlier records are granted, and all fields of later ones.
  const part = { connections: [connection], fields: ['id', 'body', 'received_at'] }
  const all = { connections: [connection], since: '2027-01-01T00:00:00Z' }
  const both = await server.tokenFor(await server.grants(part), await server.grants(all))
  const without = await found(server, 'harbour vessel', token)
  assert.deepEqual(await found(server, 'harbour vessel', both), without)

  // A hidden field changes, and the record has not been embedded again.
  await server.ingest('messages', connection, [
    message('late', { body: LETTERS[1]?.data.body, secret: 'coffee coffee coffee' }),
  ])
  assert.deepEqual(await found(server, 'harbour vessel', wide), open)
  await embed(server)
  assert.deepEqual(await found(server, 'harbour vessel', wide), open)
})

/** The mailbox with another searched field, which changes what vectors are made from. */
function searchingToo(field: string) {
  const [messages, ...others] = MAILBOX.streams
  const search = { lexical_fields: [...(messages?.query?.search.lexical_fields ?? []), field] }
  const streams = [{ ...messages, query: { ...messages?.query, search } }, ...others]
  return { ...MAILBOX, declaration_version: '2.0.0', streams }
}

onEachEngine(
  'RS-5 a vector that was made from a field of a later version tells nothing of it',
  async engine => {
    await using server = await TestServer.start(engine, { meaning })
    const connection = await server.connect(MAILBOX)
    const letters = LETTERS.map(({ data }, no) => ({ data: no === 0 ? { ...data, secret: 'coffee' } : data }))
    await server.ingest('messages', connection, letters)
    const fields = ['id', 'subject', 'body', 'from', 'received_at']
    const token = await server.grant({ connections: [connection], fields })
    const before = await found(server, 'harbour vessel', token)

    assert.equal((await server.post('/v1/owner/declarations', searchingToo('secret'))).status, 201)
    await server.store.refreshIndexes()
    await embed(server)
    assert.deepEqual(await found(server, 'harbour vessel', token), before)
    assert.deepEqual((await found(server, 'harbour vessel')).meaning, { share: 1 })
  },
)

onEachEngine(
  'RS-5 a changed text leaves its old vector without effect, a removed record leaves none',
  async engine => {
    await using server = await TestServer.start(engine, { meaning })
    const connection = await server.connect(MAILBOX)
    await server.ingest('messages', connection, LETTERS)
    await embed(server)
    assert.equal(await vectorsOf(server), 4)
    await server.ingest('messages', connection, [
      message('late', { body: 'the harbour has tea now, only tea' }),
    ])
    assert.deepEqual((await found(server, 'harbour vessel')).meaning, { share: 0.667 })
    await embed(server)
    assert.deepEqual(await found(server, 'harbour vessel'), {
      ids: ['cup', 'cold', 'late'],
      meaning: { share: 1 },
    })
    await server.request(`/v1/streams/messages/records/cup?connection_id=${connection}`, { method: 'DELETE' })
    assert.equal(await vectorsOf(server), 3)
    const { body } = await server.json('/v1/owner/meaning')
    assert.deepEqual([body.records, body.done, body.seconds_left], [3, 3, 0])
    assert.equal((await server.request('/v1/owner/meaning', { method: 'DELETE' })).status, 204)
    assert.equal(await vectorsOf(server), 0)
    assert.equal((await server.json('/v1/owner/meaning')).body.done, 0)
    await embed(server)
    assert.equal(await vectorsOf(server), 3)
    await server.request(`/v1/owner/connections/${connection}`, { method: 'DELETE' })
    assert.equal(await vectorsOf(server), 0)
  },
)

onEachEngine('EV-1 the pages of a search compare the vectors that its first page saw', async engine => {
  await using server = await TestServer.start(engine, { meaning })
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, LETTERS.slice(0, 2))
  await embed(server)
  await server.ingest('messages', connection, LETTERS.slice(2))
  const path = '/v1/search?q=harbour%20vessel&limit=1'
  const first = (await server.json(path)).body
  await embed(server)
  const second = (await server.json(`${path}&cursor=${first.next_cursor}`)).body
  const third = (await server.json(`${path}&cursor=${second.next_cursor}`)).body
  const shares = [first, second, third].map(page => page.meta.meaning.share)
  assert.deepEqual(shares, [0.667, 0.667, 0.667])
  const ids = [first, second, third].map(page => page.data[0].record_key)
  assert.deepEqual(ids.toSorted(), ['cold', 'cup', 'late'])
})

onEachEngine('EV-1 a search without an answer of the model says so and finds the same', async engine => {
  await using server = await TestServer.start(engine, { meaning: { ask: async () => ({ absent: 'slow' }) } })
  const connection = await server.connect(MAILBOX)
  await server.ingest('messages', connection, LETTERS)
  await embed(server)
  const { ids, meaning } = await found(server, 'harbour vessel')
  assert.deepEqual([ids, meaning], [['cup', 'cold', 'late'], { share: 0, absent: 'slow' }])
  await using client = await McpTestClient.connect(server, await server.grant({ connections: [connection] }))
  const { text } = await client.call('search', { query: 'harbour vessel' })
  assert.match(text, /Meaning was not used for ranking: its model did not answer in time\./)
})
