import { mkdir, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { openAgent } from '../agent.ts'
import type { Dialect } from '../scripted-model.ts'
import type { Host, Session, Setting } from '../session.ts'

// biome-ignore lint/suspicious/noExplicitAny: requests of the provider
type Loose = any

export const geminiCli: Host = {
  name: 'Gemini CLI',
  packages: ['@google/gemini-cli'],
  can: [
    ['http', 'token'],
    ['stdio', 'token'],
  ],
  open,
}

function stream(response: ServerResponse, part: object): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  const content = { role: 'model', parts: [part] }
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
  const chunk = { candidates: [{ index: 0, content, finishReason: 'STOP' }], usageMetadata }
  response.end(`data: ${JSON.stringify(chunk)}\n\n`)
}

const GENERATE: Dialect = {
  toolsOf: body =>
    (body.tools ?? []).flatMap(({ functionDeclarations = [] }: Loose) =>
      functionDeclarations.map(({ name }: Loose) => String(name)),
    ),
  resultOf(body) {
    const parts: Loose[] = body.contents?.at(-1)?.parts ?? []
    const found = parts.find(part => part.functionResponse)
    return found ? JSON.stringify(found.functionResponse.response) : null
  },
  writeCall: (response, { id, name, args }) => stream(response, { functionCall: { id, name, args } }),
  writeEnd: response => stream(response, { text: 'Done.' }),
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
