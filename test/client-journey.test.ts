import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { STEPS, travel, worked } from '../bench/clients/journey.ts'
import { startWorld, tokenFor } from '../bench/clients/world.ts'
import { count } from './engines.ts'
import type { Loose } from './mcp-client.ts'

/** What hosts pass on to their models: the text, or structured content if there is any. */
const HALVES = {
  structured: ({ content, structuredContent }: Loose) => JSON.stringify(structuredContent ?? content),
  text: ({ content }: Loose) => content[0].text,
}

test('HO-6 ER-3 the client matrix journey sees every refusal, whichever half of a result is shown', async () => {
  for (const [half, shown] of Object.entries(HALVES).slice(0, count(1, 2))) {
    await using world = await startWorld()
    const { token } = await tokenFor(world)
    const client = new Client({ name: 'traveller', version: '1' })
    const headers = { Authorization: `Bearer ${token}` }
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', world.url), { requestInit: { headers } }),
    )
    const { tools } = await client.listTools()
    const session = {
      tools: tools.map(({ name }) => name),
      call: async (name: string, args: Record<string, unknown>) =>
        shown(await client.callTool({ name, arguments: args })),
      [Symbol.asyncDispose]: () => client.close(),
    }
    const seen = await travel(session, world, 'token')
    await session[Symbol.asyncDispose]()
    assert.equal(seen.channel, half)
    for (const step of STEPS) assert.ok(worked(step, seen[step]), `${half}, ${step}: ${seen[step]}`)
  }
})
