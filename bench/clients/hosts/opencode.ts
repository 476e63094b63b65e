import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openAgent, signInWith } from '../agent.ts'
import { CHAT } from '../dialects/chat-completions.ts'
import type { Host, Session, Setting } from '../session.ts'
import { EVERY_WAY } from '../session.ts'

export const openCode: Host = {
  name: 'OpenCode',
  packages: ['opencode-ai'],
  can: EVERY_WAY,
  open,
}

function open(setting: Setting): Promise<Session> {
  const { transport, way, adapter, installed, home, url, headers } = setting
  const { command, args, env } = adapter
  const footnote =
    transport === 'stdio'
      ? { type: 'local', command: [command, ...args], environment: env }
      : { type: 'remote', url, ...(way === 'token' ? { headers, oauth: false } : {}) }
  const program = join(installed, 'node_modules/opencode-linux-x64/bin/opencode')
  const folders = { XDG_CONFIG_HOME: join(home, 'config'), XDG_DATA_HOME: join(home, 'data') }
  const agent = (modelUrl: string) => ({
    program,
    args: ['run', 'Go.'],
    env: folders,
    async prepare() {
      const options = { baseURL: `${modelUrl}/v1`, apiKey: 'scripted' }
      const models = { scripted: { name: 'scripted', tool_call: true } }
      const provider = { scripted: { npm: '@ai-sdk/openai-compatible', name: 'scripted', options, models } }
      const settings = {
        provider,
        model: 'scripted/scripted',
        small_model: 'scripted/scripted',
        mcp: { footnote },
        autoupdate: false,
        share: 'disabled',
      }
      await mkdir(join(home, 'config/opencode'), { recursive: true })
      await writeFile(join(home, 'config/opencode/opencode.json'), JSON.stringify(settings))
      if (way === 'sign-in') await signInWith(setting, program, ['mcp', 'auth', 'footnote'], folders)
    },
  })
  return openAgent(setting, agent, CHAT)
}
