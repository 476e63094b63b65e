import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { BY_TOKEN, type Host, type Session, type Setting } from '../session.ts'

export const inspector: Host = {
  name: 'MCP Inspector',
  packages: ['@modelcontextprotocol/inspector'],
  can: BY_TOKEN,
  open,
}

/** Its command line: each call is a separate process, which prints the whole result. */
async function open(setting: Setting): Promise<Session> {
  const { transport, token, adapter, installed, home, url } = setting
  const launcher = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'
  const target =
    transport === 'stdio'
      ? ['-e', `PDPP_ACCESS_TOKEN=${token}`, '--', adapter.command, ...adapter.args]
      : [...['--transport', 'http', '--server-url', url], ...['--header', `Authorization: Bearer ${token}`]]
  const ask = (...method: string[]) => [
    ...[join(installed, launcher), '--cli', '--format', 'json', '--quiet'],
    ...['--connect-timeout', '60000', '--method', ...method, ...target],
  ]
  const env = { PATH: process.env.PATH, HOME: home }
  const run = (...method: string[]) =>
    new Promise<string>(resolve => {
      const options = { cwd: home, env, maxBuffer: 2 ** 26 }
      execFile(process.execPath, ask(...method), options, (_, stdout, stderr) => resolve(stdout || stderr))
    })
  const listed = await run('tools/list')
  const { result } = JSON.parse(listed) as { result?: { tools: { name: string }[] } }
  if (!result) throw new Error(listed)
  return {
    tools: result.tools.map(({ name }) => name),
    call: (name, args) => run('tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)),
    [Symbol.asyncDispose]: async () => {},
  }
}
