import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { footnote, output, placeFlags } from './command-line.ts'
import { MAILBOX, message } from './mailbox.ts'
import { TestServer } from './test-server.ts'

/** The path of each client's configuration on Linux. */
export const CLIENT_FILES: Record<string, string> = {
  'claude-code': '.claude.json',
  'claude-desktop': '.config/Claude/claude_desktop_config.json',
  codex: '.codex/config.toml',
  gemini: '.gemini/settings.json',
  copilot: '.copilot/mcp-config.json',
  opencode: '.config/opencode/opencode.json',
  cursor: '.cursor/mcp.json',
  vscode: '.config/Code/User/mcp.json',
}

/** A home folder without any client's configuration, and a server with one message. */
export async function clientHome() {
  const server = await TestServer.start('sqlite')
  const connection = await server.connect(MAILBOX, 'Work mail')
  await server.ingest('messages', connection, [message('m1')])
  const home = await mkdtemp(join(tmpdir(), 'footnote-home-'))
  const flags = placeFlags(server.location)
  const env = { HOME: home }
  return {
    server,
    connection,
    home,
    run: (...args: string[]) => footnote(['connect', ...flags, ...args], { env }),
    out: (...args: string[]) => output(['connect', ...args, ...flags], { env }),
    told: async (...args: string[]) =>
      JSON.parse(await output(['connect', ...args, '--json', ...flags], { env })),
    put: async (path: string, text: string) => {
      await mkdir(dirname(join(home, path)), { recursive: true })
      await writeFile(join(home, path), text)
    },
    text: (path: string) => readFile(join(home, path), 'utf8'),
    grants: async (): Promise<{ grant_id: string; client_name: string; active: boolean }[]> =>
      (await server.json('/v1/owner/grants')).body.data,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true })
    },
  }
}

export const tokenIn = (text: string) => /fnc_\w+_[A-Za-z0-9_-]{43}/.exec(text)?.[0] ?? assert.fail(text)
export const SECRET = /fn[co]_|Bearer|Authorization|PDPP_ACCESS_TOKEN/
