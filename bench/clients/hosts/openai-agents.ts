import { join } from 'node:path'
import { CHAT } from '../dialects/chat-completions.ts'
import { OAuthMemory } from '../oauth-memory.ts'
import { type Loose, ScriptedModel } from '../scripted-model.ts'
import type { Host, Session, Setting } from '../session.ts'
import { EVERY_WAY } from '../session.ts'

export const openaiAgents: Host = {
  name: 'openai-agents (`@openai/agents`)',
  packages: ['@openai/agents', 'zod'],
  can: EVERY_WAY,
  open,
}

/** The default is five seconds, which a busy machine exceeds. */
const PATIENCE = { clientSessionTimeoutSeconds: 60, timeout: 60_000 }

async function open(setting: Setting): Promise<Session> {
  const modules = join(setting.installed, 'node_modules')
  const sdk: Loose = await import(join(modules, '@openai/agents/dist/index.mjs'))
  const server = await connect(setting, sdk, modules)
  const model = await ScriptedModel.start(CHAT, () => true)
  const provider = new sdk.OpenAIProvider({
    baseURL: `${model.url}/v1`,
    apiKey: 'scripted',
    useResponses: false,
  })
  const runner = new sdk.Runner({ modelProvider: provider, tracingDisabled: true })
  const agent = new sdk.Agent({ name: 'Scripted', model: 'scripted', mcpServers: [server] })
  const running: Promise<never> = runner
    .run(agent, 'Go.', { stream: true, maxTurns: 1_000 })
    .then(({ completed }: Loose) => completed)
  // Some server failures end the run instead of being reported to the model.
  running.catch(() => {})
  return {
    tools: await Promise.race([model.ready(180_000), running]),
    call: (name, args) => Promise.race([model.call(name, args), running]),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]()
      await server.close()
    },
  }
}

async function connect(
  { transport, way, url, headers, adapter, decide }: Setting,
  sdk: Loose,
  modules: string,
) {
  const name = 'footnote'
  const authProvider = new OAuthMemory()
  const made = (): Loose => {
    if (transport === 'stdio') return new sdk.MCPServerStdio({ name, ...adapter, ...PATIENCE })
    return new sdk.MCPServerStreamableHttp({
      name,
      url,
      ...PATIENCE,
      ...(way === 'token' ? { requestInit: { headers } } : { authProvider }),
    })
  }
  const first = made()
  try {
    await first.connect()
    return first
  } catch (error) {
    if (!authProvider.opened) throw error
    const back = (await decide(authProvider.opened)).searchParams
    const callback = { authorizationCode: back.get('code'), iss: back.get('iss') }
    const { auth }: Loose = await import(join(modules, '@modelcontextprotocol/client/dist/index.mjs'))
    await auth(authProvider, { serverUrl: url, ...callback })
    const second = made()
    await second.connect()
    return second
  }
}
