import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type Json, type JsonObject } from '../model/json.ts'
import { isLoopback } from '../model/loopback.ts'
import type { Folders } from './folders.ts'

const EXAMPLE = 'https://footnote.example.org'

/** The steps in ChatGPT, which can reach a server only from the internet and only over https. */
function chatgptSteps(origin: string): string[] {
  const { first, url, research } = reachable(origin, 'ChatGPT', 'chatgpt')
  return [
    ...first,
    'In ChatGPT on the web, open Settings → Apps (or Connectors) → Advanced settings and switch Developer mode on. In a workspace, its administrator has to allow it first.',
    `Press Create. Name it Footnote, give ${url} as the MCP server URL, and choose OAuth as authentication.`,
    ...DECIDE,
    'In a new chat, press + and choose Footnote. Then ask.',
    `Deep research and company knowledge accept only an app with exactly the tools search and fetch. For them, create a second app named Footnote research, with ${research} as the MCP server URL. It reads the same records, after you allow it separately.`,
  ]
}

/** The same for Claude: a connector is called from the internet, even when it is used in Claude Desktop. */
function claudeConnectorSteps(origin: string): string[] {
  const { first, url } = reachable(origin, 'A Claude connector', 'claude-desktop')
  return [
    ...first,
    'In Claude Desktop or on claude.ai, open Customize (or Settings) → Connectors, press + and Add custom connector. In an organization, an owner has to add it first.',
    `Name it Footnote, give ${url} as its address, press Add, then Connect.`,
    ...DECIDE,
  ]
}

const DECIDE = [
  'The browser opens your own server. Sign in (footnote sign-in-link prints a link), choose what may be read, press Review, then Allow.',
]

function reachable(
  origin: string,
  who: string,
  key: string,
): { first: string[]; url: string; research: string } {
  const { protocol, hostname } = new URL(origin)
  if (protocol === 'https:' && !isLoopback(hostname.replace(/^\[|\]$/g, '')))
    return { first: [], url: `${origin}/mcp`, research: `${origin}/mcp/research` }
  return {
    first: [
      `${who} calls your server from the internet, over https, and ${origin} cannot be reached that way. Put a reverse proxy with TLS or a tunnel in front of the server, and start it with its public address: footnote serve --public-url ${EXAMPLE}. With the same address, footnote connect ${key} --public-url ${EXAMPLE} shows the steps for it.`,
    ],
    url: `${EXAMPLE}/mcp (your own address)`,
    research: `${EXAMPLE}/mcp/research`,
  }
}

/** How a client starts the adapter itself, instead of calling the server. */
interface StdioCommand {
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
    signIn: name =>
      `run claude mcp login ${name}, or type /mcp in Claude Code, choose ${name}, then Authenticate`,
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
    http: (url, authorization) => ({ url, type: 'http', ...headers(authorization) }),
    stdio: plainStdio,
    command: (name, url, authorization) =>
      `gemini mcp add --scope user --transport http${headerFlag(authorization)} ${name} ${url}`,
    signIn: name => `type /mcp auth ${name} in Gemini CLI`,
  },
  {
    key: 'copilot',
    label: 'Copilot CLI',
    format: 'json',
    file: ({ home, copilot }) => join(copilot ?? join(home, '.copilot'), 'mcp-config.json'),
    place: inServers,
    http: (url, authorization) => ({ ...typedHttp(url, authorization), tools: ['*'] }),
    stdio: command => ({ type: 'local', ...plainStdio(command), tools: ['*'] }),
    command: (name, url, authorization) =>
      `copilot mcp add --transport http ${name} ${url}${headerFlag(authorization)}`,
    signIn: () => 'start copilot in a terminal',
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
