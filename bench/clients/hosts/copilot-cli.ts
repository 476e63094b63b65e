import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inTerminal, openAgent, signInWith } from '../agent.ts'
import { CHAT } from '../dialects/chat-completions.ts'
import { EVERY_WAY, type Host, type Session, type Setting } from '../session.ts'

export const copilotCli: Host = {
  name: 'Copilot CLI',
  packages: ['@github/copilot'],
  can: EVERY_WAY,
  open,
}

function open(setting: Setting): Promise<Session> {
  const { transport, way, adapter, installed, home, url, headers } = setting
  const footnote =
    transport === 'stdio'
      ? { type: 'local', ...adapter, tools: ['*'] }
      : { type: 'http', url, ...(way === 'token' ? { headers } : {}), tools: ['*'] }
  const program = join(installed, 'node_modules/@github/copilot-linux-x64/copilot')
  const quiet = ['--allow-all-tools', '--disable-builtin-mcps', '--no-auto-update']
  const kept = join(home, 'mcp-oauth-config')
  const isStored = () =>
    existsSync(kept) &&
    readdirSync(kept).some(
      name => name.endsWith('.tokens.json') && readFileSync(join(kept, name), 'utf8').includes('refresh'),
    )
  const agent = (modelUrl: string) => {
    const env = {
      COPILOT_HOME: home,
      // It unpacks itself there first, which takes a long time.
      XDG_CACHE_HOME: join(installed, 'cache'),
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
      COPILOT_PROVIDER_API_KEY: 'scripted',
      COPILOT_MODEL: 'scripted',
    }
    return {
      program,
      args: ['-p', 'Go.', ...quiet],
      env,
      async prepare() {
        await writeFile(join(home, 'mcp-config.json'), JSON.stringify({ mcpServers: { footnote } }))
        // Without a terminal it answers before anyone could sign in.
        if (way === 'sign-in')
          await signInWith(setting, ...inTerminal(program, quiet), { ...env, DISPLAY: ':0' }, isStored)
      },
    }
  }
  return openAgent(setting, agent, CHAT)
}
