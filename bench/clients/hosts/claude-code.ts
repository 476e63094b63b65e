import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { openAgent } from '../agent.ts'
import type { Dialect } from '../scripted-model.ts'
import type { Host, Session, Setting } from '../session.ts'

// biome-ignore lint/suspicious/noExplicitAny: requests of the provider
type Loose = any

export const claudeCode: Host = {
  name: 'Claude Code',
  packages: ['@anthropic-ai/claude-code'],
  can: [
    ['http', 'token'],
    ['stdio', 'token'],
  ],
  open,
}

const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', content: [] }
const USAGE = { input_tokens: 1, output_tokens: 1 }

function stream(response: ServerResponse, block: object, deltas: object[], stop_reason: string): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  const events = [
    { type: 'message_start', message: { ...MESSAGE, stop_reason: null, usage: USAGE } },
    { type: 'content_block_start', index: 0, content_block: block },
    ...deltas.map(delta => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: USAGE },
    { type: 'message_stop' },
  ]
  response.end(events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
}

const MESSAGES: Dialect = {
  toolsOf: body => (body.tools ?? []).map(({ name }: Loose) => String(name)),
  resultOf(body, id) {
    const blocks: Loose[] = (body.messages ?? []).flatMap(({ content }: Loose) =>
      Array.isArray(content) ? content : [],
    )
    const found = blocks.find(({ type, tool_use_id }) => type === 'tool_result' && tool_use_id === id)
    if (!found) return null
    return typeof found.content === 'string' ? found.content : JSON.stringify(found.content)
  },
  writeCall(response, { id, name, args }) {
    const input = { type: 'input_json_delta', partial_json: JSON.stringify(args) }
    stream(response, { type: 'tool_use', id, name, input: {} }, [input], 'tool_use')
  },
  writeEnd(response) {
    stream(response, { type: 'text', text: '' }, [{ type: 'text_delta', text: 'Done.' }], 'end_turn')
  },
}

function open(setting: Setting): Promise<Session> {
  const { world, transport, token, adapter, installed, home } = setting
  const headers = { Authorization: `Bearer ${token}` }
  const footnote =
    transport === 'stdio' ? { type: 'stdio', ...adapter } : { type: 'http', url: `${world.url}/mcp`, headers }
  const config = join(home, 'mcp.json')
  const agent = (modelUrl: string) => ({
    program: join(installed, 'node_modules/@anthropic-ai/claude-code-linux-x64/claude'),
    args: ['-p', 'Go.', '--mcp-config', config, '--strict-mcp-config', '--allowedTools', 'mcp__footnote'],
    env: {
      CLAUDE_CONFIG_DIR: home,
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'scripted',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ENABLE_TOOL_SEARCH: 'false',
      MCP_CONNECTION_NONBLOCKING: 'false',
    },
    prepare: () => writeFile(config, JSON.stringify({ mcpServers: { footnote } })),
  })
  return openAgent(setting, agent, MESSAGES)
}
