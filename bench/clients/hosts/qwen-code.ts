import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openAgent } from '../agent.ts'
import { deferredChat } from '../dialects/deferred-chat.ts'
import { BY_TOKEN, type Host, type Session, type Setting } from '../session.ts'

export const qwenCode: Host = {
  name: 'Qwen Code',
  packages: ['@qwen-code/qwen-code'],
  can: BY_TOKEN,
  open,
}

function open(setting: Setting): Promise<Session> {
  const { transport, adapter, installed, home, url, headers } = setting
  const footnote =
    transport === 'stdio' ? { ...adapter, trust: true } : { httpUrl: url, headers, trust: true }
  const settings = {
    mcpServers: { footnote },
    security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
    telemetry: { enabled: false },
    privacy: { usageStatisticsEnabled: false },
    general: { disableAutoUpdate: true },
  }
  const agent = (modelUrl: string) => ({
    program: process.execPath,
    args: [
      join(installed, 'node_modules/@qwen-code/qwen-code/cli.js'),
      ...['-p', 'Go.', '--yolo', '--auth-type', 'openai'],
    ],
    env: { OPENAI_API_KEY: 'scripted', OPENAI_BASE_URL: `${modelUrl}/v1`, OPENAI_MODEL: 'scripted' },
    async prepare() {
      await mkdir(join(home, '.qwen'), { recursive: true })
      await writeFile(join(home, '.qwen/settings.json'), JSON.stringify(settings))
    },
  })
  return openAgent(setting, agent, deferredChat('tool_call', 'mcp__footnote__'))
}
