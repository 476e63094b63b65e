import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openAgent } from '../agent.ts'
import { MESSAGES } from '../dialects/messages.ts'
import type { Host, Session, Setting } from '../session.ts'

export const claudeCode: Host = {
  name: 'Claude Code',
  packages: ['@anthropic-ai/claude-code'],
  can: [
    ['http', 'token'],
    ['stdio', 'token'],
  ],
  open,
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
