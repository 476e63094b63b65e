import { LOG_FORMS } from './log.ts'
import * as v from './setting-values.ts'

export interface Setting<T = unknown> extends v.Values<T>, Use {
  name: string
  flag: string
  env: string
  summary: string
}

interface Use {
  /** Accepted by every command; other settings by those that serve. */
  common?: true
  /** Accepted by commands that show URLs of the server. */
  links?: true
}

function setting<T>(name: string, summary: string, values: v.Values<T>, use: Use = {}): Setting<T> {
  const env = `FOOTNOTE_${name.toUpperCase().replaceAll('-', '_')}`
  return { name, flag: `--${name}`, env, summary, ...values, ...use }
}

/**
 * Every setting, from a flag, or else the environment, or else the file, or else the default; under the name that the
 * part of the server which follows it uses.
 */
const BY_KEY = {
  config: setting('config', 'a file of settings (footnote.json in the data folder)', v.text(undefined), {
    common: true,
  }),
  dataDir: setting('data-dir', 'where the data is kept (~/.footnote)', v.text(undefined), { common: true }),
  databaseUrl: setting('database-url', 'postgres://… to keep the data in PostgreSQL', v.DATABASE_URL, {
    common: true,
  }),
  host: setting('host', 'the address to listen on (127.0.0.1)', v.text('127.0.0.1')),
  port: setting('port', 'the port to listen on (7007; 0 picks a free one)', v.wholeNumber(7007, 65_535), {
    links: true,
  }),
  publicUrl: setting('public-url', 'the origin that clients use (http://127.0.0.1:PORT)', v.ORIGIN, {
    links: true,
  }),
  rateLimit: setting(
    'rate-limit',
    'requests a second for each client (100; 0 is off)',
    v.limit(100, 1_000_000),
  ),
  rateBurst: setting('rate-burst', 'requests that may come in a burst (500)', v.wholeNumber(500, 1_000_000)),
  addressLimit: setting(
    'address-limit',
    'requests a second without a token for each address (20; 0 is off)',
    v.limit(20, 1_000_000),
  ),
  trustedProxies: setting(
    'trusted-proxies',
    'proxies whose X-Forwarded-For is trusted, comma-separated (none)',
    v.PROXIES,
  ),
  metricsToken: setting(
    'metrics-token',
    'the token that opens /metrics, at least 16 characters (closed)',
    v.TOKEN,
  ),
  log: setting(
    'log',
    'text, or json: one object per line on stderr, including requests (text)',
    v.oneOf(LOG_FORMS),
  ),
  cursorTtlSeconds: setting(
    'cursor-ttl',
    'seconds that a cursor stays valid (86400)',
    v.wholeNumber(86_400, 31_536_000),
  ),
  clientDocuments: setting(
    'client-documents',
    'on or off: apps may identify themselves by a document that the server fetches (on)',
    v.onOrOff(true),
  ),
  allowedOrigins: setting(
    'allowed-origins',
    'origins of pages that may call MCP from a browser, comma-separated (none)',
    v.ORIGINS,
  ),
  timeZone: setting(
    'time-zone',
    'your time zone, such as Europe/Berlin (the system zone at the first start)',
    v.TIME_ZONE,
    { common: true },
  ),
  showQueries: setting(
    'ledger-queries',
    'on or off: show you what clients asked; it is always recorded (off)',
    v.onOrOff(false),
  ),
  alwaysLoad: setting(
    'always-load',
    'on or off: Claude Code always loads the search tool (on)',
    v.onOrOff(true),
  ),
}

export const SETTINGS: readonly Setting[] = Object.values(BY_KEY)

export type SettingValues = { [Key in keyof typeof BY_KEY]: (typeof BY_KEY)[Key]['fallback'] }

/** The value of each setting; `given` returns the text of the one with a name, if there is any. */
export function readSettings(given: (name: string) => string | undefined): SettingValues {
  const values = Object.entries(BY_KEY).map(([key, { name, flag, fallback, read }]) => {
    const text = given(name)
    return [key, text === undefined ? fallback : read(text, flag)]
  })
  return Object.fromEntries(values)
}

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
