/** How a host identifies itself to servers: by a document that it publishes, or by registration. */
export interface PublishedClient {
  host: string
  /** The address of its document; null for a host that registers. */
  document: string | null
  metadata: Record<string, unknown> & { redirect_uris: string[] }
  /** The redirect address that it actually uses, if that is another port of a loopback address. */
  answeredAt?: string[]
}

const CODES = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] }
const PUBLIC = { ...CODES, token_endpoint_auth_method: 'none' }
const CHATGPT_REDIRECT = 'https://chatgpt.com/connector_platform_oauth_redirect'
const CLAUDE_REDIRECTS = [
  'https://claude.ai/api/mcp/auth_callback',
  'https://claude.com/api/mcp/auth_callback',
]
const VSCODE_GRANTS = [...CODES.grant_types, 'urn:ietf:params:oauth:grant-type:device_code']
const CURSOR_REDIRECTS = [
  'http://localhost:8787/callback',
  'http://127.0.0.1:8787/callback',
  'https://www.cursor.com/agents/mcp/oauth/callback',
  'cursor://anysphere.cursor-mcp/oauth/callback',
]

export const CHATGPT_KEYS = 'https://chatgpt.com/oauth/jwks.json'

/** As these hosts publish them, and as they were seen to register; November 2026. */
export const PUBLISHED_CLIENTS: readonly PublishedClient[] = [
  {
    host: 'ChatGPT',
    document: 'https://chatgpt.com/oauth/client.json',
    metadata: {
      client_name: 'ChatGPT',
      client_uri: 'https://chatgpt.com/',
      logo_uri: 'https://persistent.oaistatic.com/sonic/misc/openai-logo.png',
      redirect_uris: [CHATGPT_REDIRECT],
      ...CODES,
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      token_endpoint_auth_signing_alg: 'RS256',
      jwks_uri: CHATGPT_KEYS,
    },
  },
  {
    host: 'ChatGPT, registered',
    document: null,
    metadata: {
      client_name: 'ChatGPT',
      redirect_uris: [CHATGPT_REDIRECT, 'https://chatgpt.com/connector/oauth/Ab3_d-9'],
      ...PUBLIC,
    },
  },
  {
    host: 'claude.ai',
    document: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
    metadata: {
      client_name: 'Claude',
      client_uri: 'https://claude.ai',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      ...PUBLIC,
      grant_types: [...CODES.grant_types, 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
    },
  },
  {
    host: 'claude.ai, registered',
    document: null,
    metadata: { client_name: 'Claude', redirect_uris: CLAUDE_REDIRECTS, ...PUBLIC, scope: 'read' },
  },
  {
    host: 'Claude Code',
    document: 'https://claude.ai/oauth/claude-code-client-metadata',
    metadata: {
      client_name: 'Claude Code',
      client_uri: 'https://claude.ai',
      redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
      ...PUBLIC,
    },
    answeredAt: ['http://localhost:52113/callback', 'http://127.0.0.1:52113/callback'],
  },
  {
    host: 'Codex',
    document: 'https://chatgpt.com/oauth/codex/client.json',
    metadata: {
      client_name: 'Codex',
      redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
      ...PUBLIC,
    },
    answeredAt: ['http://127.0.0.1:41873/callback'],
  },
  {
    host: 'VS Code',
    document: 'https://vscode.dev/oauth/client-metadata.json',
    metadata: {
      client_name: 'Visual Studio Code',
      client_uri: 'https://vscode.dev/product',
      redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
      ...PUBLIC,
      grant_types: VSCODE_GRANTS,
      application_type: 'native',
    },
  },
  {
    host: 'VS Code, registered',
    document: null,
    metadata: {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      ...PUBLIC,
      grant_types: VSCODE_GRANTS,
      application_type: 'native',
    },
    answeredAt: ['https://vscode.dev/redirect', 'http://127.0.0.1:50555/'],
  },
  {
    host: 'Cursor',
    document: 'https://cursor.com/oauth/mcp-client.json',
    metadata: { client_name: 'Cursor', redirect_uris: CURSOR_REDIRECTS, ...PUBLIC },
  },
  {
    host: 'Cursor, registered',
    document: null,
    metadata: { client_name: 'Cursor', redirect_uris: CURSOR_REDIRECTS, ...PUBLIC },
  },
  ...['none', 'client_secret_post', 'client_secret_basic'].map(token_endpoint_auth_method => ({
    host: `Le Chat (${token_endpoint_auth_method})`,
    document: null,
    metadata: {
      client_name: 'mistral-mcp-client',
      redirect_uris: ['https://callback.mistral.ai/v1/integrations_auth/oauth2_callback'],
      ...CODES,
      token_endpoint_auth_method,
    },
  })),
]
