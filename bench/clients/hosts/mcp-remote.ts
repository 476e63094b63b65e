import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { freePort } from '../../../test/free-port.ts'
import type { Host, Session, Setting } from '../session.ts'

export const mcpRemote: Host = {
  name: 'mcp-remote',
  packages: ['mcp-remote'],
  can: [
    ['http', 'token'],
    ['http', 'sign-in'],
  ],
  open,
}

/** A bridge: the client in front of it is the SDK's, over stdio. */
async function open({ way, token, url, decide, installed, home }: Setting): Promise<Session> {
  const program = join(installed, 'node_modules/mcp-remote/dist/proxy.js')
  const header = way === 'token' ? ['--header', `Authorization: Bearer ${token}`] : []
  const { PATH = '' } = process.env
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, url, String(await freePort()), '--allow-http', ...header],
    env: { PATH, HOME: home, MCP_REMOTE_CONFIG_DIR: home, BROWSER: 'true' },
    stderr: 'pipe',
  })
  let said = ''
  let asked = false
  transport.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
    const url = /http:\/\/\S+\/oauth\/authorize\?\S+(?=\s)/.exec(said)?.[0]
    if (url === undefined || asked) return
    asked = true
    decide(new URL(url)).catch(error => process.stderr.write(`${error}\n`))
  })
  const client = new Client({ name: 'matrix', version: '1' })
  await client.connect(transport, { timeout: 90_000 })
  const { tools } = await client.listTools()
  return {
    tools: tools.map(({ name }) => name),
    call: async (name, args) => JSON.stringify(await client.callTool({ name, arguments: args })),
    [Symbol.asyncDispose]: () => client.close(),
  }
}
