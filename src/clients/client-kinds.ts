import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type Json, type JsonObject } from '../model/json.ts'
import { chatgptSteps, claudeConnectorSteps } from './connector-steps.ts'
import type { Folders } from './folders.ts'

/** How a client starts the adapter itself, instead of calling the server. */
export interface StdioCommand {
  command: string
  args: string[]
  /** Only if the entry contains a token. */
  env?: Record<string, string>
}

/** An assistant, and how its own configuration names an MCP server. */
export interface ClientKind {
  key: string
  label: string
  format: 'json' | 'toml'
  file(folders: Folders): string
  /** Where the entry is in the file. */
  place(name: string, settings: Json): string[]
  /** An entry that calls the server; a client without this can only start the adapter. */
  http?(url: string, authorization?: string): JsonObject
  stdio(command: StdioCommand): JsonObject
  /** The client's own command that does the same as the entry over HTTP. */
  command?(name: string, url: string, authorization?: string): string
  /** What a person does so that the client opens the browser and signs in. */
  signIn?(name: string): string
  /** What a person does instead to have the client call the server from the internet. */
  connectorSteps?(origin: string): string[]
}

/** An assistant that is set up manually, on its own pages. */
export interface ClientByHand {
  key: string
  label: string
  connectorSteps(origin: string): string[]
}

const inServers = (name: string) => ['mcpServers', name]
const headers = (Authorization?: string): JsonObject => (Authorization ? { headers: { Authorization } } : {})
const typedHttp = (url: string, authorization?: string) => ({ type: 'http', url, ...headers(authorization) })
const plainStdio = (command: StdioCommand): JsonObject => ({ ...command })
const typedStdio = (command: StdioCommand) => ({ type: 'stdio', ...plainStdio(command) })
const headerFlag = (authorization?: string) =>
  authorization ? ` --header "Authorization: ${authorization}"` : ''

/** Every client whose configuration can be written. */
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
      `claude mcp add --transport http --scope user ${name} ${url}${headerFlag(authorization)}`,
    signIn: name => `type /mcp in Claude Code, choose ${name}, then Authenticate`,
  },
  {
    key: 'claude-desktop',
    label: 'Claude Desktop',
    format: 'json',
    file: ({ desktop }) => join(desktop, 'Claude', 'claude_desktop_config.json'),
    place: inServers,
    stdio: plainStdio,
    connectorSteps: claudeConnectorSteps,
  },
  {
    key: 'codex',
    label: 'Codex',
    format: 'toml',
    file: ({ home, codex }) => join(codex ?? join(home, '.codex'), 'config.toml'),
    place: name => ['mcp_servers', name],
    http: (url, Authorization) => ({ url, ...(Authorization ? { http_headers: { Authorization } } : {}) }),
    stdio: plainStdio,
    command: (name, url, authorization) =>
      authorization
        ? `codex -c 'mcp_servers.${name}={url="${url}",http_headers={Authorization="${authorization}"}}'`
        : `codex mcp add ${name} --url ${url}`,
    signIn: name => `run codex mcp login ${name}`,
  },
  {
    key: 'gemini',
    label: 'Gemini CLI',
    format: 'json',
    file: ({ home }) => join(home, '.gemini', 'settings.json'),
    place: inServers,
    http: (httpUrl, authorization) => ({ httpUrl, ...headers(authorization) }),
    stdio: plainStdio,
    command: (name, url, authorization) =>
      `gemini mcp add --scope user --transport http${headerFlag(authorization)} ${name} ${url}`,
    signIn: name => `type /mcp auth ${name} in Gemini CLI`,
  },
  {
    key: 'opencode',
    label: 'OpenCode',
    format: 'json',
    file: ({ config }) => {
      const commented = join(config, 'opencode', 'opencode.jsonc')
      return existsSync(commented) ? commented : join(config, 'opencode', 'opencode.json')
    },
    // Its second version stores servers one level deeper; a file in that form keeps it.
    place: (name, settings) => {
      const mcp = isObject(settings) && isObject(settings.mcp) ? settings.mcp : {}
      const deeper = isObject(mcp.servers) && mcp.servers.type === undefined
      return deeper ? ['mcp', 'servers', name] : ['mcp', name]
    },
    http: (url, authorization) => ({ type: 'remote', url, ...headers(authorization) }),
    stdio: ({ command, args, env }) => ({
      type: 'local',
      command: [command, ...args],
      ...(env ? { environment: env } : {}),
    }),
    signIn: name => `run opencode mcp auth ${name}`,
  },
  {
    key: 'cursor',
    label: 'Cursor',
    format: 'json',
    file: ({ home }) => join(home, '.cursor', 'mcp.json'),
    place: inServers,
    http: (url, authorization) => ({ url, ...headers(authorization) }),
    stdio: plainStdio,
    signIn: name => `open the MCP settings of Cursor and press Connect next to ${name}`,
  },
  {
    key: 'vscode',
    label: 'VS Code',
    format: 'json',
    file: ({ desktop }) => join(desktop, 'Code', 'User', 'mcp.json'),
    place: name => ['servers', name],
    http: typedHttp,
    stdio: typedStdio,
    signIn: name => `run "MCP: List Servers" in VS Code, choose ${name}, then Start Server`,
  },
]

/** Every client that only a person can set up. */
export const CLIENTS_BY_HAND: readonly ClientByHand[] = [
  { key: 'chatgpt', label: 'ChatGPT', connectorSteps: chatgptSteps },
]
