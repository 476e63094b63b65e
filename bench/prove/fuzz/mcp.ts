import assert from 'node:assert/strict'
import fc from 'fast-check'
import { TOOLS } from '../../../src/mcp/tools.ts'
import { AuthorizationWorld } from '../../../test/authorization-world.ts'
import { MCP_HEADERS } from '../../../test/mcp-post.ts'
import type { Fuzzer } from './fuzzer.ts'
import { mutated, nasty } from './mutation.ts'

const MOST_BYTES = 1_000_000

/** Bodies for /mcp, as JSON of any shape and as bytes: a JSON-RPC response or a refusal, never an internal error. */
export const mcp: Fuzzer<string> = {
  name: 'mcp',
  async start() {
    const world = await AuthorizationWorld.start('sqlite')
    const connection = await world.mailbox('Mail')
    const { access_token } = await world.connect(await world.signedIn())
    const call = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const sane: Record<string, unknown> = {
      ...{ query: 'body', id: `${connection}/messages:m1`, stream: 'messages', field_path: 'body' },
      ...{ limit: 5, metric: 'count', q: 'body', fields: ['id'], filter: { subject: 'x' }, cursor: 'abc' },
    }
    const bodies = [
      call('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      }),
      ...['tools/list', 'resources/list', 'prompts/list', 'ping'].map(method => call(method, {})),
      call('resources/read', { uri: 'pdpp://record/x' }),
      ...TOOLS.map(({ name, input }) => {
        const names = Object.keys(input.properties).filter(each => each in sane)
        return call('tools/call', {
          name,
          arguments: Object.fromEntries(names.map(each => [each, sane[each]])),
        })
      }),
    ]
    const inTool = fc
      .tuple(
        fc.constantFrom(...TOOLS),
        fc.dictionary(fc.oneof(fc.constantFrom(...Object.keys(sane)), nasty), fc.jsonValue()),
      )
      .map(([tool, args]) => call('tools/call', { name: tool.name, arguments: args }))
    return {
      input: fc.oneof(
        { weight: 4, arbitrary: mutated(bodies) },
        { weight: 3, arbitrary: inTool },
        { weight: 1, arbitrary: fc.json() },
      ),
      async check(text) {
        const headers = {
          ...MCP_HEADERS,
          Authorization: `Bearer ${access_token}`,
          'MCP-Protocol-Version': '2025-11-25',
        }
        const response = await fetch(`${world.url}/mcp`, { method: 'POST', headers, body: text })
        const answer = await response.text()
        assert.ok(response.status < 500, `${response.status} ${answer.slice(0, 300)}`)
        assert.ok(!/"code":-32603|"api_error"/.test(answer), answer.slice(0, 500))
        assert.ok(answer.length < MOST_BYTES, `${answer.length} characters`)
        assert.deepEqual(world.failures, [])
      },
      [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
    }
  },
}
