import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { source, stream } from './mailbox.ts'

function chats(key: string) {
  return {
    ...source(key, key),
    streams: [
      stream(
        `${key}_messages`,
        {
          text: { type: 'string', x_pdpp_role: 'primary-text' },
          channel: { type: 'string', x_pdpp_role: 'place' },
        },
        { query: { search: { lexical_fields: ['text', 'channel'] } } },
      ),
    ],
  }
}

/** Two kinds of chats: Harbour, with records about its name as well, and Lantern, whose name no record contains. */
async function twoKinds(server: TestServer): Promise<{ harbour: string; lantern: string }> {
  const harbour = await server.connect(chats('harbour'), 'Harbour')
  const lantern = await server.connect(chats('lantern'), 'Lantern')
  const said = (id: string, text: string, channel = 'general') => ({ data: { id, text, channel } })
  await server.ingest('harbour_messages', harbour, [
    said('h1', 'A workshop about maps, perhaps in the long room upstairs next spring'),
    said('h2', 'https://harbour.example/files/harbour'),
    said('h3', 'The harbour files of the harbour, all about the harbour'),
    said('h4', 'howdy', 'maps'),
  ])
  await server.ingest('lantern_messages', lantern, [
    said('l1', 'A workshop on paper'),
    said('l2', 'The harbour office offers a workshop'),
  ])
  return { harbour, lantern }
}

onEachEngine('EV-8 a query that names a kind of source ranks what it asks for there first', async engine => {
  await using server = await TestServer.start(engine)
  const { harbour } = await twoKinds(server)
  const found = async (q: string, more = '') => {
    const { body } = await server.json(`/v1/search?q=${encodeURIComponent(q)}${more}`)
    return { keys: body.data.map((hit: { record_key: string }) => hit.record_key), body }
  }
  assert.equal((await found('who suggested a maps workshop in Harbour')).keys[0], 'h1')
  assert.equal(
    (await found('files in the Harbour')).keys[0],
    'h2',
    'how often a text has the name does not matter',
  )
  const { keys, body } = await found('workshop in Lantern')
  assert.equal(keys[0], 'l1')
  assert.deepEqual(body.meta.corrections ?? [], [], 'the name of a source is not misspelt')
  assert.ok((await found('Harbour')).keys.includes('h3'), 'a name alone is a word')
  const alone = await found('files in the Harbour', `&connection_id=${harbour}`)
  assert.equal(alone.keys[0], 'h2', 'also if everything is there')
})

onEachEngine(
  'EV-8 a message that speaks of something ranks above one in a channel of that name',
  async engine => {
    await using server = await TestServer.start(engine)
    await twoKinds(server)
    const { body } = await server.json('/v1/search?q=maps')
    assert.deepEqual(
      body.data.map((hit: { record_key: string }) => hit.record_key),
      ['h1', 'h4'],
    )
  },
)
