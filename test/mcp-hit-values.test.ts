import assert from 'node:assert/strict'
import { onEachEngine, TestServer } from './engines.ts'
import { SELECTABLE, source } from './mailbox.ts'
import { bytes, McpTestClient } from './mcp-client.ts'

const TEXT = { type: ['string', 'null'] }
const CARDS = {
  ...source('cards', 'Cards'),
  streams: [
    {
      ...SELECTABLE,
      name: 'cards',
      schema: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string' },
          name: { ...TEXT, x_pdpp_role: 'primary-title' },
          given_name: TEXT,
          source_id: TEXT,
          phones: { type: 'array' },
          amount: { type: 'number' },
          changed_at: { type: 'string', format: 'date-time' },
          secret: TEXT,
          note: { ...TEXT, contentMediaType: 'text/plain' },
        },
      },
      primary_key: ['id'],
      query: { search: { lexical_fields: ['name', 'note'] } },
    },
  ],
}
const CARD = {
  ...{ name: 'Odd Halvorsen', given_name: 'odd', source_id: 'x9', secret: 'hush', amount: -25.5 },
  ...{ phones: [{ value: '+47 555 0100', label: 'home' }], changed_at: '2020-01-01T00:00:00Z' },
}

onEachEngine(
  'EV-2 a hit without a text shows its first granted values, and the ledger names them',
  async engine => {
    await using server = await TestServer.start(engine)
    const connection = await server.connect(CARDS)
    await server.ingest('cards', connection, [
      { key: 'a', data: { id: 'a', ...CARD } },
      { key: 'b', data: { id: 'b', ...CARD, note: 'Halvorsen keeps bees' } },
    ])
    const fields = ['id', 'name', 'given_name', 'source_id', 'phones', 'amount', 'changed_at', 'note']
    const token = await server.grant({ streams: ['cards'], fields })
    await using client = await McpTestClient.connect(server, token)
    const { text, structured } = await client.call('search', { query: 'Halvorsen' })
    assert.equal(structured.results.length, 2)
    assert.equal(text.match(/ {2}amount "-25.5" · phones "\+47 555 0100"\n/g)?.length, 1, text)
    assert.ok(!text.includes('hush') && !text.includes('x9'), text)
    assert.ok(bytes(text) <= 1_800)
    const shown = structured.data.data.find(({ record_key }: { record_key: string }) => record_key === 'a')
    assert.deepEqual(shown.values, [
      { field: 'amount', text: '-25.5' },
      { field: 'phones', text: '+47 555 0100' },
    ])
    const { body } = await server.json('/v1/owner/disclosures?limit=100')
    const lines: { route: string; shown: { record_ids: string[]; fields: string[] }[] }[] = body.data
    const line = lines.find(({ route }) => route.includes('/v1/search'))
    const own = line?.shown.find(({ record_ids }) => record_ids.includes('a'))
    assert.deepEqual(own?.fields.toSorted(), ['amount', 'name', 'phones'])
  },
)
