import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inTerminal, openAgent, signInWith } from '../agent.ts'
import { MESSAGES } from '../dialects/messages.ts'
import type { Host, Session, Setting } from '../session.ts'
import { EVERY_WAY } from '../session.ts'

export const claudeCode: Host = {
  name: 'Claude Code',
  packages: ['@anthropic-ai/claude-code'],
  can: EVERY_WAY,
  open,
}

function open(setting: Setting): Promise<Session> {
  const { transport, way, adapter, installed, home, url, headers } = setting
  const program = join(installed, 'node_modules/@anthropic-ai/claude-code-linux-x64/claude')
  const footnote = transport === 'stdio' ? { type: 'stdio', ...adapter } : { type: 'http', url, headers }
  const config = join(home, 'mcp.json')
  const settings = {
    CLAUDE_CONFIG_DIR: home,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    ENABLE_TOOL_SEARCH: 'false',
    MCP_CONNECTION_NONBLOCKING: 'false',
  }
  const given = way === 'token' ? ['--mcp-config', config, '--strict-mcp-config'] : []
  const agent = (modelUrl: string) => ({
    program,
    args: ['-p', 'Go.', ...given, '--allowedTools', 'mcp__footnote'],
    env: { ...settings, ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: 'scripted' },
    async prepare() {
      if (way === 'token') return writeFile(config, JSON.stringify({ mcpServers: { footnote } }))
      const add = ['mcp', 'add', '--scope', 'user', '--transport', 'http', 'footnote', url]
      await promisify(execFile)(program, add, { cwd: home, env: { ...process.env, HOME: home, ...settings } })
      // It signs in only in a terminal.
      await signInWith(setting, ...inTerminal(program, ['mcp', 'login', 'footnote']), settings)
    },
  })
  return openAgent(setting, agent, MESSAGES)
}
