import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { CHAT } from '../bench/clients/dialects/chat-completions.ts'
import { STEPS, travel, worked } from '../bench/clients/journey.ts'
import { ScriptedModel } from '../bench/clients/scripted-model.ts'
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

test('the scripted model continues after a result that comes without tools, as from a client that connects again', async () => {
  await using model = await ScriptedModel.start(CHAT)
  const ask = async (body: object): Promise<string> => {
    const response = await fetch(model.url, { method: 'POST', body: JSON.stringify(body) })
    return response.text()
  }
  const tools = [{ function: { name: 'footnote_search' } }]
  const listed = ask({ tools })
  await model.ready(10_000)
  const called = model.call('search', { query: 'treaty' })
  assert.match(await listed, /"id":"call_1".*footnote_search/)
  const returned = ask({ messages: [{ role: 'tool', tool_call_id: 'call_1', content: 'one hit' }] })
  assert.equal(await called, 'one hit')
  model.call('fetch', { id: 'x' }).catch(() => {})
  assert.match(await returned, /"id":"call_2"/)
  assert.match(await ask({ messages: [{ role: 'user', content: 'A title?' }] }), /Done\./)
})
