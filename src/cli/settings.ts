export interface Setting {
  name: string
  flag: string
  env: string
  /** Common settings are accepted by every command, the others by `serve`. */
  common: boolean
  /** Accepted by commands that show URLs of the server. */
  links?: true
  summary: string
}

/** Every setting, from a flag, or else the environment, or else the file, or else the default. */
export const SETTINGS = [
  {
    name: 'config',
    flag: '--config',
    env: 'FOOTNOTE_CONFIG',
    common: true,
    summary: 'a file of settings (footnote.json in the data folder)',
  },
  {
    name: 'data-dir',
    flag: '--data-dir',
    env: 'FOOTNOTE_DATA_DIR',
    common: true,
    summary: 'where the data is kept (~/.footnote)',
  },
  {
    name: 'database-url',
    flag: '--database-url',
    env: 'FOOTNOTE_DATABASE_URL',
    common: true,
    summary: 'postgres://… to keep the data in PostgreSQL',
  },
  {
    name: 'host',
    flag: '--host',
    env: 'FOOTNOTE_HOST',
    common: false,
    summary: 'the address to listen on (127.0.0.1)',
  },
  {
    name: 'port',
    flag: '--port',
    env: 'FOOTNOTE_PORT',
    common: false,
    links: true,
    summary: 'the port to listen on (7007; 0 picks a free one)',
  },
  {
    name: 'public-url',
    flag: '--public-url',
    env: 'FOOTNOTE_PUBLIC_URL',
    common: false,
    links: true,
    summary: 'the origin that clients use (http://127.0.0.1:PORT)',
  },
  {
    name: 'rate-limit',
    flag: '--rate-limit',
    env: 'FOOTNOTE_RATE_LIMIT',
    common: false,
    summary: 'requests a second for each client (100; 0 is off)',
  },
  {
    name: 'rate-burst',
    flag: '--rate-burst',
    env: 'FOOTNOTE_RATE_BURST',
    common: false,
    summary: 'requests that may come in a burst (500)',
  },
  {
    name: 'address-limit',
    flag: '--address-limit',
    env: 'FOOTNOTE_ADDRESS_LIMIT',
    common: false,
    summary: 'requests a second without a token for each address (20; 0 is off)',
  },
  {
    name: 'trusted-proxies',
    flag: '--trusted-proxies',
    env: 'FOOTNOTE_TRUSTED_PROXIES',
    common: false,
    summary: 'proxies whose X-Forwarded-For is trusted, comma-separated (none)',
  },
  {
    name: 'metrics-token',
    flag: '--metrics-token',
    env: 'FOOTNOTE_METRICS_TOKEN',
    common: false,
    summary: 'the token that opens /metrics, at least 16 characters (closed)',
  },
  {
    name: 'log',
    flag: '--log',
    env: 'FOOTNOTE_LOG',
    common: false,
    summary: 'text, or json: one object per line on stderr, including requests (text)',
  },
  {
    name: 'cursor-ttl',
    flag: '--cursor-ttl',
    env: 'FOOTNOTE_CURSOR_TTL',
    common: false,
    summary: 'seconds that a cursor stays valid (86400)',
  },
  {
    name: 'client-documents',
    flag: '--client-documents',
    env: 'FOOTNOTE_CLIENT_DOCUMENTS',
    common: false,
    summary: 'on or off: apps may identify themselves by a document that the server fetches (on)',
  },
  {
    name: 'allowed-origins',
    flag: '--allowed-origins',
    env: 'FOOTNOTE_ALLOWED_ORIGINS',
    common: false,
    summary: 'origins of pages that may call MCP from a browser, comma-separated (none)',
  },
  {
    name: 'time-zone',
    flag: '--time-zone',
    env: 'FOOTNOTE_TIME_ZONE',
    common: true,
    summary: 'your time zone, such as Europe/Berlin (the system zone at the first start)',
  },
  {
    name: 'ledger-queries',
    flag: '--ledger-queries',
    env: 'FOOTNOTE_LEDGER_QUERIES',
    common: false,
    summary: 'on or off: show you what clients asked; it is always recorded (off)',
  },
  {
    name: 'always-load',
    flag: '--always-load',
    env: 'FOOTNOTE_ALWAYS_LOAD',
    common: false,
    summary: 'on or off: Claude Code always loads the search tool (on)',
  },
] as const satisfies readonly Setting[]

/** Additional variables that `footnote mcp` reads; the flags `--provider-url` and `--cache-root` take precedence. */
export const MCP_VARIABLES = [
  { env: 'PDPP_PROVIDER_URL', summary: 'the resource server that the tools read from' },
  { env: 'PDPP_ACCESS_TOKEN', summary: 'a scoped client token' },
  { env: 'PDPP_CACHE_ROOT', summary: 'the folder of cached credentials (~/.pdpp)' },
  { env: 'PDPP_OWNER_TOKEN', summary: 'refused: assistants read with a scoped token' },
  { env: 'PDPP_OWNER_SESSION_COOKIE', summary: 'refused likewise' },
] as const

/** Additional variables that `footnote sync add` reads. */
export const SYNC_VARIABLES = [
  { env: 'FOOTNOTE_SYNC_PASSWORD', summary: 'the password of the account' },
] as const

/** Variables that describe the terminal and npm. */
export const SURROUNDING_VARIABLES = [
  { env: 'NO_COLOR', summary: 'when not empty, no colours' },
  { env: 'TERM', summary: 'dumb: no colours' },
  { env: 'npm_lifecycle_event', summary: 'set by npm; the server then stops together with it' },
  { env: 'npm_lifecycle_script', summary: 'set by npm: the command that it runs' },
  { env: 'npm_package_json', summary: 'set by npm: the package whose script it runs' },
  { env: 'npm_config_local_prefix', summary: 'set by npm: the folder of the package' },
  { env: 'INIT_CWD', summary: 'set by npm: the folder where it was run' },
  { env: 'PATH', summary: 'whether footnote is on the PATH' },
] as const

/** Variables that say where an assistant's own configuration is; `footnote connect` uses them. */
export const CLIENT_VARIABLES = [
  { env: 'CLAUDE_CONFIG_DIR', summary: 'folder of .claude.json (the home folder)' },
  { env: 'CODEX_HOME', summary: 'folder of config.toml (~/.codex)' },
  { env: 'XDG_CONFIG_HOME', summary: 'folder of configurations (~/.config)' },
  { env: 'APPDATA', summary: 'folder of configurations on Windows' },
] as const
