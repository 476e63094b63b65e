import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { TOOLS } from '../../../src/mcp/tools.ts'
import { openAgent } from '../agent.ts'
import { CHAT } from '../dialects/chat-completions.ts'
import { BY_TOKEN, type Host, type Session, type Setting } from '../session.ts'

export const continueCli: Host = {
  name: 'Continue',
  packages: ['@continuedev/cli'],
  can: BY_TOKEN,
  open,
}

const NAMES = new Set(TOOLS.map(({ name }) => name))

/** It gives tools the names that the server gave them. */
function open(setting: Setting): Promise<Session> {
  const { transport, adapter, installed, home, url, headers } = setting
  const footnote =
    transport === 'stdio'
      ? { name: 'footnote', type: 'stdio', ...adapter }
      : { name: 'footnote', type: 'streamable-http', url, requestOptions: { headers } }
  const config = join(home, 'config.yaml')
  const agent = (modelUrl: string) => ({
    program: process.execPath,
    args: [
      join(installed, 'node_modules/@continuedev/cli/dist/cn.js'),
      ...['-p', 'Go.', '--auto', '--config', config],
    ],
    env: { CONTINUE_GLOBAL_DIR: join(home, 'continue'), CONTINUE_TELEMETRY_ENABLED: '0' },
    prepare: () =>
      writeFile(
        config,
        stringify({
          name: 'scripted',
          version: '1.0.0',
          schema: 'v1',
          models: [
            {
              name: 'scripted',
              provider: 'openai',
              model: 'scripted',
              apiBase: `${modelUrl}/v1`,
              apiKey: 'scripted',
              roles: ['chat'],
              capabilities: ['tool_use'],
            },
          ],
          mcpServers: [footnote],
        }),
      ),
  })
  return openAgent(setting, agent, CHAT, tool => NAMES.has(tool))
}
