import { createRequire } from 'node:module'
import { join } from 'node:path'
import { OAuthMemory } from '../oauth-memory.ts'
import type { Loose } from '../scripted-model.ts'
import type { Host, Session, Setting } from '../session.ts'
import { EVERY_WAY } from '../session.ts'

export const aiSdk: Host = {
  name: 'AI SDK (`@ai-sdk/mcp`)',
  packages: ['@ai-sdk/mcp'],
  can: EVERY_WAY,
  open,
}

async function open(setting: Setting): Promise<Session> {
  const { transport, way, adapter, decide, installed, url, headers } = setting
  const { resolve } = createRequire(join(installed, 'package.json'))
  const { createMCPClient, auth }: Loose = await import(resolve('@ai-sdk/mcp'))
  let client: Loose
  if (transport === 'stdio') {
    const { Experimental_StdioMCPTransport: Stdio }: Loose = await import(resolve('@ai-sdk/mcp/mcp-stdio'))
    client = await createMCPClient({ transport: new Stdio(adapter) })
  } else if (way === 'token') client = await createMCPClient({ transport: { type: 'http', url, headers } })
  else {
    const authProvider = new OAuthMemory()
    const connect = () => createMCPClient({ transport: { type: 'http', url, authProvider } })
    client = await connect().catch(async (error: unknown) => {
      if (!authProvider.opened) throw error
      const back = (await decide(authProvider.opened)).searchParams
      const callback = { authorizationCode: back.get('code'), callbackState: back.get('state') }
      await auth(authProvider, { serverUrl: url, ...callback })
      return connect()
    })
  }
  const tools: Record<string, Loose> = await client.tools()
  return {
    tools: Object.keys(tools),
    async call(name, args) {
      const output = await tools[name].execute(args, { toolCallId: '1', messages: [] })
      const model = await tools[name].toModelOutput?.({ toolCallId: '1', input: args, output })
      return JSON.stringify(model ?? output)
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
