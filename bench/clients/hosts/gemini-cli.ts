import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inTerminal, openAgent } from '../agent.ts'
import { GENERATE } from '../dialects/generate-content.ts'
import { EVERY_WAY, type Host, type Session, type Setting } from '../session.ts'

export const geminiCli: Host = {
  name: 'Gemini CLI',
  packages: ['@google/gemini-cli'],
  can: EVERY_WAY,
  open,
}

function open(setting: Setting): Promise<Session> {
  const { transport, way, adapter, installed, home, url, headers } = setting
  const program = join(installed, 'node_modules/@google/gemini-cli/bundle/gemini.js')
  const http = { url, type: 'http', ...(way === 'token' ? { headers } : { oauth: { enabled: true } }) }
  const footnote = { ...(transport === 'stdio' ? adapter : http), trust: true }
  const settings = {
    mcpServers: { footnote },
    security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
    telemetry: { enabled: false },
    general: { disableAutoUpdate: true },
  }
  const args = [program, ...['-p', 'Go.', '-m', 'gemini-2.5-pro', '--yolo']]
  // It asks in a terminal whether it may open the browser.
  const [started, given] = way === 'sign-in' ? inTerminal(process.execPath, args) : [process.execPath, args]
  const agent = (modelUrl: string) => ({
    program: started,
    args: given,
    env: {
      GEMINI_API_KEY: 'scripted',
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
    typing: way === 'sign-in' ? [{ after: /Do you want to continue/, keys: 'y\r' }] : [],
    async prepare() {
      await mkdir(join(home, '.gemini'), { recursive: true })
      await writeFile(join(home, '.gemini/settings.json'), JSON.stringify(settings))
    },
  })
  return openAgent(setting, agent, GENERATE)
}
