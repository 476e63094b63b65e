import { join } from 'node:path'
import { OAuthMemory } from '../oauth-memory.ts'
import type { Loose } from '../scripted-model.ts'
import type { Host, Session, Setting } from '../session.ts'
import { EVERY_WAY } from '../session.ts'

export const langchain: Host = {
  name: 'LangChain (`@langchain/mcp-adapters`)',
  packages: ['@langchain/mcp-adapters', '@langchain/core'],
  can: EVERY_WAY,
  open,
}

async function open(setting: Setting): Promise<Session> {
  const { transport, way, adapter, decide, installed, url, headers } = setting
  const modules = join(installed, 'node_modules')
  const { MultiServerMCPClient }: Loose = await import(join(modules, '@langchain/mcp-adapters/dist/index.js'))
  const connect = async (footnote: object) => {
    const client = new MultiServerMCPClient({ mcpServers: { footnote } })
    return { client, list: await client.getTools() }
  }
  let connected: { client: Loose; list: Loose[] }
  if (transport === 'stdio') connected = await connect({ transport: 'stdio', ...adapter })
  else if (way === 'token') connected = await connect({ transport: 'http', url, headers })
  else {
    const authProvider = new OAuthMemory()
    const signedIn = () => connect({ transport: 'http', url, authProvider })
    connected = await signedIn().catch(async (error: unknown) => {
      if (!authProvider.opened) throw error
      const authorizationCode = (await decide(authProvider.opened)).searchParams.get('code')
      const sdk = join(modules, '@modelcontextprotocol/sdk/dist/esm/client/auth.js')
      const { auth }: Loose = await import(sdk)
      await auth(authProvider, { serverUrl: url, authorizationCode })
      return signedIn()
    })
  }
  const { client, list } = connected
  return {
    tools: list.map(({ name }) => name),
    async call(name, args) {
      const tool = list.find(each => each.name === name)
      // A refusal is thrown; agents pass its text on to the model.
      const message = await tool
        .invoke({ type: 'tool_call', id: '1', name, args })
        .catch((error: unknown) => ({ content: String(error) }))
      return typeof message.content === 'string' ? message.content : JSON.stringify(message.content)
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
