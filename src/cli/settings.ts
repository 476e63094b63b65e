import { NOT_OWN_NAMES, ownNamesIn } from '../model/reading/people.ts'
import { TimeZone } from '../model/time.ts'
import { publicOrigin } from '../origin/address.ts'
import { TrustedProxies } from '../origin/caller.ts'
import { LOG_FORMS } from './log.ts'
import { UsageError } from './terminal/exit-errors.ts'

/** The values that a setting accepts, and the one that it has if none is given. */
interface Values<T> {
  fallback: T
  /** Throws if the text is not valid. `flag` names the setting. */
  read(text: string, flag: string): T
}

function text<T extends string | undefined>(fallback: T): Values<string | T> {
  return { fallback, read: given => given }
}

/** `read` returns undefined for a text that is not valid. */
function checked<T, F = T>(
  fallback: F,
  read: (text: string) => T | undefined,
  must: string,
  hint: (flag: string) => string,
): Values<T | F> {
  return {
    fallback,
    read(given, flag) {
      const value = read(given)
      if (value !== undefined) return value
      throw new UsageError(`${flag} ${must}`, hint(flag))
    },
  }
}

function wholeNumber(fallback: number, most: number): Values<number> {
  const read = (text: string) => (/^\d{1,9}$/.test(text) && Number(text) <= most ? Number(text) : undefined)
  return checked(fallback, read, `must be a whole number from 0 to ${most}.`, flag => `${flag} ${fallback}`)
}

/** A limit, of which 0 is none. */
function limit(fallback: number, most: number): Values<number | null> {
  const { read } = wholeNumber(fallback, most)
  return { fallback, read: (given, flag) => read(given, flag) || null }
}

function onOrOff(fallback: boolean): Values<boolean> {
  const read = (text: string) => (text === 'on' ? true : text === 'off' ? false : undefined)
  return checked(fallback, read, 'must be on or off.', flag => `${flag} off`)
}

function oneOf<T extends string>(choices: readonly [T, ...T[]]): Values<T> {
  const read = (text: string) => choices.find(choice => choice === text)
  return checked(choices[0], read, `must be ${choices.join(' or ')}.`, flag => `${flag} ${choices.at(-1)}`)
}

const DATABASE_URL = checked(
  undefined,
  text => (/^postgres(ql)?:\/\//.test(text) ? text : undefined),
  'must be a postgres:// address.',
  () => 'leave it out to use SQLite in --data-dir',
)

const ORIGIN = checked(
  null,
  text => publicOrigin(text) ?? undefined,
  'must be an origin without a path.',
  flag => `${flag} https://footnote.example.org`,
)

/** Origins of pages. */
const ORIGINS = checked<readonly string[]>(
  [],
  text => {
    const origins = separated(text)
    return origins.every(each => URL.canParse(each) && new URL(each).origin === each) ? origins : undefined
  },
  'must be a comma-separated list of origins, each exactly as a browser sends it.',
  flag => `${flag} https://chat.example.org,http://localhost:6274`,
)

/** The names of a person. */
const NAMES = checked<readonly string[]>(
  [],
  text => ownNamesIn(text) ?? undefined,
  NOT_OWN_NAMES,
  flag => `${flag} "Ann Example, ann@example.org"`,
)

const PROXIES = checked<readonly string[]>(
  [],
  text => orUndefined(() => new TrustedProxies(separated(text))) && separated(text),
  'must be a comma-separated list of addresses or networks.',
  flag => `${flag} 127.0.0.1,10.0.0.0/8`,
)

const TOKEN = checked(
  null,
  text => (/^[\x21-\x7e]{16,200}$/.test(text) ? text : undefined),
  'must be 16 to 200 ASCII characters without spaces.',
  () => 'openssl rand -hex 32 makes a good one',
)

const TIME_ZONE = checked(
  undefined,
  text => orUndefined(() => new TimeZone(text).name),
  'must be an IANA name.',
  flag => `${flag} Europe/Berlin`,
)

function orUndefined<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

function separated(text: string): string[] {
  return text.split(',').flatMap(part => part.trim() || [])
}

export interface Setting<T = unknown> extends Values<T>, Use {
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

function setting<T>(name: string, summary: string, values: Values<T>, use: Use = {}): Setting<T> {
  const env = `FOOTNOTE_${name.toUpperCase().replaceAll('-', '_')}`
  return { name, flag: `--${name}`, env, summary, ...values, ...use }
}

/**
 * Every setting, from a flag, or else the environment, or else the file, or else the default; under the name that the
 * part of the server which follows it uses.
 */
const BY_KEY = {
  config: setting('config', 'a file of settings (footnote.json in the data folder)', text(undefined), {
    common: true,
  }),
  dataDir: setting('data-dir', 'where the data is kept (~/.footnote)', text(undefined), { common: true }),
  databaseUrl: setting('database-url', 'postgres://… to keep the data in PostgreSQL', DATABASE_URL, {
    common: true,
  }),
  host: setting('host', 'the address to listen on (127.0.0.1)', text('127.0.0.1')),
  port: setting('port', 'the port to listen on (7007; 0 picks a free one)', wholeNumber(7007, 65_535), {
    links: true,
  }),
  publicUrl: setting('public-url', 'the origin that clients use (http://127.0.0.1:PORT)', ORIGIN, {
    links: true,
  }),
  rateLimit: setting(
    'rate-limit',
    'requests a second for each client (100; 0 is off)',
    limit(100, 1_000_000),
  ),
  rateBurst: setting('rate-burst', 'requests that may come in a burst (500)', wholeNumber(500, 1_000_000)),
  addressLimit: setting(
    'address-limit',
    'requests a second without a token for each address (20; 0 is off)',
    limit(20, 1_000_000),
  ),
  trustedProxies: setting(
    'trusted-proxies',
    'proxies whose X-Forwarded-For is trusted, comma-separated (none)',
    PROXIES,
  ),
  metricsToken: setting(
    'metrics-token',
    'the token that opens /metrics, at least 16 characters (closed)',
    TOKEN,
  ),
  log: setting(
    'log',
    'text, or json: one object per line on stderr, including requests (text)',
    oneOf(LOG_FORMS),
  ),
  cursorTtlSeconds: setting(
    'cursor-ttl',
    'seconds that a cursor stays valid (86400)',
    wholeNumber(86_400, 31_536_000),
  ),
  clientDocuments: setting(
    'client-documents',
    'on or off: apps may identify themselves by a document that the server fetches (on)',
    onOrOff(true),
  ),
  allowedOrigins: setting(
    'allowed-origins',
    'origins of pages that may call MCP from a browser, comma-separated (none)',
    ORIGINS,
  ),
  timeZone: setting(
    'time-zone',
    'your time zone, such as Europe/Berlin (the system zone at the first start)',
    TIME_ZONE,
    { common: true },
  ),
  ownNames: setting(
    'my-names',
    'what records call you, for from:me: names and addresses, comma-separated (none)',
    NAMES,
  ),
  showQueries: setting(
    'ledger-queries',
    'on or off: show you what clients asked; it is always recorded (off)',
    onOrOff(false),
  ),
  alwaysLoad: setting(
    'always-load',
    'on or off: Claude Code always loads the search tool (on)',
    onOrOff(true),
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
