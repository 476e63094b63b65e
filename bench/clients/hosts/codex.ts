import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { openAgent, signInWith } from '../agent.ts'
import type { Dialect } from '../scripted-model.ts'
import type { Host, Session, Setting } from '../session.ts'

// biome-ignore lint/suspicious/noExplicitAny: requests of the provider
type Loose = any

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
const USAGE = {
  input_tokens: 1,
  input_tokens_details: null,
  output_tokens: 1,
  output_tokens_details: null,
  total_tokens: 2,
}

function stream(response: ServerResponse, item: object): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  const events = [
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_item.done', item },
    { type: 'response.completed', response: { id: 'resp_1', usage: USAGE } },
  ]
  response.end(events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
}

/** Tools may come in namespaces, whose name then goes with each call. */
const RESPONSES: Dialect = {
  toolsOf: body =>
    (body.tools ?? []).flatMap(({ name, tools }: Loose) =>
      Array.isArray(tools) ? tools.map((tool: Loose) => `${name} ${tool.name}`) : [String(name)],
    ),
  resultOf(body, id) {
    const items: Loose[] = Array.isArray(body.input) ? body.input : []
    const found = items.find(({ type, call_id }) => type === 'function_call_output' && call_id === id)
    if (!found) return null
    return typeof found.output === 'string' ? found.output : JSON.stringify(found.output)
  },
  writeCall(response, { id, name, args }) {
    const [space = '', inner] = name.split(' ')
    const named = inner === undefined ? { name } : { name: inner, namespace: space }
    stream(response, { type: 'function_call', call_id: id, ...named, arguments: JSON.stringify(args) })
  },
  writeEnd(response) {
    stream(response, {
      type: 'message',
      role: 'assistant',
      id: 'msg_1',
      content: [{ type: 'output_text', text: 'Done.' }],
    })
  },
}

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
