import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openAgent } from '../agent.ts'
import { GENERATE } from '../dialects/generate-content.ts'
import type { Host, Session, Setting } from '../session.ts'

export const geminiCli: Host = {
  name: 'Gemini CLI',
  packages: ['@google/gemini-cli'],
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
    transport === 'stdio'
      ? { ...adapter, trust: true }
      : { httpUrl: `${world.url}/mcp`, headers, trust: true }
  const settings = {
    mcpServers: { footnote },
    security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
    telemetry: { enabled: false },
    general: { disableAutoUpdate: true },
  }
  const agent = (modelUrl: string) => ({
    program: process.execPath,
    args: [
      join(installed, 'node_modules/@google/gemini-cli/bundle/gemini.js'),
      ...['-p', 'Go.', '-m', 'gemini-2.5-pro', '--yolo'],
    ],
    env: {
      GEMINI_API_KEY: 'scripted',
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
    async prepare() {
      await mkdir(join(home, '.gemini'), { recursive: true })
      await writeFile(join(home, '.gemini/settings.json'), JSON.stringify(settings))
    },
  })
  return openAgent(setting, agent, GENERATE)
}
