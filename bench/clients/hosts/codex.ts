import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openAgent, signInWith } from '../agent.ts'
import { RESPONSES } from '../dialects/responses.ts'
import type { Host, Session, Setting } from '../session.ts'

export const codex: Host = {
  name: 'Codex',
  packages: ['@openai/codex'],
  can: [
    ['http', 'token'],
    ['http', 'sign-in'],
    ['stdio', 'token'],
  ],
  open,
}

const PROGRAM = 'node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex'

function open(setting: Setting): Promise<Session> {
  const { world, transport, way, token, adapter, installed, home } = setting
  const program = join(installed, PROGRAM)
  const text = JSON.stringify
  const server =
    transport === 'stdio'
      ? `command = ${text(adapter.command)}\nargs = ${text(adapter.args)}\nenv = { PDPP_ACCESS_TOKEN = "${token}" }`
      : `url = "${world.url}/mcp"${way === 'token' ? `\nhttp_headers = { Authorization = "Bearer ${token}" }` : ''}`
  const env = { CODEX_HOME: home, SCRIPTED_KEY: 'scripted' }
  const agent = (modelUrl: string) => ({
    program,
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', 'Go.'],
    env,
    async prepare() {
      await writeFile(
        join(home, 'config.toml'),
        `model = "scripted"
model_provider = "scripted"
mcp_oauth_credentials_store = "file"
[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[mcp_servers.footnote]
required = true
${server}
`,
      )
      if (way === 'sign-in') await signInWith(setting, program, ['mcp', 'login', 'footnote'], env)
    },
  })
  return openAgent(setting, agent, RESPONSES)
}
