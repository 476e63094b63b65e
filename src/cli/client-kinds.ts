import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type Json, type JsonObject } from '../model/json.ts'
import type { Folders } from './config.ts'

/** How a client starts the adapter itself, instead of calling the server. */
export interface StdioCommand {
  command: string
  args: string[]
  env: Record<string, string>
}

/** An assistant, and how its own configuration names an MCP server. */
export interface ClientKind {
  key: string
  label: string
  format: 'json' | 'toml'
  file(folders: Folders): string
  /** Where the entry stands in the file. */
  place(name: string, settings: Json): string[]
  http(url: string, authorization: string): JsonObject
  stdio(command: StdioCommand): JsonObject
  /** The client's own command that does the same. */
  command?(name: string, url: string, authorization: string): string
}

const inServers = (name: string) => ['mcpServers', name]
const typedHttp = (url: string, Authorization: string) => ({ type: 'http', url, headers: { Authorization } })
const plainStdio = ({ command, args, env }: StdioCommand) => ({ command, args, env })
const typedStdio = (command: StdioCommand) => ({ type: 'stdio', ...plainStdio(command) })

/** Every client there is a recipe for. */
export const CLIENT_KINDS: readonly ClientKind[] = [
  {
    key: 'claude-code',
    label: 'Claude Code',
    format: 'json',
    file: ({ home, claude }) => join(claude ?? home, '.claude.json'),
    place: inServers,
    http: typedHttp,
    stdio: typedStdio,
    command: (name, url, authorization) =>
      `claude mcp add --transport http --scope user ${name} ${url} --header "Authorization: ${authorization}"`,
  },
  {
    key: 'codex',
    label: 'Codex',
    format: 'toml',
    file: ({ home, codex }) => join(codex ?? join(home, '.codex'), 'config.toml'),
    place: name => ['mcp_servers', name],
    http: (url, Authorization) => ({ url, http_headers: { Authorization } }),
    stdio: plainStdio,
    command: (name, url, authorization) =>
      `codex -c 'mcp_servers.${name}={url="${url}",http_headers={Authorization="${authorization}"}}'`,
  },
  {
    key: 'gemini',
    label: 'Gemini CLI',
    format: 'json',
    file: ({ home }) => join(home, '.gemini', 'settings.json'),
    place: inServers,
    http: (httpUrl, Authorization) => ({ httpUrl, headers: { Authorization } }),
    stdio: plainStdio,
    command: (name, url, authorization) =>
      `gemini mcp add --scope user --transport http --header "Authorization: ${authorization}" ${name} ${url}`,
  },
  {
    key: 'opencode',
    label: 'OpenCode',
    format: 'json',
    file: ({ config }) => {
      const commented = join(config, 'opencode', 'opencode.jsonc')
      return existsSync(commented) ? commented : join(config, 'opencode', 'opencode.json')
    },
    // Its second version keeps servers one level deeper; a file that does so already goes on doing so.
    place: (name, settings) => {
      const mcp = isObject(settings) && isObject(settings.mcp) ? settings.mcp : {}
      const deeper = isObject(mcp.servers) && mcp.servers.type === undefined
      return deeper ? ['mcp', 'servers', name] : ['mcp', name]
    },
    http: (url, Authorization) => ({ type: 'remote', url, headers: { Authorization } }),
    stdio: ({ command, args, env }) => ({ type: 'local', command: [command, ...args], environment: env }),
  },
  {
    key: 'cursor',
    label: 'Cursor',
    format: 'json',
    file: ({ home }) => join(home, '.cursor', 'mcp.json'),
    place: inServers,
    http: (url, Authorization) => ({ url, headers: { Authorization } }),
    stdio: plainStdio,
  },
  {
    key: 'vscode',
    label: 'VS Code',
    format: 'json',
    file: ({ editors }) => join(editors, 'Code', 'User', 'mcp.json'),
    place: name => ['servers', name],
    http: typedHttp,
    stdio: typedStdio,
  },
]
