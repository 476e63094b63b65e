import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openAgent } from '../agent.ts'
import { CHAT } from '../dialects/chat-completions.ts'
import { BY_TOKEN, type Host, type Session, type Setting } from '../session.ts'

export const copilotCli: Host = {
  name: 'Copilot CLI',
  packages: ['@github/copilot'],
  can: BY_TOKEN,
  open,
}

function open(setting: Setting): Promise<Session> {
  const { transport, adapter, installed, home, url, headers } = setting
  const footnote =
    transport === 'stdio'
      ? { type: 'local', ...adapter, tools: ['*'] }
      : { type: 'http', url, headers, tools: ['*'] }
  const agent = (modelUrl: string) => ({
    program: join(installed, 'node_modules/@github/copilot-linux-x64/copilot'),
    args: ['-p', 'Go.', '--allow-all-tools', '--disable-builtin-mcps', '--no-auto-update'],
    env: {
      COPILOT_HOME: home,
      // It unpacks itself there first, which takes long.
      XDG_CACHE_HOME: join(installed, 'cache'),
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
      COPILOT_PROVIDER_API_KEY: 'scripted',
      COPILOT_MODEL: 'scripted',
    },
    prepare: () => writeFile(join(home, 'mcp-config.json'), JSON.stringify({ mcpServers: { footnote } })),
  })
  return openAgent(setting, agent, CHAT)
}
