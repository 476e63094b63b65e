import { mkdir, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { openAgent, signInWith } from '../agent.ts'
import type { Dialect } from '../scripted-model.ts'
import type { Host, Session, Setting } from '../session.ts'

// biome-ignore lint/suspicious/noExplicitAny: requests of the provider
type Loose = any

export const openCode: Host = {
  name: 'OpenCode',
  packages: ['opencode-ai'],
  can: [
    ['http', 'token'],
    ['http', 'sign-in'],
    ['stdio', 'token'],
  ],
  open,
}

function stream(response: ServerResponse, delta: object, finish_reason: string): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  const chunk = (choice: object) => ({
    id: 'chat_1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, ...choice }],
  })
  const chunks = [
    chunk({ delta: { role: 'assistant', ...delta }, finish_reason: null }),
    chunk({ delta: {}, finish_reason }),
  ]
  response.end(`${chunks.map(each => `data: ${JSON.stringify(each)}\n\n`).join('')}data: [DONE]\n\n`)
}

const CHAT: Dialect = {
  toolsOf: body => (body.tools ?? []).map((tool: Loose) => String(tool.function?.name)),
  resultOf(body, id) {
    const messages: Loose[] = body.messages ?? []
    const found = messages.find(({ role, tool_call_id }) => role === 'tool' && tool_call_id === id)
    if (!found) return null
    return typeof found.content === 'string' ? found.content : JSON.stringify(found.content)
  },
  writeCall(response, { id, name, args }) {
    const call = { index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
    stream(response, { tool_calls: [call] }, 'tool_calls')
  },
  writeEnd: response => stream(response, { content: 'Done.' }, 'stop'),
}

function open(setting: Setting): Promise<Session> {
  const { world, transport, way, token, adapter, installed, home } = setting
  const { command, args, env } = adapter
  const headers = { Authorization: `Bearer ${token}` }
  const footnote =
    transport === 'stdio'
      ? { type: 'local', command: [command, ...args], environment: env }
      : { type: 'remote', url: `${world.url}/mcp`, ...(way === 'token' ? { headers, oauth: false } : {}) }
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
