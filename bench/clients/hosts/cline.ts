import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openAgent } from '../agent.ts'
import { CHAT } from '../dialects/chat-completions.ts'
import { BY_TOKEN, type Host, type Session, type Setting } from '../session.ts'

export const cline: Host = {
  name: 'Cline',
  packages: ['cline'],
  can: BY_TOKEN,
  open,
}

function open(setting: Setting): Promise<Session> {
  const { transport, adapter, installed, home, url, headers } = setting
  const footnote =
    transport === 'stdio' ? { type: 'stdio', ...adapter } : { type: 'streamableHttp', url, headers }
  const agent = (modelUrl: string) => ({
    program: join(installed, 'node_modules/@cline/cli-linux-x64/bin/cline'),
    args: ['Please begin.', '--provider', 'openai-compatible', '--model', 'scripted'],
    env: {},
    async prepare() {
      const folder = join(home, '.cline/data/settings')
      const provider = 'openai-compatible'
      const settings = { provider, apiKey: 'scripted', model: 'scripted', baseUrl: `${modelUrl}/v1` }
      const providers = {
        [provider]: { settings, updatedAt: new Date().toISOString(), tokenSource: 'manual' },
      }
      const models = { version: 1, lastUsedProvider: provider, modes: {}, providers }
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'providers.json'), JSON.stringify(models))
      const servers = { mcpServers: { footnote: { transport: footnote, timeout: 120 } } }
      await writeFile(join(folder, 'cline_mcp_settings.json'), JSON.stringify(servers))
    },
  })
  return openAgent(setting, agent, CHAT)
}
