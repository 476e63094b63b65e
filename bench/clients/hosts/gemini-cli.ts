import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openAgent } from '../agent.ts'
import { GENERATE } from '../dialects/generate-content.ts'
import { BY_TOKEN, type Host, type Session, type Setting } from '../session.ts'

export const geminiCli: Host = {
  name: 'Gemini CLI',
  packages: ['@google/gemini-cli'],
  can: BY_TOKEN,
  open,
}

function open(setting: Setting): Promise<Session> {
  const { transport, adapter, installed, home, url, headers } = setting
  const footnote =
    transport === 'stdio' ? { ...adapter, trust: true } : { httpUrl: url, headers, trust: true }
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
