import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inTerminal, openAgent, signInWith } from '../agent.ts'
import { deferredChat } from '../dialects/deferred-chat.ts'
import { EVERY_WAY, type Host, type Session, type Setting } from '../session.ts'

export const qwenCode: Host = {
  name: 'Qwen Code',
  packages: ['@qwen-code/qwen-code'],
  can: EVERY_WAY,
  open,
}

function open(setting: Setting): Promise<Session> {
  const { transport, way, adapter, installed, home, url, headers } = setting
  const http = { httpUrl: url, ...(way === 'token' ? { headers } : { oauth: { enabled: true } }) }
  const footnote = { ...(transport === 'stdio' ? adapter : http), trust: true }
  const settings = {
    mcpServers: { footnote },
    security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
    telemetry: { enabled: false },
    privacy: { usageStatisticsEnabled: false },
    general: { disableAutoUpdate: true },
  }
  const program = join(installed, 'node_modules/@qwen-code/qwen-code/cli.js')
  const agent = (modelUrl: string) => {
    const env = { OPENAI_API_KEY: 'scripted', OPENAI_BASE_URL: `${modelUrl}/v1`, OPENAI_MODEL: 'scripted' }
    return {
      program: process.execPath,
      args: [program, ...['-p', 'Go.', '--yolo', '--auth-type', 'openai']],
      env,
      async prepare() {
        await mkdir(join(home, '.qwen'), { recursive: true })
        await writeFile(join(home, '.qwen/settings.json'), JSON.stringify(settings))
        if (way === 'token') return
        // It signs in only at a terminal, and only if there is a display.
        const waiting = inTerminal(process.execPath, [program, '--auth-type', 'openai'])
        const stored = join(home, '.qwen/mcp-oauth-tokens.json')
        await signInWith(setting, ...waiting, { ...env, DISPLAY: ':0' }, () => existsSync(stored))
      },
    }
  }
  return openAgent(setting, agent, deferredChat('tool_call', 'mcp__footnote__'))
}
