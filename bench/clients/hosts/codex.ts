import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openAgent, signInWith } from '../agent.ts'
import { PROGRAMMED_RESPONSES, SEARCHED_RESPONSES } from '../dialects/deferred-responses.ts'
import { RESPONSES } from '../dialects/responses.ts'
import type { Dialect } from '../scripted-model.ts'
import type { Host, Session, Setting } from '../session.ts'
import { EVERY_WAY } from '../session.ts'

/** A model that Codex does not know is shown every tool at once. */
export const codex = codexWith('Codex', 'scripted', RESPONSES, EVERY_WAY)
/** A model that searches for tools first. */
export const codexThatSearches = codexWith('Codex with `gpt-5.5`', 'gpt-5.5', SEARCHED_RESPONSES)
/** A model that writes programs that call tools. */
export const codexThatPrograms = codexWith('Codex with `gpt-6.1-sol`', 'gpt-6.1-sol', PROGRAMMED_RESPONSES)

function codexWith(
  name: string,
  model: string,
  dialect: Dialect,
  can: Host['can'] = [['http', 'token']],
): Host {
  return { name, packages: ['@openai/codex'], can, open: setting => open(setting, model, dialect) }
}

const PROGRAM = 'node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex'

function open(setting: Setting, model: string, dialect: Dialect): Promise<Session> {
  const { transport, way, token, adapter, installed, home, url } = setting
  const program = join(installed, PROGRAM)
  const text = JSON.stringify
  const server =
    transport === 'stdio'
      ? `command = ${text(adapter.command)}\nargs = ${text(adapter.args)}\nenv = { PDPP_ACCESS_TOKEN = "${token}" }`
      : `url = "${url}"${way === 'token' ? `\nhttp_headers = { Authorization = "Bearer ${token}" }` : ''}`
  const env = { CODEX_HOME: home, SCRIPTED_KEY: 'scripted' }
  const agent = (modelUrl: string) => ({
    program,
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', 'Go.'],
    env,
    async prepare() {
      await writeFile(
        join(home, 'config.toml'),
        `model = "${model}"
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
  return openAgent(setting, agent, dialect)
}
