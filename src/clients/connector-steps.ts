import { isLoopback } from '../model/loopback.ts'

const EXAMPLE = 'https://footnote.example.org'

/** The steps in ChatGPT, which can reach a server only from the internet and only over https. */
export function chatgptSteps(origin: string): string[] {
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
export function claudeConnectorSteps(origin: string): string[] {
  const { first, url } = reachable(origin, 'A Claude connector', 'claude-desktop')
  return [
    ...first,
    'In Claude Desktop or on claude.ai, open Settings → Connectors and press Add custom connector. In an organization, an owner has to add it first.',
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
