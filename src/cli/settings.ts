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
  ownNames: setting(
    'my-names',
    'what records call you, for from:me: names and addresses, comma-separated (none)',
    v.NAMES,
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
